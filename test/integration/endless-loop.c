// Loaded into the hub's processes: a SIGUSR2 makes one of them run in native code on its main thread for ever, as a fault of the QUIC
// library would. The product knows nothing of it.
#include <signal.h>

static void loop(int number) {
  (void)number;
  for (;;) __asm__ volatile("");
}

__attribute__((constructor)) static void install(void) {
  struct sigaction action = {0};
  action.sa_handler = loop;
  sigaction(SIGUSR2, &action, 0);
}

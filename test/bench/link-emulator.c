/*
 * A link between two network devices that delays what passes and loses some of it, for UDP and TCP alike: two TUN devices, joined by a queue
 * each way. Compiled and run by the bench alone.
 *
 *   link-emulator DEVICE_A DEVICE_B DELAY_MICROSECONDS_ONE_WAY LOSS_PER_TEN_THOUSAND SEED
 *
 * It makes the devices, prints "ready", forwards until SIGTERM or end of standard input, and prints what it forwarded, lost and had no
 * room for. Only IPv4 packets are lost; the same seed loses the same packets of the same traffic.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PACKET_SIZE_MAX = 2048, QUEUE_LENGTH = 16384, READ_AT_ONCE = 64 };

struct packet {
  uint64_t due_ns;
  size_t length;
  uint8_t bytes[PACKET_SIZE_MAX];
};

/* What entered by one device and leaves by the other; a ring. */
struct direction {
  int from, to;
  struct packet *ring;
  uint64_t head, tail;
};

static volatile sig_atomic_t stopping = 0;
static uint64_t forwarded = 0, lost = 0, overflowed = 0;

static void stop(int signal_number) {
  (void)signal_number;
  stopping = 1;
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int open_device(const char *name) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) {
    fprintf(stderr, "%s: %s\n", name, strerror(errno));
    exit(1);
  }
  return device;
}

/* xorshift64: enough for losing packets. */
static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void take_in(struct direction *way, uint64_t delay_ns, unsigned loss, uint64_t *random_state) {
  for (int count = 0; count < READ_AT_ONCE; count += 1) {
    struct packet *slot = &way->ring[way->tail % QUEUE_LENGTH];
    uint8_t spare[PACKET_SIZE_MAX];
    int full = way->tail - way->head >= QUEUE_LENGTH;
    uint8_t *into = full ? spare : slot->bytes;
    ssize_t length = read(way->from, into, PACKET_SIZE_MAX);
    if (length <= 0) return;
    int is_ipv4 = (into[0] >> 4) == 4;
    if (full) {
      overflowed += 1;
    } else if (is_ipv4 && (next_random(random_state) >> 20) % 10000 < loss) {
      lost += 1;
    } else {
      slot->length = (size_t)length;
      slot->due_ns = now_ns() + delay_ns;
      way->tail += 1;
    }
  }
}

/* Lets out what is due; when the next one will be. */
static uint64_t let_out(struct direction *way, uint64_t at_ns) {
  while (way->head != way->tail) {
    struct packet *packet = &way->ring[way->head % QUEUE_LENGTH];
    if (packet->due_ns > at_ns) return packet->due_ns;
    if (write(way->to, packet->bytes, packet->length) < 0) overflowed += 1;
    else forwarded += 1;
    way->head += 1;
  }
  return UINT64_MAX;
}

int main(int count, char **words) {
  if (count != 6) {
    fprintf(stderr, "usage: %s DEVICE_A DEVICE_B DELAY_MICROSECONDS LOSS_PER_TEN_THOUSAND SEED\n", words[0]);
    return 2;
  }
  int devices[2] = {open_device(words[1]), open_device(words[2])};
  uint64_t delay_ns = strtoull(words[3], NULL, 10) * 1000u;
  unsigned loss = (unsigned)strtoul(words[4], NULL, 10);
  uint64_t random_state = strtoull(words[5], NULL, 10) * 2654435761u + 88172645463325252u;
  struct direction ways[2] = {{devices[0], devices[1], NULL, 0, 0}, {devices[1], devices[0], NULL, 0, 0}};
  for (int way = 0; way < 2; way += 1) {
    ways[way].ring = malloc(sizeof(struct packet) * QUEUE_LENGTH);
    if (ways[way].ring == NULL) return 1;
  }
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  printf("ready\n");
  fflush(stdout);
  while (!stopping) {
    uint64_t at_ns = now_ns();
    uint64_t next_ns = at_ns + 1000000000u;
    for (int way = 0; way < 2; way += 1) {
      uint64_t due_ns = let_out(&ways[way], at_ns);
      if (due_ns < next_ns) next_ns = due_ns;
    }
    at_ns = now_ns();
    uint64_t wait_ns = next_ns > at_ns ? next_ns - at_ns : 0;
    struct timespec wait = {(time_t)(wait_ns / 1000000000u), (long)(wait_ns % 1000000000u)};
    struct pollfd polled[3] = {{devices[0], POLLIN, 0}, {devices[1], POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    if (ppoll(polled, 3, &wait, NULL) <= 0) continue;
    for (int way = 0; way < 2; way += 1)
      if (polled[way].revents & POLLIN) take_in(&ways[way], delay_ns, loss, &random_state);
    if (polled[2].revents & (POLLIN | POLLHUP)) stopping = 1;
  }
  printf("forwarded %llu lost %llu overflowed %llu\n", (unsigned long long)forwarded, (unsigned long long)lost,
         (unsigned long long)overflowed);
  return 0;
}

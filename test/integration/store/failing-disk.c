/* While the file named by AXON_FAIL_WHEN exists, calls on files whose name ends with AXON_FAIL_ON fail with EIO: fsync and fdatasync, or
 * also writes when the control file is not empty. Loaded with LD_PRELOAD; a disk that stops taking data, as a program sees it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(int fd, int is_write) {
  const char *when = getenv("AXON_FAIL_WHEN"), *suffix = getenv("AXON_FAIL_ON");
  struct stat control;
  char link[64], name[4096];
  ssize_t length;
  if (!when || !suffix || stat(when, &control) != 0) return 0;
  if (is_write && control.st_size == 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink(link, name, sizeof name - 1);
  if (length < 0) return 0;
  name[length] = 0;
  if ((size_t)length < strlen(suffix) || strcmp(name + length - strlen(suffix), suffix) != 0) return 0;
  errno = EIO;
  return 1;
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

int fsync(int fd) { return fails(fd, 0) ? -1 : NEXT(int (*)(int), "fsync")(fd); }
int fdatasync(int fd) { return fails(fd, 0) ? -1 : NEXT(int (*)(int), "fdatasync")(fd); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return fails(fd, 1) ? -1 : NEXT(ssize_t (*)(int, const void *, size_t, off64_t), "pwrite64")(fd, data, size, at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  return fails(fd, 1) ? -1 : NEXT(ssize_t (*)(int, const void *, size_t, off_t), "pwrite")(fd, data, size, at);
}
ssize_t write(int fd, const void *data, size_t size) {
  return fails(fd, 1) ? -1 : NEXT(ssize_t (*)(int, const void *, size_t), "write")(fd, data, size);
}

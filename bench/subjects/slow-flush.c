/* Preloaded into a process, has each of its flushes take SLOW_FLUSH_MS. */
#include <stdlib.h>
#include <time.h>

static int wait_long(void) {
  const char *ms = getenv("SLOW_FLUSH_MS");
  const struct timespec time = {0, (ms ? atoi(ms) : 0) * 1000000L};
  nanosleep(&time, 0);
  return 0;
}

int fsync(int fd) { (void)fd; return wait_long(); }
int fdatasync(int fd) { (void)fd; return wait_long(); }

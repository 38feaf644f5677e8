/* A slow disk: every flush takes SLOW_FLUSH_MS longer. Loaded by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_the_disk(void) {
  const char *text = getenv("SLOW_FLUSH_MS");
  long ms = text == NULL ? 0 : atol(text);
  struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&time, NULL);
}

int fsync(int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_for_the_disk();
  return flush(file);
}

int fdatasync(int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_the_disk();
  return flush(file);
}

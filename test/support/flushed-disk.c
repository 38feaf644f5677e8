/*
 * Preloaded into a process, a disk of which one can tell what a power cut would leave: the content of a file when it was last
 * flushed is beside it, as <file>.flushed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t images = PTHREAD_MUTEX_INITIALIZER;

static int path_of(int descriptor, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 32);
  if (length <= 0) return 0;
  path[length] = '\0';
  const char *folder = getenv("FLUSHED_DISK_FOLDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

/* Through the descriptor that is there: to open and close the file would release SQLite's locks. */
static void keep_image(int descriptor, const char *path) {
  char image[PATH_MAX], draft[PATH_MAX], buffer[65536];
  snprintf(image, sizeof image, "%.*s.flushed", PATH_MAX - 32, path);
  snprintf(draft, sizeof draft, "%.*s.draft", PATH_MAX - 32, path);
  int copy = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (copy < 0) return;
  off_t at = 0;
  for (ssize_t count; (count = pread(descriptor, buffer, sizeof buffer, at)) > 0; at += count)
    if (write(copy, buffer, count) != count) abort();
  close(copy);
  rename(draft, image);
}

static int flush(const char *name, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  char path[PATH_MAX];
  if (!path_of(descriptor, path)) return real(descriptor);
  pthread_mutex_lock(&images);
  keep_image(descriptor, path);
  pthread_mutex_unlock(&images);
  return real(descriptor);
}

int fsync(int descriptor) { return flush("fsync", descriptor); }
int fdatasync(int descriptor) { return flush("fdatasync", descriptor); }

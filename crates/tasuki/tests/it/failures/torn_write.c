/* Tears one write to a database or its WAL. The test preloads it into the tool.
 *
 * TORN_CALL is the number of the write, TORN_WAY what happens after its first half: "short" (the
 * caller is told), "eio" or "enospc" (the next write of the caller fails), "kill". The file
 * TORN_MARK is created when it happens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t (*write_at)(int, const void *, size_t, off64_t);

static atomic_int calls;
static atomic_int failing;

static int is_of_store(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".db") != NULL && strstr(path, "-shm") == NULL;
}

static ssize_t torn(write_at real, int file, const void *bytes, size_t length, off64_t at) {
    const char *way = getenv("TORN_WAY");
    close(open(getenv("TORN_MARK"), O_CREAT | O_WRONLY, 0600));
    ssize_t written = real(file, bytes, length / 2, at);
    if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(way, "eio") == 0) failing = EIO;
    if (strcmp(way, "enospc") == 0) failing = ENOSPC;
    return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    write_at real = (write_at)dlsym(RTLD_NEXT, "pwrite64");
    if (!is_of_store(file)) return real(file, bytes, length, at);
    int error = atomic_exchange(&failing, 0);
    if (error != 0) {
        errno = error;
        return -1;
    }
    if (atomic_fetch_add(&calls, 1) + 1 == atoi(getenv("TORN_CALL")) && length > 1)
        return torn(real, file, bytes, length, at);
    return real(file, bytes, length, at);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
    return pwrite64(file, bytes, length, at);
}

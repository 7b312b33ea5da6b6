/* A disk that fails on demand: loaded into a program by LD_PRELOAD, it counts every write to a file, every sync, creation,
 * rename, truncation and removal, and interferes at the n-th. ZERMELO_FAULT says how:
 *
 *   kill:N  the process is killed (SIGKILL) in place of the n-th operation
 *   torn:N  the same, but half of the bytes of the n-th write reach the file
 *   full:N  from the n-th on, whatever needs space fails with ENOSPC: the disk is full
 *   once:N  the n-th fails with EIO, the following succeed
 *
 * When that happens, the file named by ZERMELO_FAULT_MARK is made, so that a test knows whether there was an n-th.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { NONE, KILL, TORN, FULL, ONCE };
enum kind { WRITE, SYNC, NAME, REMOVE };

static enum mode mode;
static long target;
static atomic_long count;

__attribute__((constructor)) static void start(void) {
    static const char *names[] = {"none:", "kill:", "torn:", "full:", "once:"};
    const char *text = getenv("ZERMELO_FAULT");
    for (int i = 1; text && i < 5; i++)
        if (!strncmp(text, names[i], 5)) { mode = i; target = atol(text + 5); }
}

static void mark(void) {
    const char *file = getenv("ZERMELO_FAULT_MARK");
    if (file) {
        int fd = syscall(SYS_openat, AT_FDCWD, file, O_CREAT | O_WRONLY, 0600);
        if (fd >= 0) syscall(SYS_close, fd);
    }
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Whether the operation fails; errno is set. *torn: half of a write is to be done before the end. */
static int strikes(enum kind kind, int *torn) {
    if (mode == NONE) return 0;
    long n = atomic_fetch_add(&count, 1) + 1;
    if (n < target || (n > target && mode != FULL)) return 0;
    if (n == target) mark();
    switch (mode) {
    case KILL: die(); break;
    case TORN:
        if (kind != WRITE || !torn) die();
        *torn = 1;
        return 0;
    case FULL:
        if (kind == REMOVE) return 0;
        errno = ENOSPC;
        return 1;
    case ONCE: errno = EIO; return 1;
    default: break;
    }
    return 0;
}

/* Terminals, pipes and sockets are nobody's data. */
static int counts(int fd) {
    struct stat s;
    int before = errno, is = !fstat(fd, &s) && (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
    errno = before;
    return is && fd > 2;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    int torn = 0;
    if (counts(fd) && strikes(WRITE, &torn)) return -1;
    if (torn) { real(fd, data, size / 2); die(); }
    return real(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    int torn = 0;
    if (counts(fd) && strikes(WRITE, &torn)) return -1;
    if (torn) { real(fd, data, size / 2, at); die(); }
    return real(fd, data, size, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    int torn = 0;
    if (counts(fd) && strikes(WRITE, &torn)) return -1;
    if (torn) { real(fd, parts, n / 2); die(); }
    return real(fd, parts, n);
}

int fsync(int fd) {
    REAL(int, fsync, int);
    return counts(fd) && strikes(SYNC, NULL) ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    return counts(fd) && strikes(SYNC, NULL) ? -1 : real(fd);
}

int ftruncate64(int fd, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    return counts(fd) && strikes(NAME, NULL) ? -1 : real(fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int fallocate64(int fd, int how, off64_t at, off64_t size) {
    REAL(int, fallocate64, int, int, off64_t, off64_t);
    return counts(fd) && strikes(WRITE, NULL) ? -1 : real(fd, how, at, size);
}

int posix_fallocate64(int fd, off64_t at, off64_t size) {
    REAL(int, posix_fallocate64, int, off64_t, off64_t);
    return counts(fd) && strikes(WRITE, NULL) ? errno : real(fd, at, size);
}

/* Files that are opened to be made. */
#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        int how = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
        va_end(rest); \
        return flags & O_CREAT && strikes(NAME, NULL) ? -1 : real(path, flags, how); \
    }

OPEN(open)
OPEN(open64)

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return strikes(NAME, NULL) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t how) {
    REAL(int, mkdir, const char *, mode_t);
    return strikes(NAME, NULL) ? -1 : real(path, how);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return strikes(REMOVE, NULL) ? -1 : real(path);
}

// SPDX-License-Identifier: Apache-2.0
// Functions that the harness and GCC's C++ library need and glibc 2.28 does not have yet: each does as it
// does in later versions.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32. False is always right: reference counts are then atomic.
extern char __libc_single_threaded;
HIDDEN char __libc_single_threaded = 0;

// glibc 2.36. For std::random_device.
HIDDEN uint32_t arc4random(void) {
    uint32_t word = 0;
    if (getrandom(&word, sizeof word, 0) != sizeof word) abort();
    return word;
}

// glibc 2.30. The wait is turned into one by the clock of the condition, that of the day. Setting that clock moves the
// end of the wait, and callers ask their own clock again.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
    struct timespec now;
    struct timespec today;
    if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &today) != 0) return EINVAL;
    const long second = 1000000000;
    long nanoseconds = until->tv_nsec - now.tv_nsec + today.tv_nsec;
    today.tv_sec += until->tv_sec - now.tv_sec;
    for (; nanoseconds < 0; nanoseconds += second) --today.tv_sec;
    today.tv_sec += nanoseconds / second;
    today.tv_nsec = nanoseconds % second;
    if (today.tv_sec < 0) return ETIMEDOUT;
    return pthread_cond_timedwait(condition, mutex, &today);
}

// glibc 2.34. Those that are open now: what this program opens itself is closed on exec.
HIDDEN int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int from) {
    DIR* open_files = opendir("/proc/self/fd");
    if (open_files == NULL) return errno;
    int result = 0;
    for (const struct dirent* entry; result == 0 && (entry = readdir(open_files)) != NULL;) {
        const int file = atoi(entry->d_name); // "." and ".." are 0
        if (file >= from && file != dirfd(open_files)) result = posix_spawn_file_actions_addclose(actions, file);
    }
    closedir(open_files);
    return result;
}

// glibc 2.32.
HIDDEN const char* sigabbrev_np(int signal) {
    static const struct {
        int number;
        const char* name;
    } names[] = {{SIGHUP, "HUP"},       {SIGINT, "INT"},   {SIGQUIT, "QUIT"},   {SIGILL, "ILL"},   {SIGTRAP, "TRAP"},
                 {SIGABRT, "ABRT"},     {SIGBUS, "BUS"},   {SIGFPE, "FPE"},     {SIGKILL, "KILL"}, {SIGUSR1, "USR1"},
                 {SIGSEGV, "SEGV"},     {SIGUSR2, "USR2"}, {SIGPIPE, "PIPE"},   {SIGALRM, "ALRM"}, {SIGTERM, "TERM"},
                 {SIGSTKFLT, "STKFLT"}, {SIGCHLD, "CHLD"}, {SIGCONT, "CONT"},   {SIGSTOP, "STOP"}, {SIGTSTP, "TSTP"},
                 {SIGTTIN, "TTIN"},     {SIGTTOU, "TTOU"}, {SIGURG, "URG"},     {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"},
                 {SIGVTALRM, "VTALRM"}, {SIGPROF, "PROF"}, {SIGWINCH, "WINCH"}, {SIGIO, "POLL"},   {SIGPWR, "PWR"},
                 {SIGSYS, "SYS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names[i].number == signal) return names[i].name;
    return NULL;
}

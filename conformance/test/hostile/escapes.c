// SPDX-License-Identifier: Apache-2.0
// Tries what a sandbox is to refuse, prints NAME=ERROR for each (0: it succeeded), and is then no backend. Nothing that
// succeeds does harm: signal 0 ends nobody. MXCERT_TEST_OUTSIDE names a folder with the file `secret`.
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): its name; for syscall() and prlimit() */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/backend.h"

enum { most_children = 256, longest_path = 4096 };

static void say(const char* name, long result) { fprintf(stderr, "%s=%d\n", name, result < 0 ? errno : 0); }

static void join(char path[longest_path], const char* folder, const char* file) {
    if (snprintf(path, longest_path, "%s/%s", folder == NULL ? "" : folder, file) >= longest_path) path[0] = 0;
}

static void open_it(const char* name, const char* folder, const char* file, int flags) {
    char path[longest_path];
    join(path, folder, file);
    const int opened = open(path, flags, 0600);
    say(name, opened);
    if (opened >= 0) close(opened);
}

static void connect_it(int family) {
    const int opened = socket(family, SOCK_STREAM, 0);
    say(family == AF_UNIX ? "local_socket" : "socket", opened);
    if (opened >= 0) close(opened);
}

/// How many children there can be at once.
static void fork_many(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NPROC, &limit);
    fprintf(stderr, "process_limit=%d\n", limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur);
    pid_t children[most_children];
    int count = 0;
    for (; count < most_children; ++count) {
        children[count] = fork();
        if (children[count] < 0) break;
        if (children[count] == 0) {
            pause();
            _exit(0);
        }
    }
    fprintf(stderr, "children=%d\n", count);
    for (int i = 0; i < count; ++i) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
}

static void raise_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = limit.rlim_max;
    say("raise_limit", setrlimit(RLIMIT_NPROC, &limit));
}

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t abi_major) {
    (void)abi_major;
    const char* outside = getenv("MXCERT_TEST_OUTSIDE");
    const char* temporary = getenv("TMPDIR");
    const pid_t parent = getppid();
    connect_it(AF_INET);
    connect_it(AF_UNIX);
    open_it("write_outside", outside, "made", O_CREAT | O_WRONLY);
    open_it("change_outside", outside, "secret", O_WRONLY);
    open_it("write_temporary", temporary, "made", O_CREAT | O_WRONLY);
    open_it("read_outside", outside, "secret", O_RDONLY);
    open_it("read_library", "/bin", "sh", O_RDONLY);
    open_it("read_zero", "/dev", "zero", O_RDONLY);
    open_it("write_null", "/dev", "null", O_WRONLY);
    say("kill_parent", kill(parent, 0));
    say("kill_parent_thread", syscall(SYS_tgkill, parent, parent, 0));
    say("kill_itself", kill(getpid(), 0));
    say("ptrace_parent", ptrace(PTRACE_SEIZE, parent, NULL, NULL));
    say("unshare", syscall(SYS_unshare, 0x10000000)); // CLONE_NEWUSER
    say("limit_parent", prlimit(parent, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL));
    raise_limit();
    char secret[longest_path];
    join(secret, outside, "secret");
    say("chmod_outside", chmod(secret, 0666));
    fork_many();
    // A folder that cannot be listed is to be removed too.
    char hidden[longest_path];
    join(hidden, temporary, "hidden");
    if (temporary != NULL && mkdir(hidden, 0300) == 0) open_it("write_hidden", hidden, "made", O_CREAT | O_WRONLY);
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The portable backend, and one thing that a backend must not do, or that the worker has to stand. Its option names it,
 * WAY or WAY:ARGUMENT; the environment variable MXCERT_TEST_WAY does before open(), and later if there is no option.
 * Without either it is right. What the ways are is the list `ways` below. A test learns (reached.h) of each run of an
 * operation, and of a hang.
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): its name */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/backend.h"
#include "conformance/test/reached.h"

/* mxcert_get_api() of the portable backend, which is built under this name here. */
const mxcert_api* ways_portable_api(uint32_t host_abi_major);

typedef const mxcert_convert_args* Args;

static const mxcert_api* portable;
static mxcert_api api;
static char way[64];
static char argument[1024];
static int calls;
static pid_t harness;

static int is(const char* name) { return strcmp(way, name) == 0; }
static uint32_t number(void) { return (uint32_t)strtoul(argument, NULL, 16); }
static uint8_t* output(Args args) { return (uint8_t*)args->output; }

static void crash(void) { raise(SIGSEGV); }
static void hang(void) {
    test_reached();
    for (;;) pause();
}

/* The place of an FP16 input in a batch, or -1; of another format no input is looked for. */
static int64_t place(Args args, uint32_t input) {
    if (strcmp(api.conversions[args->conversion].source, "fp16") != 0) return -1;
    for (uint64_t i = 0; i < args->count; ++i)
        if (((const uint16_t*)args->input)[i] == input) return (int64_t)i;
    return -1;
}

/* ---- What ends or holds the worker. ---- */

static void crash_one(Args args) {
    if (place(args, number()) >= 0) crash();
}
static void crash_two(Args args) {
    if (place(args, 0x3C01) >= 0 || place(args, 0x3C05) >= 0) crash();
}
static void crash_together(Args args) {
    if (place(args, 0x3C01) >= 0 && place(args, 0x3C81) >= 0) crash();
}
/* Only where a batch is cut oddly. */
static void crash_odd(Args args) {
    if (args->count % 2 == 1 && place(args, number()) >= 0) crash();
}
/* Once in the life of a file that the argument names. */
static void crash_once(Args args) {
    const int made = open(argument, O_CREAT | O_EXCL | O_WRONLY, 0600);
    (void)args;
    if (made >= 0) crash();
}
static void hang_one(Args args) {
    if (place(args, number()) >= 0) hang();
}
static void hang_deaf(Args args) {
    sigset_t all;
    (void)args;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    signal(SIGTERM, SIG_IGN);
    hang();
}
static void call_crash(Args args) { (void)args, crash(); }
static void call_hang(Args args) { (void)args, hang(); }
static void call_abort(Args args) { (void)args, abort(); }
static void call_exit(Args args) { (void)args, exit(0); }

/* ---- Processes and descriptors. ---- */

/* A child that stays; how far it goes away from its parent is the argument: 0 not, 1 its session, 2 its parent too. */
static void leave_child(Args args) {
    static int done;
    (void)args;
    if (done++ != 0) return;
    if (fork() != 0) return;
    if (number() >= 1) setsid();
    if (number() >= 2) {
        if (fork() != 0) _exit(0);
        for (int fd = 0; fd < 1024; ++fd) close(fd);
    }
    signal(SIGTERM, SIG_IGN);
    hang();
}
/* The child answers first and takes the request that follows with it; then the parent gives its own, late answer. */
static void fork_both(Args args) {
    static int in_child;
    pid_t child;
    (void)args;
    if (in_child) _exit(0);
    if (calls != 2) return;
    child = fork();
    if (child == 0)
        in_child = 1;
    else
        (void)waitpid(child, NULL, 0);
}
static void close_all(Args args) {
    (void)args;
    for (int fd = 0; fd < 1024; ++fd) close(fd);
}
static void close_standard(Args args) {
    (void)args;
    for (int fd = 0; fd < 3; ++fd) close(fd);
}
static void flood(Args args) {
    (void)args;
    for (int i = 0; i < 500; ++i) {
        (void)!write(1, "a line on standard output that must not reach the frames\n", 57);
        (void)!write(2, "a line on standard error that somebody has to read\n", 51);
    }
}
static void eat_memory(Args args) {
    (void)args;
    for (;;) {
        const size_t bytes = (size_t)16 << 20;
        char* more = (char*)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) abort();
        memset(more, 1, bytes);
        usleep(500); /* so that nobody's machine suffers if the limit should fail */
    }
}

/* ---- Wrong answers and none. ---- */

static void write_before(Args args) { output(args)[-1] ^= 0xFF; }
static void write_after(Args args) { output(args)[args->count] ^= 0xFF; }
static void write_far(Args args) { output(args)[200000] ^= 0xFF; }
static void write_far_one(Args args) {
    if (place(args, number()) >= 0) write_far(args);
}
/* In the call of that number alone. */
static void write_far_at(Args args) {
    if ((uint32_t)calls == number()) write_far(args);
}
static void zeros(Args args) { memset(args->output, 0, args->count); }
static void wrong(Args args) {
    const int64_t at = place(args, number());
    if (at >= 0) output(args)[at] ^= 1u;
}
static void last_bit(Args args) {
    for (uint64_t i = 0; i < args->count; ++i) output(args)[i] ^= 1u;
}
/* NaN has the sign of its lowest bit: permitted where any NaN is. */
static void alternate_nan(Args args) {
    const int wide = strcmp(api.conversions[args->conversion].source, "fp32") == 0;
    for (uint64_t i = 0; i < args->count; ++i) {
        const uint32_t given = wide ? ((const uint32_t*)args->input)[i] : 0;
        if ((given & 0x7FFFFFFFu) > 0x7F800000u) output(args)[i] = (uint8_t)(0x7Fu | (given & 1u) << 7);
    }
}
/* The same, and one number in it is wrong. */
static void alternate_and_wrong(Args args) {
    alternate_nan(args);
    for (uint64_t i = 0; i < args->count; ++i)
        if (((const uint32_t*)args->input)[i] == 0x3F880001u) output(args)[i] ^= 1u;
}
static void alternate_and_lose_large(Args args) {
    alternate_nan(args);
    for (uint64_t i = UINT64_C(1) << 16; i < args->count; ++i) ((uint8_t*)args->output)[i] = 0;
}
static void swap(Args args) {
    const int64_t a = place(args, 0x3C00);
    const int64_t b = place(args, 0x4000);
    const uint8_t one = 0x38;
    const uint8_t two = 0x40;
    if (a >= 0) output(args)[a] = two;
    if (b >= 0) output(args)[b] = one;
}
static void lose_nan(Args args) {
    const int64_t at = place(args, 0x7E00);
    if (at >= 0) output(args)[at] = 0x7E;
}
static void make_nan(Args args) {
    const int64_t at = place(args, 0x3C00);
    if (at >= 0) output(args)[at] = 0x7F;
}
/* NaN has another sign in the first process that finds no file of the argument's name. */
static void by_process(Args args) {
    static int first = -1;
    if (first < 0) first = open(argument, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
    for (uint64_t i = 0; first && i < args->count; ++i)
        if ((output(args)[i] & 0x7F) == 0x7F) output(args)[i] ^= 0x80;
}
static void by_call(Args args) {
    if (calls % 2 != 0) output(args)[0] ^= 1u;
}

/* ---- What a process shares with the worker. ---- */

/* As a kernel in floating point would be: wrong once the sums are no longer rounded to nearest, or subnormals lost. */
static void wrong_if_changed(Args args) {
    volatile float one = 1.0F;
    volatile float little = 0x1.8p-25F;
    volatile float subnormal = 0x1p-149F;
    if (one + little != 1.0F || subnormal * one == 0.0F) output(args)[0] ^= 1u;
}
static void leave_rounding(Args args) {
    wrong_if_changed(args);
    fesetround(FE_UPWARD);
}
static void set_flush(void) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}
static void leave_flush(Args args) {
    wrong_if_changed(args);
    set_flush();
}
/* open() wants its calls to flush: without that it is wrong. */
static void needs_flush(Args args) {
#if defined(__x86_64__)
    volatile float subnormal = 0x1p-149F;
    volatile float one = 1.0F;
    if (subnormal * one != 0.0F) output(args)[0] ^= 1u;
#else
    (void)args;
#endif
}
static void leave_locale(Args args) {
    (void)args;
    setlocale(LC_ALL, "de_DE.UTF-8");
}
static void leave_signals(Args args) {
    sigset_t all;
    (void)args;
    for (int s = 1; s < 32; ++s) signal(s, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}
static void leave_folder(Args args) {
    (void)args;
    (void)!chdir("/");
    clearenv();
    umask(0777);
}
static void on_tick(int s) { (void)s; }
static void leave_timer(Args args) {
    const struct itimerval often = {{0, 50}, {0, 50}};
    struct sigaction action;
    (void)args;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick; /* without SA_RESTART: every read and write of the worker may be interrupted */
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}
static void leave_alarm(Args args) {
    const struct itimerval once = {{0, 0}, {0, 10000}};
    if (place(args, 0) >= 0) setitimer(ITIMER_REAL, &once, NULL);
    usleep(1000);
}

/* Each happens after the batch was converted as it should be. */
static const struct {
    const char* name;
    void (*run)(Args);
} ways[] = {
    {"crash", call_crash},
    {"crash_one", crash_one},
    {"crash_two", crash_two},
    {"crash_together", crash_together},
    {"crash_odd", crash_odd},
    {"crash_once", crash_once},
    {"abort", call_abort},
    {"exit", call_exit},
    {"hang", call_hang},
    {"hang_one", hang_one},
    {"hang_deaf", hang_deaf},
    {"leave_child", leave_child},
    {"fork_both", fork_both},
    {"close_all", close_all},
    {"close_standard", close_standard},
    {"flood", flood},
    {"eat_memory", eat_memory},
    {"write_before", write_before},
    {"write_after", write_after},
    {"write_far", write_far},
    {"write_far_one", write_far_one},
    {"write_far_at", write_far_at},
    {"zeros", zeros},
    {"wrong", wrong},
    {"wrong_and_unable", wrong},
    {"last_bit", last_bit},
    {"swap", swap},
    {"alternate_nan", alternate_nan},
    {"alternate_and_wrong", alternate_and_wrong},
    {"alternate_and_lose_large", alternate_and_lose_large},
    {"lose_nan", lose_nan},
    {"make_nan", make_nan},
    {"by_process", by_process},
    {"by_call", by_call},
    {"leave_rounding", leave_rounding},
    {"leave_flush", leave_flush},
    {"needs_flush", needs_flush},
    {"leave_locale", leave_locale},
    {"leave_signals", leave_signals},
    {"leave_folder", leave_folder},
    {"leave_timer", leave_timer},
    {"leave_alarm", leave_alarm},
};

static void choose(const char* text) {
    const char* colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    snprintf(way, sizeof way, "%.*s", (int)length, text);
    snprintf(argument, sizeof argument, "%s", colon != NULL ? colon + 1 : "");
}

static int32_t open_ways(const char* options) {
    if (*options != '\0') choose(options);
    if (is("open_crash")) crash();
    if (is("open_hang")) hang();
    if (is("needs_flush")) set_flush();
    return is("open_error") ? MXCERT_ERROR : MXCERT_OK;
}

static int32_t convert(Args args) {
    ++calls;
    /* Nothing, or the first time only: what stands in the buffer afterwards is of somebody else. */
    if (is("write_nothing") || (is("write_once") && calls > 1)) return MXCERT_OK;
    if (is("refuse")) return MXCERT_ERROR;
    if (is("unable")) return MXCERT_UNSUPPORTED;
    /* After it has answered a part, rightly or not. */
    if ((is("unable_late") || is("wrong_and_unable")) && place(args, 0xC000) >= 0) return MXCERT_UNSUPPORTED;
    if (is("too_few")) {
        mxcert_convert_args fewer = *args;
        fewer.count = args->count / 2;
        return fewer.count == 0 ? MXCERT_OK : portable->convert(&fewer);
    }
    const int32_t status = portable->convert(args);
    if (status != MXCERT_OK) return status;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i)
        if (is(ways[i].name)) ways[i].run(args);
    return MXCERT_OK;
}

static int32_t run(const mxcert_run_args* args) {
    test_reached();
    return portable->run(args);
}

static const char* last_error(void) { return "as it was asked to"; }

/* Returns when no signal to the process waits to be taken by one of its threads. */
static void wait_for_signals_of(pid_t process) {
    char name[64];
    char line[256];
    unsigned long long pending = 1;
    snprintf(name, sizeof name, "/proc/%d/status", (int)process);
    while (pending != 0) {
        FILE* status = fopen(name, "r");
        pending = 0;
        while (status != NULL && fgets(line, sizeof line, status) != NULL) sscanf(line, "ShdPnd: %llx", &pending);
        if (status != NULL) fclose(status);
    }
}

static void close_ways(void) {
    if (is("close_crash")) crash();
    if (is("close_hang")) hang();
    if (is("stop_harness")) {
        if (getppid() == harness) kill(harness, SIGTERM); /* not who takes its orphans */
        wait_for_signals_of(harness);
        crash();
    }
}

__attribute__((constructor)) static void at_load(void) {
    const char* early = getenv("MXCERT_TEST_WAY");
    harness = getppid();
    if (early == NULL) return;
    choose(early);
    if (is("load_crash")) crash();
    if (is("load_hang")) hang();
}

__attribute__((destructor)) static void at_exit(void) {
    if (is("exit_crash")) crash();
    if (is("exit_hang")) hang();
}

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (is("get_api_crash")) crash();
    if (is("get_api_hang")) hang();
    portable = ways_portable_api(host_abi_major);
    if (portable == NULL) return NULL;
    api = *portable;
    api.name = "ways";
    api.open = open_ways;
    api.convert = convert;
    api.run = run;
    api.close = close_ways;
    api.last_error = last_error;
    return &api;
}

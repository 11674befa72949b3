// SPDX-License-Identifier: Apache-2.0
#pragma once

// What has passed elsewhere without being checked, and backends that misbehave: what is done, and what must come of it.
// Every status and exit code was written by hand. docs/immunity.md is this table for readers.
namespace mxcert::test {

/// Something that went unseen somewhere, or a kind of backend.
struct Group {
    const char* id;
    const char* what;
};
constexpr Group groups[] = {
    {"V1", "testfloat_ver takes an empty or truncated stream for success"},
    {"V2", "riscof loses its exit code under one option"},
    {"V3", "core-math prints that all is well after a failure, under one option"},
    {"V4", "OpenCL CTS had two counters of failures"},
    {"V5", "ONNX's runner takes 'not supposed to implement' for a pass"},
    {"V6", "LLVM's runner passes where no configuration was run"},
    {"V7", "simdjson's number check is empty on an unknown platform"},
    {"V8", "riscof's comparison stops at the shorter of two files"},
    {"V9", "libcrux counted an error of the backend as success"},
    {"V10", "OpenCL CTS left special values out"},
    {"V11", "a comparison that was never called"},
    {"V12", "ctest returns 0 where it finds no tests"},
    {"V13", "ctest's WILL_FAIL takes 'command not found' for the expected failure"},
    {"V14", "OpenCL CTS printed values that were not those compared"},
    {"V15", "a kernel that never ran, compared by an old buffer"},
    {"H01", "expected values made by the code under test"},
    {"H02", "a tolerance wider than the values"},
    {"H03", "NaN compared in one direction, or as a number"},
    {"H04", "a reference that is wrong"},
    {"H05", "a similarity instead of equality"},
    {"H06", "random inputs alone"},
    {"H07", "a claim about what was not run"},
    {"load", "plugins that cannot be loaded"},
    {"crash", "crashes"},
    {"hang", "hangs"},
    {"process", "processes, descriptors, memory"},
    {"buffer", "wrong buffers and wrong counts"},
    {"state", "answers that change, and state of the process that is left changed"},
};

struct Case {
    const char* group;
    const char* what;
    const char* command; ///< in a folder with the backends; {fp16} and {e5m2} stand for the options below
    const char* status;  ///< of the first row of the report; "" where there is no report
    int code;            ///< exit code
    const char* says;    ///< each part between bars stands in the output
};

/// One conversion of a 16-bit source, all of whose inputs are sent twice.
constexpr const char* fp16_options = "--filter fp16-e4m3-nearest_even-sat --profile ocp-sat --jobs 1";
constexpr const char* e5m2_options = "--filter fp16-e5m2-nearest_even-nosat --profile ocp-nosat --jobs 1";

constexpr Case cases[] = {
    {"V1", "nothing comes, and the program ends as if all were well",
     "mxcert certify ./rude --backend-option eof {e5m2}", "ERROR", 3, "exit 0"},
    {"V1", "the stream ends within a frame", "mxcert certify ./rude --backend-option cut_frame {e5m2}", "ERROR", 3,
     "stream ends at byte"},
    {"V1", "the run is stopped by a signal",
     "timeout --preserve-status -s INT 1 mxcert certify ./ways.so --backend-option hang --timeout 60 {fp16}",
     "INCOMPLETE", 3, "stopped|Stopped by a signal"},
    {"V1", "a record whose last row is cut off", "mxcert certify cut", "", 2, "cut/fp16-e4m3-nearest_even-sat.csv"},
    {"V5", "a backend that cannot do what it offers", "mxcert certify ./ways.so --backend-option unable {fp16}",
     "UNSUPPORTED", 4, "NOTHING CHECKED"},
    {"V5", "the same, where it is required",
     "mxcert certify ./ways.so --backend-option unable {fp16} --require fp16-e4m3-nearest_even-sat", "UNSUPPORTED", 1,
     "FAIL: ways"},
    {"V6", "a filter that selects nothing", "mxcert certify portable --filter 'no-such-*'", "", 4, "NOTHING CHECKED"},
    {"V7", "a backend that offers nothing known", "mxcert certify ./strangers.so --profile ocp-sat", "", 4,
     "NOTHING CHECKED|not understood (2)"},
    {"V8", "a result of one value fewer than asked", "mxcert certify ./rude --backend-option wrong_count {e5m2}",
     "ERROR", 3, "RESULT of 4095 values to a request of 4096"},
    {"V8", "one byte fewer than the result says", "mxcert certify ./rude --backend-option short_outputs {e5m2}",
     "ERROR", 3, "4095 bytes of outputs instead of 4096"},
    {"V9", "every call returns an error", "mxcert certify ./ways.so --backend-option refuse {fp16}", "ERROR", 3,
     "the backend failed|as it was asked to"},
    {"V9", "open() returns an error", "mxcert certify ./ways.so --backend-option open_error {fp16}", "ERROR", 3,
     "open() returned"},
    {"V10", "one NaN is wrong", "mxcert certify ./ways.so --backend-option wrong:7C01 {fp16}", "FAIL", 1,
     "7C01|1 of 65,536 inputs"},
    {"V10", "infinity is wrong", "mxcert certify ./ways.so --backend-option wrong:FC00 {fp16}", "FAIL", 1,
     "FC00|1 of 65,536 inputs"},
    {"V10", "negative zero is wrong", "mxcert certify ./ways.so --backend-option wrong:8000 {fp16}", "FAIL", 1,
     "8000|1 of 65,536 inputs"},
    {"V10", "the smallest subnormal is wrong", "mxcert certify ./ways.so --backend-option wrong:0001 {fp16}", "FAIL", 1,
     "0001|1 of 65,536 inputs"},
    {"V13", "the worker is not there", "MXCERT_WORKER=/no/such/worker mxcert certify portable {fp16}", "ERROR", 3,
     "/no/such/worker"},
    {"V15", "it never writes", "mxcert certify ./ways.so --backend-option write_nothing {fp16}", "MISTRUSTED", 1,
     "65536 of 65536 values of the output were not written"},
    {"V15", "it writes the first time only", "mxcert certify ./ways.so --backend-option write_once {fp16}", "ERROR", 3,
     "answers changed when asked again"},
    {"H02", "all answers are zero", "mxcert certify ./ways.so --backend-option zeros {fp16}", "MISTRUSTED", 1,
     "one constant"},
    {"H02", "every answer is one code off", "mxcert certify ./ways.so --backend-option last_bit {fp16}", "FAIL", 1,
     "give what is not permitted"},
    {"H03", "a number for a NaN", "mxcert certify ./ways.so --backend-option lose_nan {fp16}", "FAIL", 1,
     "7E00 gives 7E"},
    {"H03", "a NaN for a number", "mxcert certify ./ways.so --backend-option make_nan {fp16}", "FAIL", 1,
     "3C00 gives 7F"},
    {"H03", "another NaN than the reference's, and a NaN is all that is asked for", "mxcert certify ./rude {e5m2}",
     "PASS", 0, "PASS: rude"},
    {"H05", "the answers to 1 and 2 are exchanged", "mxcert certify ./ways.so --backend-option swap {fp16}", "FAIL", 1,
     "2 of 65,536 inputs"},
    {"H06", "one FP32 input of 2^32 is one code off",
     "mxcert certify ./planted.so --backend-option C07FFFFF --profile ocp-sat --filter fp32-e4m3-nearest_even-sat",
     "FAIL", 1, "C07FFFFF|1 of 4,294,967,296 inputs"},
    {"H07", "a part was run", "mxcert certify portable {fp16}", "PASS", 0, "This is no certificate"},
    {"H07", "one input was run",
     "mxcert certify portable --profile ocp-sat --reproduce fp16-e4m3-nearest_even-sat:3C00", "PASS", 0,
     "This is no certificate"},

    {"load", "there is no such file", "mxcert certify ./nothing.so", "", 2, "nothing.so"},
    {"load", "no library", "mxcert certify ./text.so", "ERROR", 3, "cannot be loaded"},
    {"load", "a library, and no backend", "mxcert certify ./no_symbol.so", "ERROR", 3,
     "has no function mxcert_get_api"},
    {"load", "another version of the interface", "mxcert certify ./wrong_major.so", "ERROR", 3,
     "was built for version"},
    {"load", "it gives NULL", "mxcert certify ./null_api.so", "ERROR", 3, "returned NULL"},
    {"load", "a struct that is too small", "mxcert certify ./small_struct.so", "ERROR", 3, "struct_size is 8"},
    {"load", "a crash while it is loaded", "MXCERT_TEST_WAY=load_crash mxcert certify ./ways.so {fp16}", "ERROR", 3,
     "did not start: signal 11 (SIGSEGV)"},
    {"load", "a crash in mxcert_get_api()", "MXCERT_TEST_WAY=get_api_crash mxcert certify ./ways.so {fp16}", "ERROR", 3,
     "did not start: signal 11 (SIGSEGV)"},
    {"load", "a hang while it is loaded", "MXCERT_TEST_WAY=load_hang mxcert certify ./ways.so {fp16} --start-timeout 1",
     "ERROR", 3, "did not start: timeout: nothing came within 1 s"},
    {"load", "a hang in mxcert_get_api()",
     "MXCERT_TEST_WAY=get_api_hang mxcert certify ./ways.so {fp16} --start-timeout 1", "ERROR", 3,
     "did not start: timeout: nothing came within 1 s"},

    {"crash", "in open()", "mxcert certify ./ways.so --backend-option open_crash {fp16}", "ERROR", 3,
     "signal 11 (SIGSEGV)"},
    {"crash", "at every call", "mxcert certify ./ways.so --backend-option crash {fp16}", "ERROR", 3,
     "signal 11 (SIGSEGV) at input 0000, and at 0FFF too; 4 requests failed, given up"},
    {"crash", "at one input", "mxcert certify ./ways.so --backend-option crash_one:3C01 {fp16}", "ERROR", 3,
     "signal 11 (SIGSEGV) at input 3C01\n|65,535|again:    mxcert certify ./ways.so --profile ocp-sat "
     "--backend-option=crash_one:3C01 --reproduce fp16-e4m3-nearest_even-sat:3C01"},
    {"crash", "the same input alone, as the reproduction line asks for it",
     "mxcert certify ./ways.so --profile ocp-sat --backend-option=crash_one:3C01 --reproduce "
     "fp16-e4m3-nearest_even-sat:3C01",
     "ERROR", 3, "signal 11 (SIGSEGV) at input 3C01"},
    {"crash", "at two inputs of one request", "mxcert certify ./ways.so --backend-option crash_two {fp16}", "ERROR", 3,
     "at input 3C01; signal 11 (SIGSEGV) at input 3C05|65,534"},
    {"crash", "where two inputs are in one batch", "mxcert certify ./ways.so --backend-option crash_together {fp16}",
     "ERROR", 3, "only within a request of 256 inputs, 3C00 to 3CFF|65,536"},
    {"crash", "once, and never again", "mxcert certify ./ways.so --backend-option crash_once:$PWD/once {fp16}", "ERROR",
     3, "not again when a new worker was asked the same|65,536"},
    {"crash", "abort()", "mxcert certify ./ways.so --backend-option abort {fp16}", "ERROR", 3, "signal 6 (SIGABRT)"},
    {"crash", "exit(0) within a call", "mxcert certify ./ways.so --backend-option exit {fp16}", "ERROR", 3, "exit 0"},
    {"crash", "in close()", "mxcert certify ./ways.so --backend-option close_crash {fp16}", "ERROR", 3,
     "did not end well: signal 11 (SIGSEGV), before its END"},
    {"crash", "when its process ends", "mxcert certify ./ways.so --backend-option exit_crash {fp16}", "ERROR", 3,
     "did not end well: signal 11 (SIGSEGV), after its END"},

    {"hang", "in open()", "mxcert certify ./ways.so --backend-option open_hang {fp16} --timeout 0.3", "ERROR", 3,
     "timeout: nothing came within 0.3 s"},
    {"hang", "at every call", "mxcert certify ./ways.so --backend-option hang {fp16} --timeout 0.3", "ERROR", 3,
     "timeout: nothing came within 0.3 s at input 0000, and at 0FFF too; 4 requests failed, given up"},
    {"hang", "at one input", "mxcert certify ./ways.so --backend-option hang_one:3C01 {fp16} --timeout 1", "ERROR", 3,
     "at input 3C01\n|65,535|--reproduce fp16-e4m3-nearest_even-sat:3C01"},
    {"hang", "deaf to signals", "mxcert certify ./ways.so --backend-option hang_deaf {fp16} --timeout 0.3", "ERROR", 3,
     "timeout: nothing came within 0.3 s"},
    {"hang", "in close()", "mxcert certify ./ways.so --backend-option close_hang {fp16} --timeout 1", "ERROR", 3,
     "did not end well: timeout"},
    {"hang", "when its process ends", "mxcert certify ./ways.so --backend-option exit_hang {fp16} --timeout 1", "ERROR",
     3, "did not end well: timeout"},
    {"hang", "a program that never answers", "mxcert certify ./rude --backend-option no_result {e5m2} --timeout 0.3",
     "ERROR", 3, "timeout: nothing came within 0.3 s"},

    {"process", "a child that stays", "mxcert certify ./ways.so --backend-option leave_child:0 {fp16}", "PASS", 0,
     "PASS: ways"},
    {"process", "a child that leaves its session", "mxcert certify ./ways.so --backend-option leave_child:1 {fp16}",
     "PASS", 0, "PASS: ways"},
    {"process", "a child that leaves its session and its parent, and closes everything",
     "mxcert certify ./ways.so --backend-option leave_child:2 {fp16}", "PASS", 0, "PASS: ways"},
    {"process", "a child that answers too", "mxcert certify ./ways.so --backend-option fork_both {fp16}", "ERROR", 3,
     "broke the protocol"},
    {"process", "it closes every descriptor", "mxcert certify ./ways.so --backend-option close_all {fp16}", "ERROR", 3,
     "exit 1"},
    {"process", "it closes the standard streams", "mxcert certify ./ways.so --backend-option close_standard {fp16}",
     "PASS", 0, "PASS: ways"},
    {"process", "it floods standard output and standard error",
     "mxcert certify ./ways.so --backend-option flood {fp16}", "PASS", 0, "PASS: ways"},
    {"process", "it takes all memory", "mxcert certify ./ways.so --backend-option eat_memory {fp16} --memory-limit 200",
     "ERROR", 3, "MiB of memory, the limit is 200 MiB (--memory-limit)"},

    {"buffer", "a byte before its output", "mxcert certify ./ways.so --backend-option write_before {fp16}", "ERROR", 3,
     "wrote outside its output buffer"},
    {"buffer", "a byte after its output", "mxcert certify ./ways.so --backend-option write_after {fp16}", "ERROR", 3,
     "wrote outside its output buffer"},
    {"buffer", "a byte far from its output", "mxcert certify ./ways.so --backend-option write_far {fp16}", "ERROR", 3,
     "wrote far outside its output buffer"},
    {"buffer", "half of the results", "mxcert certify ./ways.so --backend-option too_few {fp16}", "FAIL", 1,
     "also answers changed when asked again"},
    {"buffer", "each answer twice", "mxcert certify ./rude --backend-option twice {e5m2}", "ERROR", 3,
     "broke the protocol: answered request 2 with id 1"},
    {"buffer", "the id of another request", "mxcert certify ./rude --backend-option wrong_id {e5m2}", "ERROR", 3,
     "answered request 1 with id 2"},
    {"buffer", "a result more than asked for", "mxcert certify ./rude --backend-option extra_frame {e5m2}", "ERROR", 3,
     "sent RESULT instead of END"},

    {"state", "every other call answers otherwise", "mxcert certify ./ways.so --backend-option by_call {fp16}", "FAIL",
     1, "also answers changed when asked again"},
    {"state", "every process answers otherwise",
     "mxcert certify ./ways.so --backend-option by_process:$PWD/first {fp16}", "ERROR", 3,
     "another worker gives other answers"},
    {"state", "a rounding mode left behind", "mxcert certify ./ways.so --backend-option leave_rounding {fp16}", "PASS",
     0, "PASS: ways"},
    {"state", "flush flags left behind", "mxcert certify ./ways.so --backend-option leave_flush {fp16}", "PASS", 0,
     "PASS: ways"},
    {"state", "open() sets the flush flags its calls need",
     "mxcert certify ./ways.so --backend-option needs_flush {fp16}", "PASS", 0, "PASS: ways"},
    {"state", "another locale", "mxcert certify ./ways.so --backend-option leave_locale {fp16}", "PASS", 0,
     "PASS: ways"},
    {"state", "all signals ignored and blocked", "mxcert certify ./ways.so --backend-option leave_signals {fp16}",
     "PASS", 0, "PASS: ways"},
    {"state", "another folder, no environment", "mxcert certify ./ways.so --backend-option leave_folder {fp16}", "PASS",
     0, "PASS: ways"},
    {"state", "a timer that interrupts every system call",
     "mxcert certify ./ways.so --backend-option leave_timer {fp16}", "PASS", 0, "PASS: ways"},
    {"state", "an alarm that nobody waits for", "mxcert certify ./ways.so --backend-option leave_alarm {fp16}", "ERROR",
     3, "signal 14 (SIGALRM)"},
};

/// What is checked of our own code; each is a test case of nothing_passes_test.cpp with this name.
struct Check {
    const char* group;
    const char* what;
};
constexpr Check checks[] = {
    {"V2", "V2: the exit code is the same under every option"},
    {"V3", "V3 and V4: exit code, counts, rows, JUnit and text of one run agree"},
    {"V10", "V10: the inputs compared of each class of value are as many as there are"},
    {"V11", "V11: a comparison that finds nothing gives no verdict"},
    {"V12", "V12 and V13: no tests found is a failure, and no test is expected to fail"},
    {"V14", "V14: the line of a failure, run again, shows the same failure"},
    {"H01", "H01: the golden tables hold values typed by hand"},
    {"H04", "H04: a damaged golden file is found before it judges"},
};

} // namespace mxcert::test

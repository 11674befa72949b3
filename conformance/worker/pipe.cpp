// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/pipe.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "conformance/frames/words.hpp"
#include "conformance/worker/line_program.hpp"
#include "conformance/worker/refused.hpp"
#include "reference/format.hpp"

namespace mxcert::worker {
namespace {

/// How long nothing may come, with every input sent, before the program is taken for one that keeps its answers until
/// its input ends: programs do that whose standard output is not a terminal.
constexpr int patience_ms = 250;
constexpr int for_ever = -1;
/// As much as a pipe takes.
constexpr std::size_t sent_at_once = 65'536;

/// When a program gives its answers.
enum class Flush : std::uint8_t { unknown, by_line, at_end };

/// "0x3F880001", with as many digits as the format has.
void append_hex(std::string& text, Code code, int width) {
    for (int shift = (width + 3) / 4 * 4; shift > 0;) {
        shift -= 4;
        text += "0123456789ABCDEF"[code >> shift & 0xF];
    }
}

std::string hex(Code code, int width) {
    std::string text = "0x";
    append_hex(text, code, width);
    return text;
}

/// Blanks at both ends are nobody's answer, and a comment is none.
std::string_view content_of(std::string_view line) {
    line = line.substr(0, line.find('#'));
    constexpr std::string_view blank = " \t\r";
    const std::size_t begin = line.find_first_not_of(blank);
    return begin == std::string_view::npos ? std::string_view()
                                           : line.substr(begin, line.find_last_not_of(blank) + 1 - begin);
}

struct Number {
    bool is_hex = false;
    bool fits = false; ///< into 64 bits
    Code value = 0;
};

Number parse_hex(std::string_view digits) {
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    Number number{!digits.empty(), true, 0};
    for (const char c : digits) {
        const char lower = static_cast<char>(c | 0x20);
        const int digit = c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
        if (digit < 0) return {};
        number.fits = number.fits && number.value >> 60 == 0;
        number.value = number.value << 4 | static_cast<Code>(digit);
    }
    return number;
}

/// A conversion and the program that is asked for it.
struct Asked {
    std::string source, target, rounding, overflow;
    std::uint32_t random_bits = 0;
    const Format* from = nullptr;
    const Format* to = nullptr;
    std::unique_ptr<LineProgram> program;
};

/// Takes what a running program says without being asked, for so long as more comes within the time. Throws
/// std::runtime_error if it is anything, or if the program ends with an exit code other than 0. It may end with 0.
void check_silent(LineProgram& program, int milliseconds) {
    bool is_at_end = false;
    while (!is_at_end && program.wait(false, milliseconds).has_output) is_at_end = !program.read();
    while (const auto line = program.next_line())
        if (const std::string_view content = content_of(*line); !content.empty())
            throw std::runtime_error("more lines than inputs: '" + std::string(content.substr(0, 80)) +
                                     "' after the last answer");
    if (!is_at_end) return;
    if (const std::string end = program.finish(); !end.empty())
        throw std::runtime_error("it ended with " + end + " after its last answer");
}

class PipeBackend {
  public:
    PipeBackend(std::string name, const std::string& command, std::span<const std::string> conversions);
    [[nodiscard]] const mxcert_api& api() const { return api_; }

    void open(const std::string& options);
    void convert(const mxcert_convert_args& args);
    /// Throws std::runtime_error if a program has said more than was asked.
    void close();
    std::string error; ///< of the last call

  private:
    /// A batch that was sent and is not answered yet.
    struct Batch {
        Asked& asked;
        const mxcert_convert_args& args;
        std::uint64_t written = 0; ///< inputs that are in `text` or were sent
        std::uint64_t answered = 0;
        std::string text{};   ///< not sent yet, from `sent` on
        std::size_t sent = 0; ///< of text
    };
    void send(Batch& batch) const;
    static void take_lines(Batch& batch);
    void wait_for_answers(Batch& batch);
    static void finish_batch(Batch& batch);
    static std::string place(const Batch& batch);
    static void append_input(std::string& text, const Asked& asked, const mxcert_convert_args& args, std::uint64_t at);

    std::string name_;
    std::string description_;
    std::vector<Asked> asked_;
    std::vector<mxcert_conversion> conversions_;
    mxcert_api api_{};
    Flush flush_ = Flush::unknown;
};

std::unique_ptr<PipeBackend>& backend() {
    static std::unique_ptr<PipeBackend> only;
    return only;
}

/// "fp32-e4m3-stochastic_a8-sat:8" as its four names and the number.
Asked parse_asked(const std::string& word) {
    const auto fail = [&] { throw std::runtime_error("'" + word + "' is not a conversion and its random bits"); };
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) fail();
    const std::string bits = word.substr(colon + 1);
    std::string_view rest = std::string_view(word).substr(0, colon);
    Asked asked;
    for (std::string* part : {&asked.source, &asked.target, &asked.rounding, &asked.overflow}) {
        const std::size_t dash = rest.find('-');
        *part = rest.substr(0, dash);
        rest.remove_prefix(dash == std::string_view::npos ? rest.size() : dash + 1);
    }
    asked.random_bits = static_cast<std::uint32_t>(std::stoul(bits));
    if (asked.random_bits != 0) asked.rounding.resize(asked.rounding.size() - bits.size());
    asked.from = find_format(asked.source);
    asked.to = find_format(asked.target);
    if (asked.from == nullptr || asked.to == nullptr || asked.overflow.empty() || !rest.empty()) fail();
    return asked;
}

PipeBackend::PipeBackend(std::string name, const std::string& command, std::span<const std::string> conversions)
    : name_(std::move(name)), description_("lines of hexadecimal through '" + command + "'") {
    constexpr std::size_t longest = 1'000;
    description_.resize(std::min(description_.size(), longest));
    for (const std::string& word : conversions) {
        asked_.push_back(parse_asked(word));
        asked_.back().program = std::make_unique<LineProgram>(command, word.substr(0, word.find(':')));
    }
    for (const Asked& asked : asked_) {
        mxcert_conversion offer{};
        offer.struct_size = sizeof offer;
        offer.random_bits = asked.random_bits;
        offer.source = asked.source.c_str();
        offer.target = asked.target.c_str();
        offer.rounding = asked.rounding.c_str();
        offer.overflow = asked.overflow.c_str();
        conversions_.push_back(offer);
    }
    api_.struct_size = sizeof api_;
    api_.abi_major = MXCERT_ABI_MAJOR;
    api_.abi_minor = MXCERT_ABI_MINOR;
    api_.conversion_count = static_cast<std::uint32_t>(conversions_.size());
    api_.conversions = conversions_.data();
    api_.name = name_.c_str();
    api_.version = "unversioned";
    api_.description = description_.c_str();
    api_.max_batch = pipe_batch;
    api_.open = [](const char* options) -> std::int32_t {
        backend()->open(options);
        return MXCERT_OK;
    };
    api_.convert = [](const mxcert_convert_args* args) -> std::int32_t {
        try {
            backend()->convert(*args);
            return MXCERT_OK;
        } catch (const std::exception& problem) {
            backend()->error = problem.what();
            return MXCERT_ERROR;
        }
    };
    api_.last_error = [] { return backend()->error.c_str(); };
    api_.close = [] { backend()->close(); };
}

void PipeBackend::open(const std::string& options) {
    constexpr std::pair<const char*, Flush> words[] = {
        {"", Flush::unknown}, {"by-line", Flush::by_line}, {"at-end", Flush::at_end}};
    for (const auto& [word, flush] : words)
        if (options == word) {
            flush_ = flush;
            return;
        }
    throw std::runtime_error("the option of a pipe is by-line or at-end, not '" + options + "'");
}

void PipeBackend::append_input(std::string& text, const Asked& asked, const mxcert_convert_args& args,
                               std::uint64_t at) {
    const Format& from = *asked.from;
    const unsigned bytes = from.scale != nullptr ? frames::bytes_of(*from.value) : frames::bytes_of(from);
    const Code value = frames::load(static_cast<const std::byte*>(args.input) + at * bytes, bytes);
    append_hex(text, from.scale != nullptr ? from.code_of(args.scale, value) : value, from.width());
    if (asked.random_bits == 0) return;
    text += ' ';
    append_hex(text, args.random[at], static_cast<int>(asked.random_bits));
}

std::string PipeBackend::place(const Batch& batch) {
    std::string input;
    append_input(input, batch.asked, batch.args, std::min(batch.answered, batch.args.count - 1));
    return "answer " + std::to_string(batch.answered + 1) + " of " + std::to_string(batch.args.count) +
           ", to the input 0x" + input;
}

void PipeBackend::send(Batch& batch) const {
    if (batch.sent == batch.text.size()) {
        batch.text.clear();
        batch.sent = 0;
        for (; batch.written < batch.args.count && batch.text.size() < sent_at_once; ++batch.written) {
            append_input(batch.text, batch.asked, batch.args, batch.written);
            batch.text += '\n';
        }
    }
    LineProgram& program = *batch.asked.program;
    if (batch.sent != batch.text.size()) batch.sent += program.write(std::string_view(batch.text).substr(batch.sent));
    const bool is_all = batch.written == batch.args.count && batch.sent == batch.text.size();
    if (is_all && flush_ == Flush::at_end) program.close_input();
}

void PipeBackend::take_lines(Batch& batch) {
    const Format& to = *batch.asked.to;
    const unsigned bytes = frames::bytes_of(to);
    auto* const output = static_cast<std::byte*>(batch.args.output);
    while (const auto line = batch.asked.program->next_line()) {
        const std::string_view content = content_of(*line);
        if (content.empty()) continue;
        const std::string shown = "'" + std::string(content.substr(0, 80)) + "'";
        const bool is_answered = batch.answered == batch.args.count;
        if (is_answered)
            throw std::runtime_error("more lines than inputs: " + shown + " after the answer to all " +
                                     std::to_string(batch.args.count));
        const Number number = parse_hex(content);
        if (!number.is_hex)
            throw std::runtime_error(place(batch) + ": " + shown +
                                     " is not a hexadecimal number; a prompt or banner must not go to standard output "
                                     "(or begin with #)");
        if (!number.fits || number.value > to.last_code())
            throw std::runtime_error(place(batch) + ": " + shown + " is too wide for " + batch.asked.target +
                                     ", whose last code is " + hex(to.last_code(), to.width()));
        frames::store(output + batch.answered * bytes, number.value, bytes);
        ++batch.answered;
    }
}

void PipeBackend::wait_for_answers(Batch& batch) {
    LineProgram& program = *batch.asked.program;
    bool is_at_end = false;
    while (batch.answered < batch.args.count && !is_at_end) {
        if (program.is_input_open()) send(batch);
        const bool is_sending = batch.written < batch.args.count || batch.sent != batch.text.size();
        const bool is_patient = is_sending || !program.is_input_open() || flush_ == Flush::by_line;
        const LineProgram::Ready ready =
            program.wait(is_sending && program.is_input_open(), is_patient ? for_ever : patience_ms);
        if (ready.has_output) is_at_end = !program.read();
        if (!ready.has_output && !ready.takes_input) {
            std::fprintf(
                stderr,
                "no answer came for %d ms: the input of the program was ended, so that it writes what it keeps\n",
                patience_ms);
            program.close_input();
            flush_ = Flush::at_end;
        }
        take_lines(batch);
    }
    if (batch.answered == batch.args.count) return;
    const std::string end = program.finish();
    const std::string how = end.empty() ? "it ended" : "it ended with " + end;
    if (end == "exit 127" && batch.answered == 0)
        throw std::runtime_error("the shell found no such command (exit 127)");
    throw std::runtime_error("too few lines: " + how + " before " + place(batch));
}

void PipeBackend::finish_batch(Batch& batch) {
    LineProgram& program = *batch.asked.program;
    take_lines(batch);
    if (program.is_input_open()) return;
    // It was told that there is no more, and so it ends: what it says until then has no input.
    for (bool is_at_end = false; !is_at_end;) {
        static_cast<void>(program.wait(false, for_ever));
        is_at_end = !program.read();
        take_lines(batch);
    }
    if (const std::string end = program.finish(); !end.empty())
        throw std::runtime_error("it ended with " + end + " after its last answer");
}

void PipeBackend::convert(const mxcert_convert_args& args) {
    Batch batch{asked_[args.conversion], args};
    LineProgram& program = *batch.asked.program;
    try {
        if (program.is_running()) check_silent(program, 0);
        if (!program.is_running()) program.start();
        wait_for_answers(batch);
        finish_batch(batch);
    } catch (const std::exception&) {
        program.kill();
        throw;
    }
}

void PipeBackend::close() {
    for (Asked& asked : asked_) {
        LineProgram& program = *asked.program;
        if (!program.is_running()) continue;
        program.close_input();
        check_silent(program, patience_ms);
        program.kill(); // one that serves a console need not end with its input
    }
}

} // namespace

const mxcert_api* pipe_api(const std::string& name, const std::string& command,
                           std::span<const std::string> conversions) {
    backend() = std::make_unique<PipeBackend>(name, command, conversions);
    return &backend()->api();
}

} // namespace mxcert::worker

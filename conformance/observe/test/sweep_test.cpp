// SPDX-License-Identifier: Apache-2.0
// Every amax and every pair of a scale and a value, through whole blocks: here a narrow part of them, which no sample
// has all of.
#include "conformance/suites/blocks/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/frames/frames.hpp"
#include "conformance/frames/words.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/inputs/sweep_order.hpp"
#include "conformance/record/resume.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "conformance/suites/blocks/sweep_fill.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "conformance/test/sweep_tables.hpp"
#include "conformance/verdict/canary.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using Catch::Matchers::Contains;
using mxcert::test::planted_plugin;
using mxcert::test::Result;
using mxcert::test::shell;
using mxcert::test::wanted_of;
namespace fs = std::filesystem;

namespace {

const Format& scaled = formats::fp32_by_e8m0;
constexpr Code planted = scaled.code_of(0x78, 0x3FB12345);
constexpr Code planted_amax = 0x3FB54321;

/// The largest amax of each scale by MX's own rule for E4M3: the exponent less 8.
std::vector<Code> floor_amaxes() {
    std::vector<Code> amaxes(256, suites::no_amax);
    for (Code scale = 0; scale <= 246; ++scale) amaxes[scale] = (scale + 8) << 23 | 0x7FFFFF;
    return amaxes;
}

/// 2^16 and some pairs around the planted one, and fewer of another scale, no multiples of what goes into a block.
std::vector<inputs::CodeRange> some_pairs() {
    return {{scaled.code_of(0x70, 0x80000000), scaled.code_of(0x70, 0x80000011)},
            {scaled.code_of(0x78, 0x3FB10000), scaled.code_of(0x78, 0x3FB1FFFF)},
            {scaled.code_of(0x78, 0xBFB00001), scaled.code_of(0x78, 0xBFB00107)}};
}

/// Those of one scale.
std::vector<inputs::CodeRange> some_pairs_of(Code scale) {
    std::vector<inputs::CodeRange> ranges = some_pairs();
    std::erase_if(ranges, [&](const inputs::CodeRange& range) { return scaled.scale_of(range.first) != scale; });
    return ranges;
}

Code element_of(Code pair) { return fast::convert(scaled, formats::e4m3, Choices{}, pair); }

/// What the fast model gives for some_pairs().
std::vector<Step> wanted_pairs() {
    std::vector<Step> steps;
    for (const inputs::CodeRange& range : some_pairs())
        for (Code pair = range.first; pair <= range.last; ++pair)
            inputs::append_step(steps, {pair, pair, element_of(pair)});
    return steps;
}

std::unique_ptr<Subject> quantizer(const std::string& fault, ObserveOptions options = {}) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    options.backend_options = fault;
    return subjects::open_subject({BackendSpec::Kind::plugin, "plugin", MXCERT_TEST_QUANTIZER, {}}, options);
}

/// The stock worker behind a program that changes what it says.
std::unique_ptr<Subject> relayed(const char* way, const std::string& fault = "") {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1);          // NOLINT(concurrency-mt-unsafe)
    ::setenv("MXCERT_RELAY_PLUGIN", MXCERT_TEST_QUANTIZER, 1); // NOLINT(concurrency-mt-unsafe)
    ::setenv("MXCERT_RELAY", way, 1);                          // NOLINT(concurrency-mt-unsafe)
    ObserveOptions options;
    options.backend_options = fault;
    options.jobs = 1;
    return subjects::open_subject(
        {BackendSpec::Kind::program, "relay", MXCERT_TEST_SOURCE "/conformance/test/relay_worker.py", {}}, options);
}

Observation pairs_of(Subject& subject, std::uint64_t part = std::uint64_t{1} << 32) {
    static const std::vector<Code> amaxes = floor_amaxes();
    return suites::sweep_elements(subject, subject.info().operations.front(), 32, some_pairs(), amaxes, nullptr, part);
}
Observation amaxes_of(Subject& subject) {
    return suites::sweep_scales(subject, subject.info().operations.front(), 32,
                                {planted_amax - 5000, planted_amax + 30'000}, nullptr);
}

} // namespace

TEST_CASE("blocks of a sweep are what they are said to be", "[sweep]") {
    const auto [axis, block, lines] = GENERATE(table<Axis, std::uint32_t, std::uint64_t>({{Axis::row, 32, 1},
                                                                                          {Axis::row, 32, 333},
                                                                                          {Axis::row, 2, 40},
                                                                                          {Axis::row, 17, 7000},
                                                                                          {Axis::row, 1024, 5},
                                                                                          {Axis::column, 32, 300},
                                                                                          {Axis::column, 3, 9001}}));
    const unsigned width = GENERATE(2U, 4U);
    CAPTURE(static_cast<int>(axis), block, lines, width);
    const std::uint32_t streams = GENERATE(61U, 1U);
    std::vector<std::uint32_t> lanes;
    for (std::uint64_t i = 0; i < lines; ++i) lanes.push_back(static_cast<std::uint32_t>((7 + i) % block));
    std::vector<std::uint32_t> starts(frames::most_streams, 0);
    for (std::uint32_t k = 0; k < streams; ++k) starts[k] = 0x1234 + k * 37 % 61 * 0x100;
    suites::BlockPattern pattern;
    pattern.axis = axis;
    pattern.lines = lines;
    pattern.block = block;
    pattern.width = width;
    pattern.starts = starts.data();
    pattern.streams = streams;
    pattern.offset = streams / 2;
    pattern.row = 3;
    const std::uint64_t values = lines * (block - 1) - (block > 2 ? 1 : 0); // the last block repeats one
    pattern.count = values;
    pattern.amax = 0x7ABC;
    pattern.sign = 0x8000;
    pattern.lanes = lanes.data();
    const auto mask = static_cast<std::uint32_t>(width == 2 ? 0xFFFF : 0xFFFFFFFF);
    const auto input = [&](std::uint64_t number) {
        const std::uint64_t at = pattern.offset + number;
        return static_cast<std::uint32_t>(starts[at % streams] + pattern.row + at / streams);
    };
    const auto place = [&, a = axis, b = block, n = lines](std::uint64_t i, std::uint64_t l) {
        return a == Axis::row ? i * b + l : l * n + i;
    };
    std::vector<std::byte> memory(lines * block * width);
    const auto at = [&](std::uint64_t i, std::uint64_t l) {
        return static_cast<std::uint32_t>(frames::load(memory.data() + place(i, l) * width, width));
    };
    const auto notices = [&](const auto& has) {
        for (const std::size_t byte : {std::size_t{0}, memory.size() / 2, memory.size() - 1}) {
            memory[byte] ^= std::byte{0x10};
            CHECK_FALSE(has(memory.data(), pattern));
            memory[byte] ^= std::byte{0x10};
        }
    };

    suites::write_pairs(memory.data(), pattern);
    std::uint64_t next = 0;
    std::uint64_t wrong = 0;
    std::vector<std::byte> elements(lines * block + suites::slack());
    for (std::uint64_t i = 0; i < lines; ++i) {
        for (std::uint64_t l = 0; l < block; ++l) {
            const bool is_top = l == (7 + i) % block;
            const std::uint32_t value = is_top ? (i % 2 != 0 ? 0xFABC : 0x7ABC) : input(std::min(next++, values - 1));
            wrong += at(i, l) != (value & mask) ? 1 : 0;
            elements[place(i, l)] = static_cast<std::byte>(is_top ? 0x70 + i % 2 : (value * 7) & 0xFF);
        }
    }
    CHECK(wrong == 0);
    CHECK(suites::has_pairs(memory.data(), pattern));
    notices(suites::has_pairs);
    std::vector<std::byte> taken(lines * block + suites::slack());
    const std::byte untouched{0xA5};
    const suites::TopCodes tops = suites::take_pairs(elements.data(), pattern, untouched, taken.data());
    CHECK(tops.alike);
    CHECK(tops.plus == std::byte{0x70});
    CHECK(tops.minus == (lines > 1 ? std::byte{0x71} : std::byte{0}));
    for (std::uint64_t i = 0; i < values; ++i)
        wrong += taken[i] != static_cast<std::byte>((input(i) * 7) & 0xFF) ? 1 : 0;
    CHECK(wrong == 0);
    if (lines > 2) {
        elements[place(lines - 1, lanes.back())] = untouched;
        CHECK(suites::take_pairs(elements.data(), pattern, untouched, taken.data()).alike);
        elements[place(lines - 1, lanes.back())] = std::byte{0x7E};
        CHECK_FALSE(suites::take_pairs(elements.data(), pattern, untouched, taken.data()).alike);
    }

    pattern.count = lines;
    suites::write_amaxes(memory.data(), pattern);
    std::uint64_t negative = 0;
    for (std::uint64_t i = 0; i < lines; ++i) {
        const std::uint32_t amax = input(i);
        for (std::uint64_t l = 0; l < block; ++l) {
            const std::uint32_t value = at(i, l);
            if (l == amax % block)
                wrong += value != ((amax | (amax / block % 2 != 0 ? 0x8000U : 0U)) & mask) ? 1 : 0;
            else
                wrong += (value & 0x7FFF) > amax ? 1 : 0;
            negative += (value & 0x8000) != 0 ? 1 : 0;
        }
    }
    CHECK(wrong == 0);
    if (lines > 1) CHECK(negative > lines * block / 4);
    CHECK(suites::has_amaxes(memory.data(), pattern));
    notices(suites::has_amaxes);
}

TEST_CASE("the order of a sweep has every input once, and parts cover it", "[sweep]") {
    const auto [in_block, sets] = GENERATE(table<std::uint64_t, std::vector<std::vector<inputs::CodeRange>>>({
        {1, {{{0, 0x7F80}}}},
        {31, {some_pairs_of(0x70), some_pairs_of(0x78)}},
        {31, {{{0, 99'999}, {200'000, 299'999}}, {{400'000, 400'000}}}},
        {61, {{{5, 70'004}}}},
        {1, {{{0, 0}}}},
    }));
    const inputs::SweepOrder order(sets, in_block);
    std::set<Code> inputs;
    for (std::uint64_t at = 0; at < order.size(); ++at) {
        const Code input = order.input_at(at);
        REQUIRE(inputs.insert(input).second);
        const inputs::Interleaving::Part part = order.part_at(at);
        REQUIRE(part.streams.at(part.first) == input);
    }
    for (const std::vector<inputs::CodeRange>& set : sets)
        for (const inputs::CodeRange& range : set)
            for (Code code = range.first; code <= range.last; ++code) REQUIRE(inputs.erase(code) == 1);
    CHECK(inputs.empty());
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{12'000}, std::uint64_t{1} << 32}) {
        std::uint64_t next = 0;
        for (const inputs::SweepOrder::Stretch& part : order.parts(most)) {
            CHECK(part.first == next);
            next += part.count;
            std::uint64_t count = 0;
            for (const inputs::CodeRange& range : order.inputs_of(part.first, part.count))
                count += range.last - range.first + 1;
            CHECK(count == part.count);
            std::uint64_t planned = 0;
            for (const inputs::Block& block : inputs::plan_sweep(order, part, 4096 * in_block, nullptr, 1, {}))
                planned += block.count;
            CHECK(planned == part.count);
        }
        CHECK(next == order.size());
    }
}

TEST_CASE("neighbours in a sweep have different answers", "[sweep]") {
    const Quantize quantize = as_quantize(quantizer("")->info().operations.front());
    const std::vector<std::vector<inputs::CodeRange>> all{{{0, 0x7F800000}}};
    const inputs::SweepOrder amaxes(all, 1);
    const auto scale_of = [&](std::uint64_t at) {
        return fast::scale(formats::amax_fp32, formats::e4m3, choices_of(quantize.scale), amaxes.input_at(at));
    };
    std::uint64_t same = 0;
    for (std::uint64_t at = 1; at < 100'000; ++at)
        for (const std::uint64_t back : {1U, 2U}) same += at >= back && scale_of(at) == scale_of(at - back) ? 1 : 0;
    CHECK(same == 0);

    // In a block, and in the same lane of the next one and the one after that.
    const std::vector<std::vector<inputs::CodeRange>> pairs{
        {{scaled.code_of(0x78, 0), scaled.code_of(0x78, 0x407FFFFF)},
         {scaled.code_of(0x78, 0x80000000), scaled.code_of(0x78, 0xC07FFFFF)}}};
    const inputs::SweepOrder order(pairs, 31);
    for (const std::uint64_t back : {1U, 31U}) {
        std::uint64_t differ = 0;
        for (std::uint64_t at = back; at < 100'000 + back; ++at)
            differ += element_of(order.input_at(at)) != element_of(order.input_at(at - back)) ? 1 : 0;
        CAPTURE(back, differ);
        CHECK(differ > 95'000);
    }
}

TEST_CASE("reachable pairs are those that a block can hold", "[sweep]") {
    std::vector<Code> amaxes = floor_amaxes();
    amaxes[0xFF] = formats::amax_fp32.inf_code(); // under NaN nothing is asked
    const std::vector<inputs::CodeRange> ranges = suites::reachable_pairs(scaled, amaxes);
    REQUIRE(ranges.size() == 2 * 247);
    CHECK(ranges[0] == inputs::CodeRange{0x0000000000, 0x00047FFFFF});
    CHECK(ranges[1] == inputs::CodeRange{0x0080000000, 0x00847FFFFF});
    CHECK(ranges.back() == inputs::CodeRange{0xF680000000, 0xF6FF7FFFFF});
    std::uint64_t pairs = 0;
    for (const inputs::CodeRange& range : ranges) pairs += range.last - range.first + 1;
    CHECK(pairs == std::uint64_t{32'604} << 24);
    // Where Inf gives the scale too, the values still end at the largest one.
    amaxes[246] = formats::amax_fp32.inf_code();
    CHECK(suites::reachable_pairs(scaled, amaxes).back() == ranges.back());
}

TEST_CASE("a sweep sees what single values give, whatever the jobs and the parts", "[sweep][values]") {
    const std::vector<Step> wanted = wanted_pairs();
    std::uint64_t repeated = 0;
    for (const unsigned jobs : {1U, 3U}) {
        ObserveOptions options;
        options.jobs = jobs;
        const Observation seen = pairs_of(*quantizer("", options));
        INFO(seen.reason);
        CHECK(seen.status == Status::pass);
        CHECK(seen.chosen);
        CHECK(seen.inputs == 18 + 0x10000 + 0x107);
        CHECK(seen.partial == wanted);
        if (jobs != 1U) CHECK(seen.repeated == repeated);
        repeated = seen.repeated;
    }
    CHECK(pairs_of(*quantizer(""), 4'001).partial == wanted);

    const StepTable scales = tabulate(formats::amax_fp32, formats::e8m0_for_e4m3,
                                      choices_of(parse_conversion("amax_fp32-e8m0_for_e4m3-ocp_floor-sat")));
    const Observation seen = amaxes_of(*quantizer(""));
    CHECK(seen.status == Status::pass);
    CHECK(seen.inputs == 35'001);
    CHECK(seen.partial == wanted_of(scales, {{planted_amax - 5000, planted_amax + 30'000}}));
}

TEST_CASE("the code of an amax is never taken for poison", "[sweep][values]") {
    // Of values all but three codes are permitted: 0x7E, which is the amax's, would be the first poison.
    Permit most;
    for (Code code = 0; code < 256; ++code)
        if (code != 0x7E && code != 0x01 && code != 0x07) most.codes.push_back(code);
    static const std::vector<Code> amaxes = floor_amaxes();
    PermitTable permitted{&scaled, &formats::e4m3, {}};
    for (Code scale = 0; scale <= 246; ++scale) {
        for (const Code sign : {Code{0}, Code{0x80000000}}) {
            const Code amax = scaled.code_of(scale, sign | amaxes[scale]);
            permitted.steps.push_back({scaled.code_of(scale, sign), amax - 1, most, ""});
            permitted.steps.push_back({amax, amax, permit_code(sign >> 24U | 0x7E), ""});
            permitted.steps.push_back({amax + 1, scaled.code_of(scale, sign | 0x7FFFFFFF), most, ""});
        }
    }
    std::uint64_t repeated = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
        ObserveOptions options;
        options.seed = seed;
        const auto subject = quantizer("", options);
        const Observation seen = suites::sweep_elements(*subject, subject->info().operations.front(), 32, some_pairs(),
                                                        amaxes, &permitted, 2'000);
        INFO(seen.reason);
        CHECK(seen.status == Status::pass);
        CHECK(seen.partial == wanted_pairs());
        repeated += seen.repeated;
    }
    CHECK(repeated != 0);
}

TEST_CASE("a program that knows nothing of shared runs gets them in frames", "[sweep]") {
    CHECK(pairs_of(*relayed("pipe")).partial == wanted_pairs());
    CHECK_THAT(pairs_of(*relayed("pipe", "out of bounds")).reason, Contains("beyond the end of its output"));
    CHECK(pairs_of(*relayed("nothing")).partial == wanted_pairs());
}

TEST_CASE("the kernels without wide vectors give what those with them give", "[sweep][values]") {
    // The planted backend is made of them, and has its wrong answer in another conversion.
    const Result plain = shell(".", "mxcert certify '" + planted_plugin() +
                                        "' --profile ocp --filter 'bf16_by_e8m0-e4m3-nearest_even-*' --filter "
                                        "'*_times_e8m0-fp32-*' --filter 'quantize-*16-e4m3-*-row-*/scale'");
    INFO(plain.out << plain.err);
    CHECK(plain.code == 0);
}

TEST_CASE("one wrong pair that no sample has is found, and nothing else", "[sweep][values]") {
    const auto sample =
        test::certify_plugin(MXCERT_TEST_QUANTIZER, "one pair wrong", "ocp-sat", "*/elements", 64, Level::quick);
    REQUIRE(sample.size() == 1);
    CHECK(sample[0].status == Status::pass);
    CHECK(sample[0].sample);
    CHECK(verdict::table_of(sample[0])->asked == "a sample");
    CHECK(pairs_of(*quantizer("one pair wrong")).partial ==
          verdict::plant(wanted_pairs(), planted, element_of(planted) + 1));
    const auto amax_sample =
        test::certify_plugin(MXCERT_TEST_QUANTIZER, "one amax wrong", "ocp-sat", "*/scale", 64, Level::quick);
    REQUIRE(amax_sample.size() == 1);
    CHECK(amax_sample[0].status == Status::pass);
    const Observation seen = amaxes_of(*quantizer("one amax wrong"));
    CHECK(std::find(seen.partial.begin(), seen.partial.end(), Step{planted_amax, planted_amax, 0x78}) !=
          seen.partial.end());
}

TEST_CASE("a block of a sweep that has the answer of another is found", "[sweep][values]") {
    const std::string fault = GENERATE("one block in 2^12 repeats the one before", "two blocks in 2^12 exchanged",
                                       "two lanes of one block in 2^12 exchanged", "one stale scale in 2^12");
    CAPTURE(fault);
    // Each block of a request has one scale: what is wrong with lanes the elements show, with scales those alone.
    const auto elements = [](const std::string& name) {
        const std::vector<inputs::CodeRange> ranges{
            {scaled.code_of(0x78, 0x3FE00000), scaled.code_of(0x78, 0x401FFFFF)},
            {scaled.code_of(0x78, 0xBFE00000), scaled.code_of(0x78, 0xC01FFFFF)}};
        const auto subject = quantizer(name);
        return suites::sweep_elements(*subject, subject->info().operations.front(), 32, ranges, floor_amaxes(),
                                      nullptr);
    };
    if (fault != "one stale scale in 2^12") CHECK(elements(fault).partial != elements("").partial);
    const auto scales = [](const std::string& name) {
        const auto subject = quantizer(name);
        return suites::sweep_scales(*subject, subject->info().operations.front(), 32, {0x3F7F0000, 0x3F80FFFF},
                                    nullptr);
    };
    if (fault != "two lanes of one block in 2^12 exchanged") CHECK(scales(fault).partial != scales("").partial);
}

TEST_CASE("what misbehaves in a sweep gets the status and reason it deserves", "[sweep][hostile]") {
    const auto [fault, status, reason] = GENERATE(table<std::string, Status, std::string>({
        {"out of bounds", Status::error, "wrote outside its output 0 (18 inputs, "},
        {"before its scales", Status::error, "wrote outside its output 1 (18 inputs, "},
        {"beside its input", Status::error, "wrote beside its input 0 (18 inputs, "},
        {"changes its input", Status::error, "changed its input 0 (18 inputs, "},
        {"far away", Status::error, "wrote far outside its output buffers"},
        {"last not written", Status::mistrusted, "values of the output were not written"},
        {"refuses all", Status::unsupported, "run() returned"},
        {"one pair crashes", Status::error, "signal 6 (SIGABRT) at input 0x783FB12345"},
        {"crash", Status::error, "signal 6 (SIGABRT) at input 0x7080000000, and at 0x708000000B too"},
        {"another scale inside", Status::fail, "407FFFFF gave other elements in other blocks of the scale 0x78 ("},
        {"scales transposed", Status::pass, ""},
        {"of the block before", Status::fail, "gave the scale 0x70, and 0x7F in another block"},
    }));
    ObserveOptions options;
    options.jobs = 1;
    const Observation seen = pairs_of(*quantizer(fault, options));
    INFO(fault << ": " << seen.reason);
    CHECK(to_string(seen.status) == to_string(status));
    CHECK_THAT(seen.reason, Contains(reason));
}

TEST_CASE("a program that lies about the sizes of a run broke the protocol", "[sweep][hostile]") {
    CHECK_THAT(pairs_of(*relayed("count")).reason,
               Contains("broke the protocol: RESULT of 34 values to a request of 33"));
    CHECK_THAT(pairs_of(*relayed("outputs")).reason,
               Contains("broke the protocol: RESULT with 8 bytes of outputs instead of 0"));
    const auto subject = relayed("count");
    frames::RunCase run_case;
    run_case.shape = {1, 32, 32, 0};
    run_case.inputs = {frames::Values(32, 4)};
    run_case.outputs = {frames::Values(32, 1), frames::Values(1, 1)};
    CHECK_THAT(subject->run(subject->info().operations.front(), run_case).reason, Contains("RESULT of 34 values"));
}

TEST_CASE("a single run is looked at like a sweep", "[sweep][hostile]") {
    frames::RunCase run_case;
    run_case.shape = {1, 32, 32, 0};
    run_case.inputs = {frames::Values(32, 4)};
    run_case.outputs = {frames::Values(32, 1), frames::Values(1, 1)};
    for (const auto& [fault, reason] : {std::pair{"out of bounds", "wrote outside its output 0"},
                                        {"before its scales", "wrote outside its output 1"},
                                        {"beside its input", "wrote beside its input 0"},
                                        {"changes its input", "changed its input 0"}}) {
        const auto subject = quantizer(fault);
        const frames::RunAnswer answer = subject->run(subject->info().operations.front(), run_case);
        CHECK(answer.status == Status::error);
        CHECK(answer.reason == reason);
    }
}

TEST_CASE("a sweep that was stopped goes on where it was, to the same answers", "[sweep]") {
    const TemporaryFolder folder;
    const fs::path kept = folder.path() / "kept";
    constexpr std::uint64_t part = 12'000; // six parts
    const Observation whole = pairs_of(*quantizer(""), part);
    std::atomic<bool> stop = false;
    ObserveOptions options;
    options.jobs = 1;
    options.stop = &stop;
    {
        const auto subject = quantizer("", options);
        const auto keeper = record::resume_answers(*subject, kept, "", 1, Level::complete);
        (void)suites::sweep_elements(*keeper, keeper->info().operations.front(), 32,
                                     std::vector<inputs::CodeRange>{some_pairs()[0]}, floor_amaxes(), nullptr, part);
        // Another range, so another part with the same number: it is asked anew, and kept in the place of the first.
        CHECK_FALSE(pairs_of(*keeper, part).kept);
        fs::remove(kept / "parts" / (to_string(keeper->info().operations.front()) + ".elements.2.json"));
        fs::remove(kept / "parts" / (to_string(keeper->info().operations.front()) + ".elements.5.json"));
    }
    const auto files = [&] { return std::distance(fs::directory_iterator(kept / "parts"), fs::directory_iterator()); };
    CHECK(files() == 4);
    options.swept = [&](std::uint64_t done, std::uint64_t total) {
        CHECK(done <= total);
        CHECK(total < whole.inputs); // what was kept is not counted
    };
    const auto subject = quantizer("", options);
    const auto keeper = record::resume_answers(*subject, kept, "", 1, Level::complete);
    const Observation seen = pairs_of(*keeper, part);
    CHECK(seen.kept);
    CHECK(seen.status == Status::pass);
    CHECK(seen.partial == whole.partial);
    CHECK(seen.inputs == whole.inputs);
    CHECK(seen.repeated == whole.repeated);
    CHECK(files() == 6);
    // Nothing is kept of a part that was not answered whole.
    fs::remove(kept / "parts" / (to_string(keeper->info().operations.front()) + ".elements.3.json"));
    stop = true;
    const Observation stopped = pairs_of(*keeper, part);
    CHECK(stopped.status == Status::incomplete);
    CHECK(stopped.inputs == 35'949); // three parts of whole rows
    CHECK(files() == 5);
    // What was changed is not believed.
    const fs::path first = kept / "parts" / (to_string(keeper->info().operations.front()) + ".elements.0.json");
    std::string text = content(first);
    const std::size_t at = text.find("\"repeated\": ") + 12;
    text[at] = text[at] == '9' ? '8' : '9';
    (void)folder.file("kept/parts/" + first.filename().string(), text);
    CHECK_THROWS_WITH(pairs_of(*keeper, part), Contains("is not that of the file"));
}

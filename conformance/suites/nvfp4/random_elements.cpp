// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/random_elements.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "conformance/suites/stochastic/distribution.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::e2m1;
using formats::fp32;

constexpr std::string_view shared = "STOCHASTIC_SHARED";
constexpr std::string_view number_a_block = "one random number for a block";
constexpr std::string_view number_a_byte = "the same random bits for both elements of a byte";
constexpr std::string_view same_blocks = "the same random numbers in every block";
constexpr std::string_view place_of_blocks = "a place of the blocks that is rounded otherwise";

KnownFault known(std::string_view bug_class, std::string_view name) {
    return {find_bug_class(bug_class), std::string(name)};
}

bool is_place(stochastic::TestKind kind) {
    return kind == stochastic::TestKind::place || kind == stochastic::TestKind::nearer;
}

/// The bias that is looked for below the level standard, by fewer draws; a larger one if that is asked for.
const exact::Rational quick_bias(1, 64);

class RandomElements {
  public:
    RandomElements(const SuiteRun& run, const stochastic::Parameters& parameters)
        : run_(run), quantize_(as_quantize_nvfp4(run.operation)), random_(quantize_, parameters),
          tally_(random_.plan()) {}

    /// Asks for every call of the plan, until an answer ends it or a scale is wrong.
    frames::RunAnswer ask() {
        const stochastic::Plan& plan = random_.plan();
        for (std::uint64_t round = 0; round < plan.rounds && wrong_scale_.empty(); ++round) {
            frames::RunAnswer answer = ask_fixed(round);
            for (std::size_t first = 0;
                 first < plan.inputs.size() && answer.status == Status::pass && wrong_scale_.empty();
                 first += random_.inputs_at_once())
                answer = ask_inputs(round, first);
            if (answer.status != Status::pass) return answer;
        }
        return {};
    }
    [[nodiscard]] const stochastic::Tally& tally() const { return tally_; }
    [[nodiscard]] std::uint64_t block_size() const { return random_.block_size(); }
    [[nodiscard]] bool pairs() const { return quantize_.random->pairs; }
    /// A scale that is not what it must be: nothing is known of draws then.
    [[nodiscard]] const std::string& wrong_scale() const { return wrong_scale_; }
    /// An element that is no draw and is not what it must be.
    [[nodiscard]] const std::string& wrong_element() const { return wrong_element_; }
    [[nodiscard]] bool tails_refused() const { return tails_refused_; }

  private:
    using Shape = RandomPlan::Shape;

    [[nodiscard]] const Shape& shape_of(std::uint64_t round, std::size_t number) const {
        // Each two calls of an input are of one shape.
        return tails_refused_ ? random_.shapes().front()
                              : random_.shapes()[(round / 2 + number) % random_.shapes().size()];
    }

    template <class Make> frames::RunAnswer ask_shape(std::uint64_t round, std::size_t number, const Make& make) {
        const Shape* shape = &shape_of(round, number);
        RandomCall call = make(*shape);
        frames::RunAnswer answer = send(*shape, call, number);
        if (answer.status == Status::unsupported && shape->matrix.has_tail()) {
            tails_refused_ = true;
            shape = &random_.shapes().front();
            call = make(*shape);
            answer = send(*shape, call, number);
        }
        if (answer.status == Status::pass) {
            check(*shape, call, answer.outputs);
            take(*shape, call, answer.outputs);
        }
        return answer;
    }

    frames::RunAnswer ask_fixed(std::uint64_t round) {
        // What is transformed is asked for values with one element in other parts.
        if (quantize_.hadamard) {
            const RandomCall none = random_.fixed_call(random_.shapes().front(), round);
            tally_.add(std::vector<Code>(none.lower.size()), none.drawn.front());
            return {};
        }
        return ask_shape(round, 0, [&](const Shape& shape) { return random_.fixed_call(shape, round); });
    }
    frames::RunAnswer ask_inputs(std::uint64_t round, std::size_t first) {
        return ask_shape(round, first, [&](const Shape& shape) { return random_.call(shape, round, first); });
    }

    frames::RunAnswer send(const Shape& shape, const RandomCall& call, std::size_t number) {
        frames::RunCase run_case = run_of(quantize_, {"", {}, shape.matrix, call.values});
        // What is never written shows: neither byte is an element or a scale of these.
        run_case.once = static_cast<std::uint8_t>((sent_++ + number) % 2 == 0 ? 0xA5 : 0x5A);
        run_case.row = "distribution";
        return run_.subject.run(run_.operation, run_case);
    }

    void check(const Shape& shape, const RandomCall& call, const std::vector<frames::Values>& outputs) {
        const RandomScaling& scaling = *call.scaling;
        if (quantize_.output != Nvfp4Output::none && outputs[2].get(0) != quantize_.given_out(scaling.tensor))
            note(wrong_scale_, "the scale of the tensor", fp32, outputs[2].get(0), quantize_.given_out(scaling.tensor));
        const std::uint64_t blocks = shape.matrix.blocks();
        for (std::uint64_t block = 0; block < blocks; ++block) {
            const Code scale = block == call.holder ? scaling.holder_scale : scaling.scale;
            if (outputs[1].get(block) != scale)
                note(wrong_scale_, fmt::format("the scale of block {}", block), formats::e4m3, outputs[1].get(block),
                     scale);
        }
        for (std::uint64_t lane = 0; lane < shape.places.size(); ++lane) {
            if (call.lower[lane] == RandomCall::none) continue;
            const Code element = outputs[0].get(shape.places[lane]);
            if (element != call.lower[lane] && element != call.upper[lane])
                note(wrong_element_,
                     fmt::format("the element of place {} of block {}, which is no draw,",
                                 (lane - shape.first_lane) % block_size(), (lane - shape.first_lane) / block_size()),
                     e2m1, element, call.lower[lane]);
        }
    }
    static void note(std::string& wrong, const std::string& what, const Format& format, Code got, Code wanted) {
        if (wrong.empty())
            wrong = fmt::format("{} is {}, not {}", what, code_text(format, got), code_text(format, wanted));
    }

    void take(const Shape& shape, const RandomCall& call, const std::vector<frames::Values>& outputs) {
        std::vector<Code> elements(shape.places.size());
        for (std::uint64_t lane = 0; lane < elements.size(); ++lane)
            if (shape.places[lane] != RandomPlan::no_place) elements[lane] = outputs[0].get(shape.places[lane]);
        for (const std::vector<std::uint64_t>& drawn : call.drawn) tally_.add(elements, drawn);
    }

    const SuiteRun& run_;
    QuantizeNvfp4 quantize_;
    RandomPlan random_;
    stochastic::Tally tally_;
    std::string wrong_scale_;
    std::string wrong_element_;
    bool tails_refused_ = false;
    std::uint64_t sent_ = 0;
};

/// Values that were draws or had one answer.
std::uint64_t judged(const stochastic::Tally& tally) {
    std::uint64_t values = tally.fixed();
    for (const stochastic::Counts& counts : tally.counts()) values += counts.draws;
    return values;
}

} // namespace

std::optional<KnownFault> fault_of_blocks(const stochastic::Verdict& verdict, std::uint64_t block_size, bool pairs) {
    using stochastic::Fault;
    if (verdict.fault == Fault::one_place) {
        // A place of the blocks is wrong if it is so wherever a block begins. Smaller blocks at the ends have others.
        std::set<std::size_t> wrong;
        for (const stochastic::Rejected& rejected : verdict.rejected)
            if (is_place(rejected.kind)) wrong.insert(rejected.index);
        std::size_t places = 0;
        for (std::size_t place = 0; place < block_size; ++place) {
            bool always = true;
            for (std::size_t at = place; at + 1 < stochastic::place_count; at += block_size)
                always = always && wrong.contains(at);
            places += always && place + 1 < stochastic::place_count ? 1 : 0;
        }
        if (places != 1 || block_size + 1 >= stochastic::place_count) return std::nullopt;
        return known("STOCHASTIC_BIAS", place_of_blocks);
    }
    if (verdict.fault != Fault::lanes_together) return std::nullopt;
    const auto together = [&](std::size_t i) {
        return std::find(verdict.together.begin(), verdict.together.end(), i) != verdict.together.end();
    };
    std::size_t within = 0; // distances within a block, and beyond it
    std::size_t beyond = 0;
    std::size_t shorter = 0;
    // Where pairs share their bits by right, neighbours are not compared.
    for (std::size_t i = pairs ? 1 : 0; i < stochastic::distances.size(); ++i) {
        const bool is_within = stochastic::distances.at(i) < block_size;
        shorter += is_within ? 1 : 0;
        if (together(i)) ++(is_within ? within : beyond);
    }
    if (within == shorter && beyond == 0) return known(shared, number_a_block);
    if (within == 1 && together(0) && beyond == 0) return known(shared, number_a_byte);
    if (within == 0 && beyond + shorter + (pairs ? 1 : 0) == stochastic::distances.size())
        return known(shared, same_blocks);
    return std::nullopt;
}

std::vector<KnownFault> faults_of_blocks() {
    return {known(shared, number_a_block), known(shared, number_a_byte), known(shared, same_blocks),
            known("STOCHASTIC_BIAS", place_of_blocks)};
}

verdict::Row certify_random_elements(const SuiteRun& run) {
    stochastic::Parameters parameters = run.options.stochastic;
    if (run.options.level < Level::standard) parameters.bias = std::max(parameters.bias, quick_bias);
    verdict::Row row;
    row.found.emplace<verdict::CaseFindings>();
    row.sample = true;
    try {
        RandomElements elements(run, parameters);
        const frames::RunAnswer answer = elements.ask();
        const stochastic::Verdict verdict = stochastic::judge(elements.tally());
        describe(row, elements.tally(), verdict, answer);
        row.compared = judged(elements.tally());
        const auto fail = [&](const std::string& reason) {
            row.status = Status::fail;
            row.reason = reason;
            row.found.emplace<verdict::CaseFindings>().wrong = {reason};
            ++row.differing;
        };
        if (!elements.wrong_scale().empty()) {
            row.known_as.clear();
            fail("nothing is known of draws: " + elements.wrong_scale());
        } else if (const std::optional<KnownFault> fault =
                       fault_of_blocks(verdict, elements.block_size(), elements.pairs())) {
            row.known_as = {*fault};
            row.reason = fault->how + ": " + row.reason;
        } else if (!elements.wrong_element().empty() && verdict.status != Status::mistrusted) {
            fail(verdict.status == Status::fail ? row.reason + "; " + elements.wrong_element()
                                                : elements.wrong_element());
        } else if (row.status == Status::pass && elements.tails_refused()) {
            row.reason += "; not asked, because it may be refused: blocks at the ends that are smaller";
        }
    } catch (const std::exception& error) {
        row.status = Status::untested; // a test that cannot be trusted has tested nothing
        row.reason = error.what();
    }
    return row;
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/quantizers.hpp"

#include <algorithm>
#include <utility>

#include "conformance/parity/both.hpp"
#include "conformance/parity/carried.hpp"
#include "conformance/parity/differences.hpp"
#include "conformance/parity/explain_quantizers.hpp"
#include "conformance/suites/activation/inputs.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "conformance/suites/maker.hpp"
#include "reference/code_text.hpp"

namespace mxcert::parity {
namespace {

using suites::QuantizeCase;
using BlocksAnswered = std::vector<BothAnswered<QuantizeCase>>;

constexpr std::uint64_t largest_case = 1U << 18U; // elements
constexpr std::uint64_t square = 64;              ///< lines of the matrix that both are asked as it lies

/// Values of a block as a quantizer is given them.
class Values {
  public:
    Values(const Pipeline& pipeline, const Format& values, const Format& source) : values_(values), source_(source) {
        if (pipeline.before != Activation::none) before_.emplace(source, pipeline.before);
        if (values.width() > 16) return;
        for (Code value = 0; value <= values.last_code(); ++value) table_.push_back(made_of(value));
    }
    [[nodiscard]] Code operator()(Code value) const { return table_.empty() ? made_of(value) : table_[value]; }

  private:
    [[nodiscard]] Code made_of(Code value) const {
        const Code in_source = carried(values_, source_, value);
        return before_ ? (*before_)(in_source) : in_source;
    }
    const Format& values_;
    const Format& source_;
    std::optional<suites::Activator> before_;
    std::vector<Code> table_;
};

Side<QuantizeCase> side_of(const Pipeline& pipeline, const Format& values, unsigned block) {
    Quantize quantize = as_quantize(pipeline.operation);
    quantize.block = block;
    Side<QuantizeCase> side{pipeline.subject, &pipeline.operation, {}, {}, {}};
    side.given = [quantize, make = Values(pipeline, values, *quantize.format.value)](const QuantizeCase& wanted) {
        QuantizeCase given = wanted;
        given.matrix.axis = quantize.axis;
        for (Code& value : given.values) value = make(value);
        return given;
    };
    side.run_of = [quantize](const QuantizeCase& given) { return run_of(quantize, given); };
    if (quantize.activation != Activation::none)
        side.quantized = [activator = suites::Activator(*quantize.format.value, quantize.activation)](
                             const QuantizeCase& given) { return activator(given); };
    return side;
}

unsigned common_block(const Pipeline& a, const Pipeline& b) {
    const unsigned block = as_quantize(a.operation).block;
    return suites::asked_block(block != 0 ? block : as_quantize(b.operation).block);
}

/// Two quantizers on their way to what differs.
class Comparing {
  public:
    Comparing(const Pipeline& a, const Pipeline& b, verdict::GoldenSource& golden, const ParityOptions& options,
              Parity& parity)
        : a_(a), b_(b), golden_(golden), options_(options), parity_(parity), block_(common_block(a, b)),
          operation_(plain(a.operation, *parity.values)), quantize_(with_block(as_quantize(operation_))),
          both_(side_of(a, *parity.values, block_), side_of(b, *parity.values, block_), parity, options) {}

    void compare() {
        const bool went_on = activation_of(a_) == Activation::none && activation_of(b_) == Activation::none
                                 ? compare_scales() && compare_elements()
                                 : compare_activated();
        if (!went_on || !compare_blocks() || !compare_as_they_lie()) return;
        const bool differs = std::any_of(parity_.parts.begin(), parity_.parts.end(),
                                         [](const Part& part) { return part.differing != 0; });
        parity_.status = differs ? Status::fail : Status::pass;
        if (!differs) return;
        if (options_.started) options_.started("what explains it", 0);
        parity_.explanation =
            explain_quantizers(a_, b_, *parity_.values, options_.transpose, {scales_, elements_, blocks_});
    }

  private:
    [[nodiscard]] Quantize with_block(Quantize quantize) const {
        quantize.axis = Axis::row;
        quantize.block = block_;
        return quantize;
    }
    [[nodiscard]] bool is_narrow() const { return parity_.values->width() <= 16; }
    [[nodiscard]] suites::Sampling sampling() const {
        const unsigned per_step = options_.level.level == Level::complete   ? 256
                                  : options_.level.level == Level::standard ? 64
                                                                            : 16;
        return {per_step, options_.seed};
    }
    void start(const char* part, std::uint64_t inputs) const {
        if (options_.started) options_.started(part, inputs);
    }
    void done(std::uint64_t inputs) const {
        if (options_.done) options_.done(inputs);
    }

    [[nodiscard]] bool ask(const char* row, const QuantizeCase& wanted, BlocksAnswered& answers) {
        BothAnswered<QuantizeCase> both;
        const auto fill = [](QuantizeCase few) { return suites::filled(std::move(few)); };
        if (!both_.ask(row, wanted, fill, both)) return false;
        if (both.a.quantized != nullptr) answers.push_back(std::move(both));
        return true;
    }

    bool compare_scales();
    bool compare_elements();
    bool compare_activated();
    bool compare_blocks();
    bool compare_as_they_lie();

    /// Elements of a block with the same scale in both, by their values; those that are no number are of
    /// compare_blocks().
    void add_elements(const QuantizeCase& wanted, const BothAnswered<QuantizeCase>& both, std::uint64_t line,
                      Code scale, Differences& elements) const;
    void add_block(const QuantizeCase& wanted, const BothAnswered<QuantizeCase>& both, std::uint64_t line,
                   std::uint64_t block, Part& part) const;
    [[nodiscard]] Part part_of_blocks(std::string_view name) const {
        return {name, "blocks", parity_.values, quantize_.element.to};
    }

    const Pipeline& a_;
    const Pipeline& b_;
    verdict::GoldenSource& golden_;
    const ParityOptions& options_;
    Parity& parity_;
    unsigned block_;
    Operation operation_;
    Quantize quantize_; ///< of the values that both are asked
    Both<QuantizeCase> both_;
    BlocksAnswered scales_;
    BlocksAnswered elements_;
    BlocksAnswered blocks_;
    std::vector<Code> common_amaxes_; ///< for each scale the largest amax to which both give it
    Differences of_elements_;
};

Code scale_in(const Answered<QuantizeCase>& answered, std::uint64_t line, std::uint64_t block) {
    return answered.outputs[1].get(answered.quantized->matrix.scale_place(line, block));
}
Code element_in(const Answered<QuantizeCase>& answered, std::uint64_t line, std::uint64_t at) {
    return answered.outputs[0].get(answered.quantized->matrix.place(line, at));
}

bool Comparing::compare_scales() {
    Part part{"scales", "amaxes", quantize_.scale.from, quantize_.scale.to};
    const Code inf = quantize_.scale.from->inf_code();
    part.all = inf + 1;
    std::vector<Code> firsts;
    std::vector<Code> amaxes;
    const std::vector<const Profile*> profiles = suites::judging(operation_);
    if (!is_narrow())
        firsts = suites::united(suites::firsts_of_all_rules(quantize_.scale),
                                verdict::all_boundaries(quantize_.scale, profiles, golden_));
    amaxes = suites::amaxes_to_ask(quantize_, inf, firsts, sampling());
    if (!is_narrow()) {
        // Whatever else differs, values of BF16 are those that most tensors have.
        std::vector<Code> of_bf16;
        for (Code code = 0; code <= formats::bf16.inf_code(); ++code)
            of_bf16.push_back(carried(formats::bf16, formats::fp32, code));
        amaxes = suites::united(amaxes, of_bf16);
        parity_.sample = true;
    }
    start("scales", amaxes.size());
    std::vector<std::pair<Code, Code>> seen; // of A and of B, by amax
    const suites::AmaxOrder order(quantize_, amaxes);
    common_amaxes_.assign(quantize_.scale.to->last_code() + 1, suites::no_amax);
    std::vector<bool> of_a(common_amaxes_.size());
    std::vector<bool> of_b(common_amaxes_.size());
    Differences differences;
    differences.take_asked(amaxes);
    for (std::size_t first = 0; first < amaxes.size(); first += suites::blocks_at_once) {
        const std::size_t here = std::min<std::size_t>(suites::blocks_at_once, amaxes.size() - first);
        const QuantizeCase wanted = suites::scale_case(quantize_, block_, std::span(order.amaxes).subspan(first, here),
                                                       std::span(order.numbers).subspan(first, here));
        const std::size_t before = scales_.size();
        if (!ask("scale", wanted, scales_)) return false;
        done(first + here);
        if (scales_.size() == before) continue;
        const BothAnswered<QuantizeCase>& both = scales_.back();
        part.compared += here;
        for (std::size_t line = 0; line < here; ++line) {
            const Code amax = order.amaxes[first + line];
            const Code a = scale_in(both.a, line, 0);
            const Code b = scale_in(both.b, line, 0);
            differences.add(0, 0, amax, a, b);
            of_a[a] = of_b[b] = true;
            if (a != b) continue;
            Code& common = common_amaxes_[a];
            if (common == suites::no_amax || amax > common) common = amax;
            if (amax != inf) add_elements(wanted, both, line, a, of_elements_);
        }
    }
    for (Code scale = 0; scale < common_amaxes_.size(); ++scale)
        if (of_a[scale] && of_b[scale] && common_amaxes_[scale] == suites::no_amax) ++parity_.scales_of_one;
    differences.fill(part);
    parity_.parts.push_back(std::move(part));
    return true;
}

void Comparing::add_elements(const QuantizeCase& wanted, const BothAnswered<QuantizeCase>& both, std::uint64_t line,
                             Code scale, Differences& elements) const {
    const Format& scaled = *quantize_.element.from;
    if (scaled.scale->is_nan(scale)) return;
    const Code* const values = wanted.values.data() + line * wanted.matrix.length;
    for (std::uint64_t at = 0; at < wanted.matrix.length; ++at)
        elements.add(0, 0, scaled.code_of(scale, values[at]), element_in(both.a, line, at),
                     element_in(both.b, line, at));
}

bool Comparing::compare_elements() {
    if (block_ == 1) return true; // the one value is the amax
    const Format& scaled = *quantize_.element.from;
    Part part{"elements", "values under a scale", &scaled, quantize_.element.to};
    const std::vector<inputs::CodeRange> ranges = suites::reachable_pairs(scaled, common_amaxes_);
    for (const inputs::CodeRange& range : ranges) part.all += range.last - range.first + 1;
    std::vector<Code> firsts;
    if (!is_narrow()) firsts = verdict::all_boundaries(quantize_.element, suites::judging(operation_), golden_);
    if (!is_narrow() && firsts.empty()) firsts = suites::firsts_of_all_rules(quantize_.element);
    const std::vector<Code> codes = suites::pairs_to_ask(quantize_, ranges, firsts, sampling());
    start("elements", codes.size());
    const suites::ElementOrder order(scaled, codes, block_);
    for (std::size_t first = 0; first < order.lines.size(); first += suites::blocks_at_once) {
        const suites::ElementCase element_case = suites::element_case(quantize_, block_, order, first, common_amaxes_);
        const std::size_t before = elements_.size();
        if (!ask("elements", element_case.blocks, elements_)) return false;
        if (elements_.size() == before) continue;
        const BothAnswered<QuantizeCase>& both = elements_.back();
        for (std::size_t line = 0; line < element_case.counts.size(); ++line) {
            const Code a = scale_in(both.a, line, 0);
            // The amax of the line has one scale in both: another one shows a scale that is no function of the amax.
            if (a == scale_in(both.b, line, 0)) {
                part.compared += element_case.counts[line];
                add_elements(element_case.blocks, both, line, a, of_elements_);
            }
        }
        done(part.compared);
    }
    of_elements_.take_asked(codes);
    of_elements_.fill(part);
    parity_.parts.push_back(std::move(part));
    return true;
}

/// What differs first in a block; empty if nothing does, or only elements under a scale that is NaN.
std::string difference_in(const QuantizeCase& wanted, const BothAnswered<QuantizeCase>& both, std::uint64_t line,
                          std::uint64_t block, const Quantize& quantize, bool& under_nan) {
    const Code a = scale_in(both.a, line, block);
    const Code b = scale_in(both.b, line, block);
    if (a != b) return fmt::format("the scale is 0x{:02X} in A and 0x{:02X} in B", a, b);
    const std::uint64_t first = block * wanted.matrix.block;
    for (std::uint64_t lane = 0; lane < wanted.matrix.size_of(block); ++lane) {
        const Code of_a = element_in(both.a, line, first + lane);
        const Code of_b = element_in(both.b, line, first + lane);
        if (of_a == of_b) continue;
        if (quantize.element.from->scale->is_nan(a)) {
            under_nan = true;
            return {};
        }
        return fmt::format("lane {} ({}) is 0x{:02X} in A and 0x{:02X} in B, under the scale 0x{:02X}", lane,
                           code_text(*quantize.format.value, wanted.values[line * wanted.matrix.length + first + lane]),
                           of_a, of_b, a);
    }
    return {};
}

void Comparing::add_block(const QuantizeCase& wanted, const BothAnswered<QuantizeCase>& both, std::uint64_t line,
                          std::uint64_t block, Part& part) const {
    ++part.compared;
    bool under_nan = false;
    std::string text = difference_in(wanted, both, line, block, quantize_, under_nan);
    parity_.under_nan += under_nan ? 1 : 0;
    if (text.empty()) return;
    if (part.differing++ < options_.most_blocks)
        part.blocks.push_back({fmt::format("{}, block {}", wanted.title(line), block), std::move(text)});
}

bool Comparing::compare_activated() {
    // The inputs are made by the activation that either has: a value that it takes to the same is asked, too.
    const Pipeline& activated = activation_of(a_) != Activation::none ? a_ : b_;
    const suites::Activator activator(*parity_.values, activation_of(activated));
    verdict::CertifyOptions asking;
    asking.level = options_.level.level;
    asking.seed = options_.seed;
    suites::ActivationInputs inputs(operation_, activator, golden_, asking);
    Part part = part_of_blocks("values");
    parity_.sample = true;
    start("values", 0);
    const bool went_on = suites::for_each_activation_case(quantize_, block_, inputs, [&](const QuantizeCase& wanted) {
        const std::size_t before = scales_.size();
        if (!ask("values", wanted, scales_)) return false;
        if (scales_.size() == before) return true;
        for (std::uint64_t line = 0; line < wanted.matrix.lines; ++line)
            add_block(wanted, scales_.back(), line, 0, part);
        return true;
    });
    parity_.parts.push_back(std::move(part));
    return went_on;
}

bool Comparing::compare_blocks() {
    Part part = part_of_blocks("blocks");
    start("blocks", 0);
    for (const QuantizeCase& wanted : suites::quantize_cases(quantize_, block_)) {
        if (wanted.matrix.elements() > largest_case) continue;
        const std::size_t before = blocks_.size();
        if (!ask("blocks", wanted, blocks_)) return false;
        if (blocks_.size() == before) continue;
        for (std::uint64_t line = 0; line < wanted.matrix.lines; ++line)
            for (std::uint64_t block = 0; block < wanted.matrix.blocks_in_line(); ++block)
                add_block(wanted, blocks_.back(), line, block, part);
    }
    parity_.parts.push_back(std::move(part));
    return true;
}

/// Both are given the same matrix where B has the transpose of each everywhere else.
bool Comparing::compare_as_they_lie() {
    if (options_.transpose || as_quantize(a_.operation).axis == as_quantize(b_.operation).axis) return true;
    Part part{"matrix", "elements of a matrix", parity_.values, quantize_.element.to};
    const std::uint64_t length = std::max<std::uint64_t>(square / block_, 1) * block_;
    QuantizeCase wanted{"a matrix as it lies", {}, {Axis::row, length, length, block_}, {}};
    const suites::Maker maker(*parity_.values);
    for (std::uint64_t line = 0; line < length; ++line)
        for (std::uint64_t at = 0; at < length; ++at)
            wanted.values.push_back(
                maker.normal(static_cast<int>((line * 3 + at / 8) % 16), maker.ordinary(line + at)));
    Side<QuantizeCase> of_b = side_of(b_, *parity_.values, block_);
    of_b.given = [give = of_b.given](const QuantizeCase& whole) {
        QuantizeCase turned = whole;
        for (std::uint64_t line = 0; line < whole.matrix.lines; ++line)
            for (std::uint64_t at = 0; at < whole.matrix.length; ++at)
                turned.values[at * whole.matrix.lines + line] = whole.values[line * whole.matrix.length + at];
        return give(turned);
    };
    Both<QuantizeCase> as_it_lies(side_of(a_, *parity_.values, block_), of_b, parity_, options_);
    BothAnswered<QuantizeCase> both;
    if (!as_it_lies.ask("blocks", wanted, {}, both)) return false;
    if (both.a.quantized == nullptr) return true;
    for (std::uint64_t i = 0; i < wanted.matrix.elements(); ++i) {
        ++part.compared;
        if (both.a.outputs[0].get(i) == both.b.outputs[0].get(i)) continue;
        if (part.differing++ == 0)
            part.blocks.push_back({fmt::format("row {}, column {}", i / length, i % length),
                                   fmt::format("the element is 0x{:02X} in A and 0x{:02X} in B",
                                               both.a.outputs[0].get(i), both.b.outputs[0].get(i))});
    }
    parity_.parts.push_back(std::move(part));
    return true;
}

} // namespace

void compare_quantizers(const Pipeline& a, const Pipeline& b, verdict::GoldenSource& golden,
                        const ParityOptions& options, Parity& parity) {
    Comparing(a, b, golden, options, parity).compare();
}

} // namespace mxcert::parity

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/layers.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/linear/faults.hpp"
#include "conformance/suites/matmul/draw_product.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "conformance/suites/matmul/product_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// Products of layers.
class Layers final : public CasePart {
  public:
    Layers(const SuiteRun& run, bool special)
        : operation_(run.operation), form_(cases::form_of(run.operation)), options_(run.options),
          linear_(as_linear(run.operation)), judge_(linear_.matmul), special_(special) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const LinearCase& linear_case) { return ask(question(linear_case, false)); };
        if (special_) {
            bool goes_on = true;
            for_each_special_case(linear_, options_.seed, [&](const LinearCase& one) { return goes_on = take(one); });
            if (goes_on) for_each_large_case(linear_, options_.level, options_.seed, take);
        } else {
            for_each_value_case(linear_, options_.samples_per_step / 64, options_.seed, take);
        }
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        const LinearCase linear_case = case_of(linear_, given_case);
        Question asked = question(linear_case, true);
        if (has_open_elements(linear_, linear_case)) {
            asked.open = "the recipe leaves open what a NaN or Inf among its values gives, so nothing can be said of D";
            asked.judge = [](std::size_t /*all*/, const std::vector<frames::Values>& /*outputs*/) {
                return Findings();
            };
        }
        return asked;
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override;
    [[nodiscard]] bool is_sample() const override { return !special_; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override { return failed_products(row); }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        std::vector<KnownFault> known;
        if (!kept_.has_wrong()) return known;
        for (const LinearFault& fault : linear_faults())
            if (explains(fault)) known.push_back({find_bug_class(fault.bug_class), fault.name});
        return known;
    }
    [[nodiscard]] std::string left_out(const std::vector<std::string>& refused) const override {
        return left_out_products(refused, unbounded_, "without a bound not judged");
    }

  private:
    static constexpr std::size_t most_wrong = 4; // products that are kept to name what is wrong
    static constexpr std::size_t most_right = 2;
    static constexpr std::size_t largest_kept = 1U << 16U; // values of a tensor of one

    /// The exact models are slow: one product in so many is asked of them as well, and each of a small tensor.
    static constexpr std::uint64_t exact_one_in = 4;
    static constexpr std::size_t small_tensor = 512;

    /// A product that was asked for, and what came.
    struct Seen {
        LinearCase asked;
        frames::Values got;
    };
    /// A product, and its operands and what its elements may be once these are known.
    struct Judged {
        LinearCase one;
        bool exact = false; ///< both models are asked for the operands
        MatmulCase product;
        std::optional<std::vector<MatmulPermit>> permitted;
    };

    /// Sizes that do not divide into blocks, or into tiles of a product.
    [[nodiscard]] bool may_refuse(const LinearCase& linear_case) const {
        const std::size_t side = largest_side(linear_.operands);
        return linear_case.sizes.tokens % side != 0 || linear_case.sizes.inputs % side != 0 ||
               linear_case.sizes.outputs % side != 0;
    }

    [[nodiscard]] Question question(LinearCase this_linear_case, bool exact) {
        auto judged = std::make_shared<Judged>(Judged{std::move(this_linear_case), exact, {}, {}});
        Question question;
        question.name = judged->one.name;
        question.may_refuse = may_refuse(judged->one);
        question.runs = [this, judged] { return std::vector<frames::RunCase>{run_of(linear_, judged->one)}; };
        question.judge = [this, judged](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            if (!judged->permitted) {
                const bool small = judged->one.left.codes.size() <= small_tensor;
                judged->product =
                    product_of(linear_, judged->one, judged->exact || small || judged_++ % exact_one_in == 0);
                judged->permitted = judge_.permits(judged->product);
            }
            return judge_.compare(judged->product, *judged->permitted, outputs.front());
        };
        question.spoil = [this, judged](std::vector<frames::Values>& outputs) {
            judge_.spoil(*judged->permitted, outputs.front());
        };
        question.keep = [this, judged](std::size_t /*all*/, const std::vector<frames::Values>& outputs,
                                       const Findings& findings) {
            const LinearCase& linear_case = judged->one;
            unbounded_ += outputs.front().count() - findings.compared;
            if (std::max(linear_case.left.codes.size(), linear_case.right.codes.size()) > largest_kept) return;
            const bool right = findings.wrong.empty();
            if (kept_.takes(right)) kept_.add(right, {linear_case, outputs.front()});
        };
        return question;
    }

    /// Whether the layer with the fault gives all that came.
    [[nodiscard]] bool explains(const LinearFault& fault) const {
        const auto fits = [&](const Seen& seen) {
            const LinearMade quantized = fault.edit(operation_, seen.asked).value_or(LinearMade{linear_, seen.asked});
            try {
                const MatmulCase product = product_of(quantized);
                MatmulJudge judge(quantized.linear.matmul);
                if (quantized.kept == nullptr) return judge.explains(product, seen.got);
                if (quantized.linear.matmul.any_order) return false; // a bound is not rounded once more
                for (std::size_t at = 0; at < seen.got.count(); ++at) {
                    const MatmulPermit permit = judge.permit(product, at / product.shape.n, at % product.shape.n);
                    const Format& output = *quantized.linear.matmul.output;
                    if (!same(output, kept_in(*quantized.kept, output, permit.low), seen.got.get(at))) return false;
                }
                return true;
            } catch (const std::logic_error&) {
                return false; // the models do not have it, or nothing can be said of these operands
            }
        };
        return std::all_of(kept_.all().begin(), kept_.all().end(), fits);
    }

    const Operation& operation_;
    cases::CaseForm form_;
    const verdict::CertifyOptions& options_;
    Linear linear_;
    MatmulJudge judge_;
    bool special_;
    std::uint64_t judged_ = 0;
    std::uint64_t unbounded_ = 0;
    KeptAnswers<Seen> kept_{most_wrong, most_right};
};

/// What may be done with values that leave an operand open, until they do not: NaN and Inf are dropped; all lie in one
/// binade, so that sums are exact in any order; all are 1.
constexpr Code (*simpler_values[])(const Format&, Code) = {
    [](const Format& source, Code value) { return source.is_finite(value) ? value : 0; },
    [](const Format& source, Code value) {
        return (value & (source.sign_bit() | source.fraction_mask())) | source.one_code();
    },
    [](const Format& source, Code /*value*/) { return source.one_code(); },
};

// Some backends take whole blocks alone: one case in four has the sides of one, if that is not too slow.
cases::GivenCase Layers::draw(SplitMix64& random) {
    constexpr std::uint64_t most_in_order = 1U << 21U; // multiplications of whole blocks
    const bool any_order = linear_.matmul.any_order;
    const std::uint64_t side = largest_side(linear_.operands);
    cases::GivenCase given_case = draw_product(random, form_, most_drawn(any_order));
    if (random.below(4) == 0 && side * side * side <= (any_order ? most_drawn(true) : most_in_order)) {
        given_case.sizes.assign(3, side);
        draw_operands(random, form_, given_case);
    }
    const auto input = [&](std::size_t number) -> std::vector<Code>& { return given_case.tensors[number]; };
    if (const unsigned bits = linear_.operands.left.random_bits; bits != 0)
        for (Code& word : input(linear_.operands.left.given ? 4 : 2)) word &= (Code{1} << bits) - 1;
    for (const auto simpler : simpler_values) {
        if (!has_open_elements(linear_, case_of(linear_, given_case))) break;
        for (Code& value : input(0)) value = simpler(*linear_.operands.left.source, value);
        for (Code& value : input(1)) value = simpler(*linear_.operands.right.source, value);
    }
    return given_case;
}

} // namespace

std::unique_ptr<CasePart> linear_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<Layers>(run, part == "special");
}

} // namespace mxcert::suites

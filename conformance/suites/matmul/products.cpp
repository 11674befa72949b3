// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/products.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/matmul/alike_cases.hpp"
#include "conformance/suites/matmul/draw_product.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/group_faults.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "conformance/suites/matmul/large_cases.hpp"
#include "conformance/suites/matmul/product_text.hpp"
#include "conformance/suites/matmul/relations.hpp"
#include "conformance/suites/matmul/tie_cases.hpp"
#include "conformance/suites/matmul/zero_cases.hpp"
#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

/// Calls with each case of a part.
using ForEach = void (*)(const Matmul&, const verdict::CertifyOptions&, const TakeMatmulCase&);

constexpr struct {
    std::string_view name;
    bool is_sample;
    ForEach for_each;
} product_parts[] = {
    {"places", false,
     [](const Matmul& matmul, const verdict::CertifyOptions& options, const TakeMatmulCase& take) {
         bool goes_on = true;
         for_each_place_case(matmul, [&](const MatmulCase& one) { return goes_on = take(one); });
         if (goes_on) for_each_alike_case(matmul, [&](const MatmulCase& one) { return goes_on = take(one); });
         if (goes_on) for_each_large_case(matmul, options.level, take);
     }},
    {"special", false,
     [](const Matmul& matmul, const verdict::CertifyOptions& /*options*/, const TakeMatmulCase& take) {
         bool goes_on = true;
         for_each_special_case(matmul, [&](const MatmulCase& one) { return goes_on = take(one); });
         if (goes_on) for_each_zero_case(matmul, take);
     }},
    {"scales", false,
     [](const Matmul& matmul, const verdict::CertifyOptions& /*options*/, const TakeMatmulCase& take) {
         for_each_scale_case(matmul, take);
     }},
    {"values", true,
     [](const Matmul& matmul, const verdict::CertifyOptions& options, const TakeMatmulCase& take) {
         bool goes_on = true;
         const TakeMatmulCase take_if = [&](const MatmulCase& one) { return goes_on = take(one); };
         for_each_value_case(matmul, options.samples_per_step / 16, options.seed, take_if);
         if (goes_on) for_each_tie_case(matmul, take);
     }},
};

/// Products, each judged by itself.
class Products final : public CasePart {
  public:
    Products(const SuiteRun& run, bool is_sample, ForEach for_each)
        : matmul_(as_matmul(run.operation)), form_(cases::form_of(run.operation)), options_(run.options),
          judge_(matmul_), is_sample_(is_sample), for_each_(for_each) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        for_each_(matmul_, options_, [&](const MatmulCase& matmul_case) { return ask(question(matmul_case)); });
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(matmul_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        return draw_product(random, form_, most_drawn(matmul_.any_order));
    }
    [[nodiscard]] bool is_sample() const override { return is_sample_; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override { return failed_products(row); }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t judge) override;
    [[nodiscard]] std::string left_out(const std::vector<std::string>& refused) const override {
        return left_out_products(refused, unbounded_, "without a bound not judged");
    }

  private:
    static constexpr std::size_t most_wrong = 18; // products that are kept to name what is wrong
    static constexpr std::size_t most_short = 12; // of these, not longer than one before
    static constexpr std::size_t most_right = 4;
    static constexpr std::size_t largest_kept = 300; // elements of one, and products of a sum

    /// A product that was asked for, and what came.
    struct Seen {
        MatmulCase asked;
        frames::Values got;
    };
    /// A product, and what its elements may be once that is known: an answer is judged more than once.
    struct Judged {
        MatmulCase one;
        std::optional<std::vector<MatmulPermit>> permitted;
    };

    [[nodiscard]] Question question(MatmulCase matmul_case) {
        auto judged = std::make_shared<Judged>(Judged{std::move(matmul_case), {}});
        Question question;
        question.name = judged->one.name;
        question.may_refuse = may_refuse(matmul_, judged->one);
        if (question.may_refuse)
            question.filled = [this, judged] { return this->question(filled(matmul_, judged->one)); };
        question.runs = [this, judged] { return std::vector<frames::RunCase>{run_of(matmul_, judged->one)}; };
        question.judge = [this, judged](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            if (!judged->permitted) judged->permitted = judge_.permits(judged->one);
            return judge_.compare(judged->one, *judged->permitted, outputs.front());
        };
        question.spoil = [this, judged](std::vector<frames::Values>& outputs) {
            judge_.spoil(*judged->permitted, outputs.front());
        };
        question.keep = [this, judged](std::size_t /*all*/, const std::vector<frames::Values>& outputs,
                                       const Findings& findings) {
            const frames::Values& answers = outputs.front();
            unbounded_ += answers.count() - findings.compared;
            if (answers.count() > largest_kept || judged->one.shape.k > largest_kept) return;
            const bool right = findings.wrong.empty();
            // Short sums have many explanations: some of the wrong ones are longer than those before.
            const bool longer = judged->one.shape.k > longest_wrong_;
            if (!kept_.takes(right) || (!right && !longer && short_wrong_ == most_short)) return;
            if (!right && !longer) ++short_wrong_;
            if (!right) longest_wrong_ = std::max(longest_wrong_, judged->one.shape.k);
            kept_.add(right, {judged->one, answers});
        };
        return question;
    }

    /// Whether an operation on these operands gives all that came.
    template <class Operands> [[nodiscard]] bool explains(MatmulJudge& judge, const Operands& operands_of) const {
        return std::all_of(kept_.all().begin(), kept_.all().end(),
                           [&](const Seen& seen) { return judge.explains(operands_of(seen.asked), seen.got); });
    }

    /// Mistakes inside a unit for groups.
    [[nodiscard]] std::vector<KnownFault> known_in_groups() const;

    Matmul matmul_;
    cases::CaseForm form_;
    const verdict::CertifyOptions& options_;
    MatmulJudge judge_;
    bool is_sample_;
    ForEach for_each_;
    std::uint64_t unbounded_ = 0;
    KeptAnswers<Seen> kept_{most_wrong, most_right};
    std::size_t short_wrong_ = 0;   ///< that are kept and not longer than one before
    std::size_t longest_wrong_ = 0; ///< products of the sum
};

std::vector<KnownFault> Products::known_as(std::size_t /*judge*/) {
    std::vector<KnownFault> known;
    if (!kept_.has_wrong()) return known;
    for (const MatmulFault& fault : matmul_faults()) {
        const std::optional<Matmul> read = fault.read(matmul_);
        if (!read) continue;
        MatmulJudge judge(*read);
        if (explains(judge, [&](const MatmulCase& matmul_case) {
                return fault.edited(matmul_, matmul_case).value_or(matmul_case);
            }))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    }
    for (const Accumulator& other_accumulator : accumulators()) {
        if (&other_accumulator == matmul_.accumulator && !matmul_.any_order) continue;
        Matmul declared = matmul_;
        declared.accumulator = &other_accumulator;
        declared.any_order = false;
        if (!is_exact(other_accumulator) && !takes(other_accumulator, declared.format)) continue;
        if (!takes_blocks(other_accumulator, declared.a_scale.along, declared.b_scale.along)) continue;
        MatmulJudge judge(declared);
        if (explains(judge, [](const MatmulCase& matmul_case) { return matmul_case; }))
            known.push_back({&bug_class_of(*matmul_.accumulator, other_accumulator),
                             "the accumulator " + std::string(other_accumulator.name)});
    }
    // The whole definition has no parameters, and a bound says nothing of them.
    if (!known.empty() || matmul_.any_order || is_exact(*matmul_.accumulator)) return known;
    for (const AccumulatorSlip& slip : slips_of(*matmul_.accumulator)) {
        Matmul declared = matmul_;
        declared.accumulator = &slip.accumulator;
        MatmulJudge judge(declared);
        if (explains(judge, [](const MatmulCase& matmul_case) { return matmul_case; }))
            known.push_back({slip.bug_class, slip.how});
    }
    return known.empty() ? known_in_groups() : known;
}

std::vector<KnownFault> Products::known_in_groups() const {
    std::vector<KnownFault> known;
    const std::vector<GroupFault> faults = group_faults(matmul_);
    if (faults.empty()) return known;
    std::vector<std::vector<std::optional<Code>>> right;
    for (const Seen& seen : kept_.all()) right.push_back(product_of({}, matmul_, seen.asked));
    const Format& output = *matmul_.output;
    const auto explains = [&](const GroupFault& fault) {
        bool tells = false;
        for (std::size_t number = 0; number < right.size(); ++number) {
            const Seen& seen = kept_.all()[number];
            const std::vector<std::optional<Code>> d = product_of(fault, matmul_, seen.asked);
            for (std::size_t at = 0; at < d.size(); ++at) {
                if (!d[at]) continue;
                if (!same(output, *d[at], seen.got.get(at))) return false;
                tells = tells || !same(output, *d[at], *right[number][at]);
            }
        }
        return tells;
    };
    // Places that follow each other and give the same are one fault.
    for (auto fault = faults.begin(); fault != faults.end(); ++fault) {
        if (!explains(*fault)) continue;
        auto last = fault;
        while (std::next(last) != faults.end() && std::next(last)->mistake == fault->mistake &&
               std::next(last)->place == last->place + 1 && explains(*std::next(last)))
            ++last;
        known.push_back({find_bug_class(bug_class_of(*fault)), name_of(*fault, last->place)});
        fault = last;
    }
    return known;
}

/// Pairs of products that are related.
class Relations final : public CasePart {
  public:
    explicit Relations(const SuiteRun& run) : matmul_(as_matmul(run.operation)), seed_(run.options.seed) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        for_each_relation(matmul_, seed_, [&](const MatmulRelation& relation) { return ask(question(relation)); });
    }
    [[nodiscard]] Question given(const cases::GivenCase& /*one*/) override {
        throw std::logic_error("a relation is of two products"); // parse_reproduction() refuses it
    }
    [[nodiscard]] bool is_sample() const override { return true; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override { return failed_products(row); }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override { return {}; }
    [[nodiscard]] std::string left_out(const std::vector<std::string>& refused) const override {
        return left_out_products(refused, unrelated_, "at the ends of its range not compared");
    }

  private:
    [[nodiscard]] Question question(const MatmulRelation& relation) {
        auto matmul_relation = std::make_shared<const MatmulRelation>(relation);
        Question question;
        question.name = matmul_relation->name;
        question.may_refuse = may_refuse(matmul_, matmul_relation->first);
        question.runs = [this, matmul_relation] {
            return std::vector<frames::RunCase>{run_of(matmul_, matmul_relation->first),
                                                run_of(matmul_, matmul_relation->second)};
        };
        question.judge = [this, matmul_relation](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            return compare(*matmul_relation, outputs[0], outputs[1]);
        };
        question.spoil = [this, matmul_relation](std::vector<frames::Values>& outputs) {
            const Format& output = *matmul_.output;
            for_each_related(*matmul_relation, outputs[0], [&](std::size_t at, std::optional<Code> wanted) {
                if (!wanted) return true;
                outputs[1].set(at, *wanted ^ Code{1} << static_cast<unsigned>(output.fraction_bits));
                return false;
            });
        };
        question.keep = [this, matmul_relation](std::size_t /*all*/, const std::vector<frames::Values>& outputs,
                                                const Findings& /*found*/) {
            for_each_related(*matmul_relation, outputs[0], [&](std::size_t /*at*/, std::optional<Code> wanted) {
                unrelated_ += wanted ? 0 : 1;
                return true;
            });
        };
        return question;
    }

    /// Calls with every element that the relation is about, and what it must be in the second product, until a call
    /// returns false.
    void for_each_related(const MatmulRelation& relation, const frames::Values& first,
                          const std::function<bool(std::size_t at, std::optional<Code> wanted)>& call) const {
        const std::size_t columns = relation.first.shape.n;
        for (std::size_t at = 0; at < first.count(); ++at)
            if (relation.is_about(at / columns, at % columns) &&
                !call(at, related(relation, *matmul_.output, first.get(at))))
                return;
    }

    [[nodiscard]] Findings compare(const MatmulRelation& relation, const frames::Values& first,
                                   const frames::Values& second) const {
        const Format& output = *matmul_.output;
        const std::size_t columns = relation.first.shape.n;
        Findings findings;
        for_each_related(relation, first, [&](std::size_t at, std::optional<Code> wanted) {
            if (!wanted) return true;
            ++findings.compared;
            if (!is_same_value(*wanted, second.get(at)))
                findings.add(fmt::format("{}: element {},{} was {} and is {}, not {}", relation.name, at / columns,
                                         at % columns, code_text(output, first.get(at)),
                                         code_text(output, second.get(at)), code_text(output, *wanted)));
            return true;
        });
        return findings;
    }
    /// The same number; of zeros any.
    [[nodiscard]] bool is_same_value(Code wanted, Code answer) const {
        const Code magnitude = matmul_.output->magnitude_mask();
        return wanted == answer || ((wanted | answer) & magnitude) == 0;
    }

    Matmul matmul_;
    std::uint64_t seed_;
    std::uint64_t unrelated_ = 0;
};

} // namespace

std::unique_ptr<CasePart> matmul_part(const SuiteRun& run, std::string_view part) {
    for (const auto& known : product_parts)
        if (known.name == part) return std::make_unique<Products>(run, known.is_sample, known.for_each);
    return std::make_unique<Relations>(run);
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/certify.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/case_row.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "conformance/suites/matmul/relations.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

/// A row on its way.
class MatmulRow {
  public:
    MatmulRow(Subject& subject, const Operation& operation, const CertifyOptions& options, const char* part)
        : subject_(subject), operation_(operation), matmul_(as_matmul(operation)), judge_(matmul_),
          row_(subject, operation, options, part) {}

    /// Asks for a product: false if there is no use in going on.
    bool ask(const MatmulCase& one) {
        return row_.ask(
            one.name, may_refuse(matmul_, one), [&] { return std::vector<RunCase>{run_of(matmul_, one)}; },
            [&](const std::vector<Values>& outputs) { compare(one, outputs[0]); });
    }

    /// Asks for two products that are related.
    bool ask(const MatmulRelation& one) {
        return row_.ask(
            one.name, may_refuse(matmul_, one.first),
            [&] {
                return std::vector<RunCase>{run_of(matmul_, one.first), run_of(matmul_, one.second)};
            },
            [&](const std::vector<Values>& outputs) { compare(one, outputs[0], outputs[1]); });
    }

    template <class Ask> [[nodiscard]] Row of(bool sample, const Ask& ask) {
        return row_.finish(
            sample,
            [&] {
                if (const auto given = row_.given())
                    this->ask(case_of(matmul_, *given));
                else
                    ask(*this);
            },
            [](const Row& row) {
                return fmt::format("{} of D {} not permitted", counted(row.differing, "element"),
                                   row.differing == 1 ? "is" : "are");
            },
            [&] { return known_as(); },
            [&](const std::vector<std::string>& refused) { return left_out(refused.size()); },
            [&](const GivenCase& given) { return faults_of(case_of(matmul_, given)); });
    }

  private:
    static constexpr std::size_t most_wrong = 6; // products that are kept to name what is wrong
    static constexpr std::size_t most_right = 4;
    static constexpr std::size_t largest_kept = 300; // elements of one, and products of a sum

    /// A product that was asked for, and what came.
    struct Seen {
        MatmulCase asked;
        Values got;
    };

    [[nodiscard]] std::string left_out(std::size_t refused) const {
        std::vector<std::string> texts;
        if (refused != 0)
            texts.push_back(
                fmt::format("refused, as it may: {} of sizes that do not divide", counted(refused, "product")));
        if (unbounded_ != 0)
            texts.push_back(fmt::format("{} of D without a bound not judged", counted(unbounded_, "element")));
        if (unrelated_ != 0)
            texts.push_back(
                fmt::format("{} of D at the ends of its range not compared", counted(unrelated_, "element")));
        return fmt::format("{}", fmt::join(texts, "; "));
    }

    /// What is wrong in the answer to a smaller one.
    [[nodiscard]] std::vector<std::string> faults_of(const MatmulCase& one) {
        std::vector<std::string> faults;
        if (const auto outputs = outputs_of(subject_, operation_, run_of(matmul_, one)))
            (void)judge_.compare(one, outputs->front(), [&](const std::string& text) { faults.push_back(text); });
        return faults;
    }

    void compare(const MatmulCase& one, const Values& got) {
        bool right = true;
        const auto compared = judge_.compare(one, got, [&](const std::string& text) {
            right = false;
            row_.add_fault(text);
        });
        row_.add_compared(compared.judged);
        unbounded_ += compared.unbounded;
        if (got.count() > largest_kept || one.shape.k > largest_kept) return;
        std::vector<Seen>& kept = right ? right_ : wrong_;
        if (kept.size() < (right ? most_right : most_wrong)) kept.push_back({one, got});
    }

    void compare(const MatmulRelation& one, const Values& first, const Values& second) {
        const Format& output = *matmul_.output;
        const std::size_t columns = one.first.shape.n;
        for (std::size_t at = 0; at < first.count(); ++at) {
            if (!one.is_about(at / columns, at % columns)) continue;
            const std::optional<Code> wanted = related(one, output, first.get(at));
            if (!wanted) {
                ++unrelated_;
                continue;
            }
            row_.add_compared(1);
            if (is_same_value(*wanted, second.get(at))) {
                const Code planted = *wanted ^ Code { 1 } << static_cast<unsigned>(output.fraction_bits);
                if (is_same_value(*wanted, planted))
                    throw std::logic_error("a wrong element that was planted was not found");
                continue;
            }
            row_.add_fault(fmt::format("{}: element {},{} was {} and is {}, not {}", one.name, at / columns,
                                       at % columns, code_text(output, first.get(at)),
                                       code_text(output, second.get(at)), code_text(output, *wanted)));
        }
    }
    /// The same number; of zeros any.
    [[nodiscard]] bool is_same_value(Code wanted, Code got) const {
        const Code magnitude = matmul_.output->magnitude_mask();
        return wanted == got || ((wanted | got) & magnitude) == 0;
    }

    /// Whether an operation on these operands gives all that came.
    template <class Operands> [[nodiscard]] bool explains(MatmulJudge& judge, const Operands& operands_of) const {
        const auto fits = [&](const Seen& seen) { return judge.explains(operands_of(seen.asked), seen.got); };
        return std::all_of(wrong_.begin(), wrong_.end(), fits) && std::all_of(right_.begin(), right_.end(), fits);
    }

    /// What explains everything that was kept.
    [[nodiscard]] std::vector<KnownFault> known_as() {
        std::vector<KnownFault> known;
        if (wrong_.empty()) return known;
        for (const MatmulFault& fault : matmul_faults())
            if (explains(judge_, [&](const MatmulCase& one) { return fault.edit(matmul_, one).value_or(one); }))
                known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        for (const Accumulator& other : accumulators()) {
            if (&other == matmul_.accumulator && !matmul_.any_order) continue;
            Matmul declared = matmul_;
            declared.accumulator = &other;
            declared.any_order = false;
            if (other.sum != GroupSum::exact && !takes(other, declared.format)) continue;
            MatmulJudge judge(declared);
            if (explains(judge, [](const MatmulCase& one) { return one; }))
                known.push_back(
                    {&bug_class_of(*matmul_.accumulator, other), "the accumulator " + std::string(other.name)});
        }
        return known;
    }

    Subject& subject_;
    const Operation& operation_;
    Matmul matmul_;
    MatmulJudge judge_;
    CaseRow row_;
    std::uint64_t unbounded_ = 0;
    std::uint64_t unrelated_ = 0;
    std::vector<Seen> wrong_;
    std::vector<Seen> right_;
};

} // namespace

std::vector<Row> certify_matmul(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const Matmul matmul = as_matmul(operation);
    std::vector<Row> rows;
    const auto row_of = [&](const char* part, bool sample, const auto& ask) {
        if (!selected(options.filters, to_string(operation) + '/' + part)) return;
        MatmulRow row(subject, operation, options, part);
        rows.push_back(row.of(sample, ask));
    };
    row_of("places", false,
           [&](MatmulRow& row) { for_each_place_case(matmul, [&](const MatmulCase& one) { return row.ask(one); }); });
    row_of("special", false,
           [&](MatmulRow& row) { for_each_special_case(matmul, [&](const MatmulCase& one) { return row.ask(one); }); });
    row_of("values", true, [&](MatmulRow& row) {
        for_each_value_case(matmul, options.samples_per_step / 16, options.seed,
                            [&](const MatmulCase& one) { return row.ask(one); });
    });
    row_of("relations", true, [&](MatmulRow& row) {
        for_each_relation(matmul, options.seed, [&](const MatmulRelation& one) { return row.ask(one); });
    });
    return rows;
}

} // namespace mxcert

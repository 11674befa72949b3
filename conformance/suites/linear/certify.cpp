// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/certify.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/case_row.hpp"
#include "conformance/suites/linear/faults.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

/// A row on its way.
class LinearRow {
  public:
    LinearRow(Subject& subject, const Operation& operation, const CertifyOptions& options, const char* part)
        : subject_(subject), operation_(operation), linear_(as_linear(operation)), judge_(linear_.matmul),
          row_(subject, operation, options, part) {}

    /// Asks for a product: false if there is no use in going on.
    bool ask(const LinearCase& one) {
        return row_.ask(
            one.name, may_refuse(one), [&] { return std::vector<RunCase>{run_of(linear_, one)}; },
            [&](const std::vector<Values>& outputs) { compare(one, outputs[0]); });
    }

    template <class Ask> [[nodiscard]] Row of(bool sample, const Ask& ask) {
        return row_.finish(
            sample,
            [&] {
                if (const auto given = row_.given())
                    this->ask(case_of(linear_, *given));
                else
                    ask(*this);
            },
            [](const Row& row) {
                return fmt::format("{} of D {} not permitted", counted(row.differing, "element"),
                                   row.differing == 1 ? "is" : "are");
            },
            [&] { return known_as(); },
            [&](const std::vector<std::string>& refused) {
                std::vector<std::string> texts;
                if (!refused.empty())
                    texts.push_back(fmt::format("refused, as it may: {} of sizes that do not divide",
                                                counted(refused.size(), "product")));
                if (unbounded_ != 0)
                    texts.push_back(fmt::format("{} of D without a bound not judged", counted(unbounded_, "element")));
                return fmt::format("{}", fmt::join(texts, "; "));
            },
            [&](const GivenCase& given) { return faults_of(case_of(linear_, given)); });
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
        Values got;
    };

    /// Sizes that do not divide into blocks, or into tiles of a product.
    [[nodiscard]] bool may_refuse(const LinearCase& one) const {
        const std::size_t side = largest_side(linear_.operands);
        return one.sizes.tokens % side != 0 || one.sizes.inputs % side != 0 || one.sizes.outputs % side != 0;
    }

    /// What is wrong in the answer to a smaller one.
    [[nodiscard]] std::vector<std::string> faults_of(const LinearCase& one) {
        std::vector<std::string> faults;
        if (const auto outputs = outputs_of(subject_, operation_, run_of(linear_, one)))
            (void)judge_.compare(product_of(linear_, one, true), outputs->front(),
                                 [&](const std::string& text) { faults.push_back(text); });
        return faults;
    }

    void compare(const LinearCase& one, const Values& got) {
        bool right = true;
        const bool small = one.left.codes.size() <= small_tensor;
        const MatmulCase product = product_of(linear_, one, small || asked_++ % exact_one_in == 0);
        const auto compared = judge_.compare(product, got, [&](const std::string& text) {
            right = false;
            row_.add_fault(text);
        });
        row_.add_compared(compared.judged);
        unbounded_ += compared.unbounded;
        if (std::max(one.left.codes.size(), one.right.codes.size()) > largest_kept) return;
        std::vector<Seen>& kept = right ? right_ : wrong_;
        if (kept.size() < (right ? most_right : most_wrong)) kept.push_back({one, got});
    }

    /// Whether the layer with the fault gives all that came.
    [[nodiscard]] bool explains(const LinearFault& fault) const {
        const auto fits = [&](const Seen& seen) {
            const LinearMade made = fault.edit(operation_, seen.asked).value_or(LinearMade{linear_, seen.asked});
            try {
                const MatmulCase product = product_of(made);
                MatmulJudge judge(made.linear.matmul);
                if (made.kept == nullptr) return judge.explains(product, seen.got);
                if (made.linear.matmul.any_order) return false; // a bound is not rounded once more
                for (std::size_t at = 0; at < seen.got.count(); ++at) {
                    const MatmulPermit permit = judge.permit(product, at / product.shape.n, at % product.shape.n);
                    const Format& output = *made.linear.matmul.output;
                    if (!same(output, kept_in(*made.kept, output, permit.low), seen.got.get(at))) return false;
                }
                return true;
            } catch (const std::logic_error&) {
                return false; // the models do not have it, or nothing can be said of these operands
            }
        };
        return std::all_of(wrong_.begin(), wrong_.end(), fits) && std::all_of(right_.begin(), right_.end(), fits);
    }

    /// What explains everything that was kept.
    [[nodiscard]] std::vector<KnownFault> known_as() const {
        std::vector<KnownFault> known;
        if (wrong_.empty()) return known;
        for (const LinearFault& fault : linear_faults())
            if (explains(fault)) known.push_back({find_bug_class(fault.bug_class), fault.name});
        return known;
    }

    Subject& subject_;
    const Operation& operation_;
    Linear linear_;
    MatmulJudge judge_;
    CaseRow row_;
    std::uint64_t asked_ = 0;
    std::uint64_t unbounded_ = 0;
    std::vector<Seen> wrong_;
    std::vector<Seen> right_;
};

} // namespace

std::vector<Row> certify_linear(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const Linear linear = as_linear(operation);
    std::vector<Row> rows;
    const auto row_of = [&](const char* part, bool sample, const auto& ask) {
        if (!selected(options.filters, to_string(operation) + '/' + part)) return;
        LinearRow row(subject, operation, options, part);
        rows.push_back(row.of(sample, ask));
    };
    row_of("values", true, [&](LinearRow& row) {
        for_each_value_case(linear, options.samples_per_step / 64, options.seed,
                            [&](const LinearCase& one) { return row.ask(one); });
    });
    row_of("special", false, [&](LinearRow& row) {
        for_each_special_case(linear, options.seed, [&](const LinearCase& one) { return row.ask(one); });
    });
    return rows;
}

} // namespace mxcert

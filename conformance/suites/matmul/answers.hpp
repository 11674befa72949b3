// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/suites/matmul/judge.hpp"
#include "reference/code_text.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"
#include "vectors/cases/dot_cases.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {

/// The answers to products, and what accumulators give for the same products. Keeps references to all that it is given.
class Answers {
  public:
    Answers(const DotCases& cases, const Format& output, bool has_c, const std::vector<Code>& answers)
        : asked_(cases), output_(output), has_c_(has_c), got_(answers) {}

    [[nodiscard]] std::size_t count() const { return got_.size(); }

    /// Whether the accumulator can be asked for these products.
    [[nodiscard]] bool fits(const Accumulator& model) const {
        return takes(model, format_of(model)) && takes_blocks(model, asked_.block_a, asked_.block_b) &&
               (!has_c_ || model.result->name == asked_.format.c->name);
    }

    /// Calls see(i, what the accumulator gives) product by product, in this order or that of the cases, until it is
    /// false. Precondition: fits().
    template <class See>
    void for_each(const Accumulator& model, const See& see, std::span<const std::size_t> order = {}) const {
        const auto see_all = [&](const auto& give) {
            for (std::size_t at = 0; at < asked_.cases.size(); ++at) {
                const std::size_t i = order.empty() ? at : order[at];
                if (!see(i, give(operands(i)))) return;
            }
        };
        if (is_exact(model)) {
            DotFormat format = format_of(model);
            format.to = &output_; // one rounding
            fast::Dot dot(format, nearest(output_));
            see_all([&](const DotOperands& of) { return dot(of); });
            return;
        }
        fast::Accumulate accumulate(model, format_of(model));
        see_all([&](const DotOperands& of) { return narrowed(*model.result, output_, accumulate(of)); });
    }
    [[nodiscard]] const DotCases& cases() const { return asked_; }
    [[nodiscard]] const Format& output() const { return output_; }
    [[nodiscard]] bool has_c() const { return has_c_; }
    [[nodiscard]] bool is(std::size_t i, Code code) const { return same(output_, got_[i], code); }

    /// How many answers it gives; 0 if they are no more than `known`.
    [[nodiscard]] std::size_t explained_beyond(std::size_t known, const Accumulator& model) const {
        std::size_t wrong = 0;
        for_each(model, [&](std::size_t i, Code code) {
            wrong += is(i, code) ? 0 : 1;
            return wrong + known < count();
        });
        return wrong + known < count() ? count() - wrong : 0;
    }

    [[nodiscard]] std::vector<std::string> nans() const {
        std::set<std::string> codes;
        for (const Code code : got_)
            if (output_.is_nan(code)) codes.insert(hex(code, output_));
        return {codes.begin(), codes.end()};
    }

    [[nodiscard]] std::string text(std::size_t i, Code other_code) const {
        return fmt::format("{} (product {}): {}, not {}", asked_.cases[i].about, i, code_text(output_, got_[i]),
                           code_text(output_, other_code));
    }

  private:
    [[nodiscard]] DotFormat format_of(const Accumulator& model) const {
        return dot_format(model, *asked_.format.a, *asked_.format.b, asked_.format.scale_a);
    }
    [[nodiscard]] DotOperands operands(std::size_t i) const { return asked_.operands(asked_.cases[i]); }

    const DotCases& asked_;
    const Format& output_;
    bool has_c_;
    const std::vector<Code>& got_;
};

} // namespace mxcert::suites

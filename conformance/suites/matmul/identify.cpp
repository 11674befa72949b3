// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/identify.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/matmul/cases.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "reference/code_text.hpp"
#include "reference/dot/accumulator_change.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t products = 256; ///< of a sum: two groups of 128, two promotions
constexpr std::size_t side = 16;      ///< of D, for kernels that take whole tiles; the diagonal is looked at
constexpr std::size_t most_starts = 3;
constexpr std::size_t most_unexplained = 5;

/// What the answers are compared with.
class Answers {
  public:
    Answers(const DotCases& asked, const Format& output, bool has_c, const std::vector<Code>& got)
        : asked_(asked), output_(output), has_c_(has_c), got_(got) {}

    [[nodiscard]] std::size_t count() const { return got_.size(); }

    /// Whether the accumulator can be asked for these products.
    [[nodiscard]] bool fits(const Accumulator& model) const {
        return takes(model, format_of(model)) && (!has_c_ || model.result->name == asked_.format.c->name);
    }

    /// Calls see(i, what the accumulator gives) product by product, until it is false. Precondition: fits().
    template <class See> void for_each(const Accumulator& model, const See& see) const {
        if (model.sum == GroupSum::exact) {
            DotFormat format = format_of(model);
            format.to = &output_; // one rounding
            fast::Dot dot(format, nearest(output_));
            for (std::size_t i = 0; i < got_.size(); ++i)
                if (!see(i, dot(operands(i)))) return;
            return;
        }
        fast::Accumulate accumulate(model, format_of(model));
        for (std::size_t i = 0; i < got_.size(); ++i)
            if (!see(i, narrowed(*model.result, output_, accumulate(operands(i))))) return;
    }
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

    [[nodiscard]] std::string text(std::size_t i, Code other) const {
        return fmt::format("{} (product {}): {}, not {}", asked_.cases[i].about, i, code_text(output_, got_[i]),
                           code_text(output_, other));
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

/// The code of a NaN says nothing here.
bool is_looked_at(const AccumulatorParameter& parameter, const Accumulator& model) {
    return parameter.name != "NaN" && parameter.says(model);
}

/// Changes the one parameter by which most is explained, again and again until none does better. `best`: what the model
/// explains before, and after.
void improve(const Answers& answers, Accumulator& model, std::size_t& best) {
    for (bool better = true; better && best != answers.count();) {
        better = false;
        const Accumulator given = model;
        for (const AccumulatorParameter& parameter : accumulator_parameters()) {
            if (!is_looked_at(parameter, given)) continue;
            for (const Accumulator& other : parameter.values(given)) {
                const std::size_t explained = answers.explained_beyond(best, other);
                if (explained == 0) continue;
                best = explained;
                model = other;
                better = true;
            }
        }
    }
}

/// What speaks for each parameter. `right`: the answers that the model gives.
std::vector<diagnose::FoundParameter> parameters_of(const Answers& answers, const Accumulator& model,
                                                    const std::vector<bool>& right) {
    std::vector<diagnose::FoundParameter> found;
    for (const AccumulatorParameter& parameter : accumulator_parameters()) {
        if (!is_looked_at(parameter, model)) continue;
        diagnose::FoundParameter& one = found.emplace_back();
        one.name = parameter.name;
        one.value = parameter.text(model);
        for (const Accumulator& other : parameter.values(model)) {
            if (parameter.text(other) == one.value) continue;
            std::size_t lost = 0;
            answers.for_each(other, [&](std::size_t i, Code code) {
                lost += right[i] && !answers.is(i, code) ? 1 : 0;
                return !one.decided_by || lost < *one.decided_by;
            });
            if (lost == 0) one.alike.push_back(parameter.text(other));
            one.decided_by = std::min(one.decided_by.value_or(lost), lost);
        }
    }
    return found;
}

} // namespace

FoundAccumulator find_accumulator(const DotCases& asked, const Format& output, bool has_c,
                                  const std::vector<Code>& got) {
    const Answers answers(asked, output, has_c, got);
    FoundAccumulator found;
    found.asked = got.size();
    found.nans = answers.nans();

    struct Start {
        std::size_t explained;
        const Accumulator* model;
    };
    std::vector<Start> starts;
    for (const Accumulator& one : accumulators())
        if (answers.fits(one)) starts.push_back({answers.explained_beyond(0, one), &one});
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& a, const Start& b) { return a.explained > b.explained; });
    if (starts.empty()) return found;
    found.nearest = starts.front().model->name;
    found.nearest_explained = starts.front().explained;
    for (const Start& start : starts)
        if (start.explained == found.asked) found.same.push_back(start.model->name);

    for (std::size_t i = 0; i < std::min(starts.size(), most_starts) && found.explained != found.asked; ++i) {
        Accumulator model = *starts[i].model;
        std::size_t explained = starts[i].explained;
        improve(answers, model, explained);
        if (found.model && explained <= found.explained) continue;
        found.model = model;
        found.explained = explained;
    }
    std::vector<bool> right(found.asked);
    answers.for_each(*found.model, [&](std::size_t i, Code code) {
        right[i] = answers.is(i, code);
        if (!right[i] && found.unexplained.size() < most_unexplained)
            found.unexplained.push_back(answers.text(i, code));
        return true;
    });
    found.parameters = parameters_of(answers, *found.model, right);
    return found;
}

FoundAccumulator identify_matmul(observe::Subject& subject, const Operation& operation) {
    const Matmul matmul = as_matmul(operation);
    const DotCases asked = dot_cases(matmul.format, matmul.a_scale.along, matmul.b_scale.along, products, matmul.has_c);
    // Where lines share a scale, one of them is looked at.
    const bool alone = matmul.format.scale_a != nullptr && (matmul.a_scale.across != 1 || matmul.b_scale.across != 1);
    const std::size_t at_once = alone ? 1 : side;
    const MatmulShape shape = matmul.shape(side, side, products);
    std::vector<Code> answers;
    for (std::size_t first = 0; first < asked.cases.size(); first += at_once) {
        MatmulCase made;
        made.shape = shape;
        made.a.assign(side * products, code_of(*matmul.format.a, 0));
        made.b.assign(products * side, code_of(*matmul.format.b, 0));
        made.c.assign(side * side, 0);
        if (matmul.format.scale_a != nullptr) {
            made.scales_a.assign(shape.a_scales(), code_of(*matmul.format.scale_a, 1));
            made.scales_b.assign(shape.b_scales(), code_of(*matmul.format.scale_b, 1));
        }
        const std::size_t here = std::min(at_once, asked.cases.size() - first);
        for (std::size_t i = 0; i < here; ++i) {
            const DotCase& one = asked.cases[first + i];
            for (std::size_t l = 0; l < products; ++l) {
                made.a[shape.a_at(i, l)] = one.a[l];
                made.b[shape.b_at(l, i)] = one.b[l];
            }
            for (std::size_t t = 0; t < one.scales_a.size(); ++t)
                made.scales_a[shape.a_scale_at(i, t)] = one.scales_a[t];
            for (std::size_t t = 0; t < one.scales_b.size(); ++t)
                made.scales_b[shape.b_scale_at(t, i)] = one.scales_b[t];
            made.c[i * side + i] = one.c;
        }
        frames::RunCase run = run_of(matmul, made);
        run.row = "probes";
        run.name = asked.cases[first].about;
        const frames::RunAnswer answer = subject.run(operation, run);
        if (answer.status != Status::pass) {
            FoundAccumulator failed;
            failed.operation = to_string(operation);
            failed.status = answer.status;
            failed.reason = answer.reason;
            return failed;
        }
        for (std::size_t i = 0; i < here; ++i) answers.push_back(answer.outputs[0].get(i * side + i));
    }
    FoundAccumulator found = find_accumulator(asked, *matmul.output, matmul.has_c, answers);
    found.operation = to_string(operation);
    return found;
}

} // namespace mxcert::suites

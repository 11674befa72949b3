// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/part.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/models_agree.hpp"
#include "conformance/suites/partial_cast/large.hpp"
#include "conformance/suites/partial_cast/way.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/recipe/partial_cast.hpp"
#include "reference/fast/recipe/partial_cast.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using recipe::GivenScale;
using recipe::PartialCast;
using recipe::Shard;

constexpr std::uint64_t largest_kept = 1U << 17U; // elements of a case that is kept to name what is wrong
constexpr std::size_t most_wrong_kept = 8;
constexpr std::size_t most_right_kept = 8;

/// An element and what came of it, in words.
std::string text_of(const PartialCast& cast, const Shard& shard, std::uint64_t element, Code answer, Code wanted) {
    const std::uint64_t columns = shard.matrix.columns;
    const std::string place = fmt::format("row {}, column {}", element / columns, element % columns);
    const std::string answers =
        fmt::format("{}, not {}", code_text(*cast.element, answer), code_text(*cast.element, wanted));
    if (!shard.has(element)) return fmt::format("{}, outside the shard, is {}", place, answers);
    const std::uint64_t k = element - shard.first;
    const Place block = scale_place(shard.matrix, cast.block, {element / columns, element % columns});
    const Code scale = shard.scales[block.row * scales_of(shard.matrix, cast.block).columns + block.column];
    return fmt::format("{}, value {} of the shard ({} under the scale {}), is {}", place, k,
                       code_text(*cast.source, shard.values[k]), code_text(format_of(cast.scale), scale), answers);
}

class PartialCastPart final : public CasePart {
  public:
    PartialCastPart(const SuiteRun& run, std::string_view part)
        : cast_(as_partial_cast(run.operation)), options_(run.options), part_(part) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const ShardCase& shard_case) { return ask(question(shard_case)); };
        if (part_ == "elements") {
            for_each_scale_case(cast_, options_.level, options_.seed, take);
            return;
        }
        if (!for_each_bounds_case(cast_, options_.level, take) || is_small(options_.level)) return;
        for (const ShardCase& ring : shard_rings(cast_))
            if (!take(ring)) return;
    }
    [[nodiscard]] Question given(const cases::GivenCase& /*given_case*/) override {
        throw std::logic_error("a shard is no case that is written down");
    }
    [[nodiscard]] bool is_sample() const override { return part_ == "elements"; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} with values that are not expected", print::counted(row.differing, "element"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        return suites::known_as(cast_, kept_.all());
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "shards") return all;
        for (const ShardCase& ring : shard_rings(cast_)) all.push_back({large_shards(cast_, ring, options_.level)});
        return all;
    }

  private:
    /// What must be there afterwards.
    struct Wanted {
        ShardCase asked;
        std::vector<Code> after;
        std::vector<bool> may_change;

        [[nodiscard]] bool is_judged(std::uint64_t element) const { return may_change.empty() || !may_change[element]; }
    };

    [[nodiscard]] Question question(const ShardCase& shard_case) {
        auto wanted = std::make_shared<Wanted>();
        wanted->asked = shard_case;
        wanted->after = exact::partial_cast(cast_, shard_case.shard);
        must_agree(std::equal(wanted->after.begin(), wanted->after.end(),
                              fast::partial_cast(cast_, shard_case.shard).begin(),
                              [this](Code a, Code b) { return same(*cast_.element, a, b); }),
                   shard_case.name);
        wanted->may_change = undefined_elements(cast_, shard_case.shard);
        Question question;
        question.name = shard_case.name;
        question.may_refuse = may_be_refused(shard_case);
        if (cast_.scale == GivenScale::e8m0) question.tensor = shard_case.matrix.values;
        question.judged = {nullptr};
        question.spoil = [this, wanted](std::vector<frames::Values>& outputs) { spoil(*wanted, outputs[0]); };
        question.runs = [this, wanted] { return std::vector<frames::RunCase>{run_of(cast_, wanted->asked)}; };
        question.judge = [this, wanted](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            return judge(*wanted, outputs[0]);
        };
        question.keep = [this, wanted](std::size_t /*judge*/, const std::vector<frames::Values>& outputs,
                                       const Findings& findings) {
            const bool right = findings.wrong.empty();
            if (wanted->after.size() <= largest_kept && kept_.takes(right))
                kept_.add(right, {wanted->asked, wanted->may_change, outputs[0]});
        };
        return question;
    }

    [[nodiscard]] Findings judge(const Wanted& wanted, const frames::Values& answer) const {
        Findings findings;
        std::string first;
        for (std::uint64_t element = 0; element < wanted.after.size(); ++element) {
            if (!wanted.is_judged(element)) continue;
            ++findings.compared;
            if (same(*cast_.element, answer.get(element), wanted.after[element])) continue;
            if (findings.differing++ == 0)
                first = text_of(cast_, wanted.asked.shard, element, answer.get(element), wanted.after[element]);
        }
        if (findings.differing != 0)
            findings.wrong.push_back(fmt::format("{}: {} wrong, {}", wanted.asked.name,
                                                 print::counted(findings.differing, "element"), first));
        return findings;
    }

    /// Makes one element wrong: the last of the shard, or the last that is outside of it.
    void spoil(const Wanted& wanted, frames::Values& answer) const {
        const Shard& shard = wanted.asked.shard;
        const bool outside = shard.values.empty() || shard.first % 2 != 0;
        for (std::uint64_t element = wanted.after.size(); element-- > 0;) {
            if (!wanted.is_judged(element) || (outside && shard.has(element) && shard.first != 0)) continue;
            if (!outside && !shard.has(element)) continue;
            const Code other = wanted.after[element] ^ 1U;
            answer.set(element, same(*cast_.element, other, wanted.after[element]) ? 0 : other);
            return;
        }
        answer.set(shard.first, wanted.after[shard.first] == 0 ? 1 : 0);
    }

    PartialCast cast_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    KeptAnswers<ShardSeen> kept_{most_wrong_kept, most_right_kept};
};

} // namespace

std::unique_ptr<CasePart> partial_cast_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<PartialCastPart>(run, part);
}

} // namespace mxcert::suites

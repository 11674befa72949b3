// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/layout/places.hpp"

#include <utility>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/layout/cases.hpp"
#include "conformance/suites/layout/layout_verdict.hpp"

namespace mxcert::suites {
namespace {

std::vector<KnownFault> known_layouts(const std::vector<LayoutExplanation>& explanations) {
    std::vector<KnownFault> known;
    for (const LayoutExplanation& explanation : explanations)
        known.push_back({find_bug_class(bug_class_of(explanation)), text(explanation)});
    return known;
}

class LayoutPlaces final : public CasePart {
  public:
    explicit LayoutPlaces(const SuiteRun& run) : layout_(as_layout(run.operation)) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        for (const LayoutCase& layout_case : layout_cases(layout_))
            if (!ask(question(layout_case))) return;
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(layout_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        const Extent& unit = layout_.layout->multiple;
        const Extent scales = draw_extent(random, {unit.rows, unit.columns});
        return {{scales.rows, scales.columns}, {}};
    }
    [[nodiscard]] std::string failed(const verdict::Row& /*row*/) const override {
        return fmt::format("{} of a matrix with bytes in wrong places", print::counted(wrong_.size(), "case"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        return known_layouts(common_explanations(wrong_));
    }

  private:
    [[nodiscard]] Question question(const LayoutCase& layout_case) {
        Question question;
        question.name = layout_case.name();
        question.tensor = tensor_of(layout_case);
        question.runs = [layout_case] {
            std::vector<frames::RunCase> runs;
            for (unsigned plane = 0; plane < planes_of(layout_case); ++plane)
                runs.push_back(run_of(layout_case, plane));
            return runs;
        };
        question.judge = [layout_case](std::size_t /*all*/, const std::vector<frames::Values>& planes) {
            const LayoutVerdict verdict = suites::judge(layout_case, bytes_of(planes));
            Findings findings{layout_case.answer_size(), verdict.wrong, {}};
            if (verdict.right) return findings;
            const std::string known = text(known_layouts(verdict.explanations));
            findings.wrong.push_back(fmt::format("{}: {} wrong, {}; {}", layout_case.name(),
                                                 print::counted(verdict.wrong, "byte"), verdict.first,
                                                 known.empty() ? "no layout that is known" : "cause: " + known));
            return findings;
        };
        question.spoil = [](std::vector<frames::Values>& planes) { planes[0].set(0, planes[0].get(0) ^ 1); };
        question.keep = [this, layout_case](std::size_t /*all*/, const std::vector<frames::Values>& planes,
                                            const Findings& findings) {
            if (!findings.wrong.empty()) wrong_.push_back(suites::judge(layout_case, bytes_of(planes)));
        };
        return question;
    }

    Layout layout_;
    std::vector<LayoutVerdict> wrong_;
};

} // namespace

std::unique_ptr<CasePart> layout_places(const SuiteRun& run) { return std::make_unique<LayoutPlaces>(run); }

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "conformance/export/conversion_vectors.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/diagnose/diagnose.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/faults/shown_bugs.hpp"
#include "conformance/faults/small_suite.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

/// A number as people read it; of a code with a scale both.
std::string number_text(const Format& format, Code code) {
    if (format.scale != nullptr)
        return fmt::format("{} under the scale {}", number_text(*format.value, format.value_of(code)),
                           number_text(*format.scale, format.scale_of(code)));
    const Code wide = exact::converted(format, formats::fp64, code);
    return fmt::format("{:.9g}", std::bit_cast<double>(wide));
}

/// The inputs of tests, and why each is there; the reason that comes first counts.
class Chosen {
  public:
    explicit Chosen(const Format& from) : from_(from) {
        if (from.scale == nullptr) return;
        std::vector<Code> scales;
        for (Code scale = 0; scale <= from.scale->last_code(); ++scale) scales.push_back(scale);
        for (const Code scale : cases::thinned(scales, few_scales)) scales_.insert(scale);
    }
    void add(Code input, const char* reason) {
        if (from_.scale == nullptr || scales_.contains(from_.scale_of(input))) reasons_.try_emplace(input, reason);
    }
    [[nodiscard]] const std::map<Code, std::string>& reasons() const { return reasons_; }

  private:
    const Format& from_;
    std::set<Code> scales_;
    std::map<Code, std::string> reasons_;
};

std::vector<std::pair<std::string, std::string>> attributes_of(const Conversion& conversion) {
    const Choices choices = mxcert::choices_of(conversion);
    const ChoiceInfo& third = info(rounding_or_rule(*conversion.to));
    return {{"from", std::string(conversion.from->name)},
            {"to", std::string(conversion.to->name)},
            {std::string(third.name), std::string(value_name(choices, third.choice))},
            {"overflow", std::string(value_name(choices, Choice::overflow))}};
}

} // namespace

std::string origin_of(const verdict::GoldenUsed& used) {
    return used.name == "tabulated" ? "computed by the exact model"
                                    : fmt::format("from {} with SHA-256 {}",
                                                  std::filesystem::path(used.name).filename().string(), used.sha256);
}

TestVectors vectors_of(const Conversion& conversion, const Profile& profile, verdict::GoldenSource& golden) {
    const Format& from = *conversion.from;
    const Format& to = *conversion.to;
    const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {&profile}, golden);
    const verdict::Judge& judge = judges.front();
    const Choices usual = diagnose::conforming_choices(conversion, profile);
    TestVectors head;
    head.name = to_string(conversion);
    head.kind = "conversion";
    head.attributes = attributes_of(conversion);
    head.profile = profile.name;
    head.source = profile.source;
    head.choices = choices_of(conversion, profile);
    head.origin = origin_of(*judge.golden);
    head.inputs = {{"value", &from}};
    head.outputs = {{"code", &to}};

    Chosen chosen(from);
    const bool by_table = faults::has_small_suite(conversion);
    std::vector<faults::ShownBug> bugs;
    if (by_table) bugs = faults::shown_bugs(conversion, judges);
    for (const PermitStep& step : judge.permitted.steps) {
        chosen.add(step.first, "the first input of a step");
        chosen.add(step.last, "the last input of a step");
    }
    for (const Code input : faults::showing_inputs(bugs, bugs.size()).chosen)
        chosen.add(input, "an input that shows planted bugs");
    std::vector<Code> inputs;
    for (const auto& [input, reason] : chosen.reasons()) inputs.push_back(input);
    PointBugs points(judge, conversion, by_table ? std::vector<Code>{} : inputs);

    Collection collection(std::move(head));
    for (const auto& [input, reason] : chosen.reasons()) {
        const PermitStep& step = judge.permitted.steps[find_step(judge.permitted, input)];
        const PermittedValue value = value_of(step.permit, to);
        TestVector test;
        test.id = hex(input, from);
        test.comment = fmt::format("{} to {}: {}", number_text(from, input), number_text(to, value.code), reason);
        test.flags = flags_of(from, to, usual, input);
        test.clauses = {step.clause};
        if (by_table) {
            for (const faults::ShownBug& bug : bugs)
                if (faults::shows(input, bug)) add_bug(test.bugs, bug.bug_class->id);
        } else {
            test.bugs = points.shown_by(input);
        }
        test.inputs = {{input}};
        test.answers = {{{{0}}, {}}};
        set_value(test.answers.front(), 0, 0, value);
        collection.add("", {}, std::move(test));
    }
    return collection.take();
}

} // namespace mxcert::test_vectors

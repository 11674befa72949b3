// SPDX-License-Identifier: Apache-2.0
// Every profile of blocks against quantizers made of the exact model: its own Behaviour passes, and that of another
// profile of the same rule does not.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/certify.hpp"
#include "conformance/subject.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/verdict.hpp"
#include "reference/exact/block.hpp"

using namespace mxcert;

namespace {

/// The first Behaviour that a profile permits.
Choices first_of(const Profile& profile, const Conversion& conversion) {
    Choices choices = choices_of(conversion);
    for (const ChoiceInfo& choice : all_choices())
        for (const std::string_view value : permitted_values(profile, conversion, choice.choice)) {
            if (value == any_nan_code) continue;
            set(choices, choice.name, value);
            break;
        }
    return choices;
}

/// Quantizes rows as the exact model does by the first Behaviour of a profile.
class Player final : public test::BareSubject {
  public:
    Player(const Profile& does, const std::string& operation) : does_(does) {
        info().name = "player";
        info().version = "1";
        info().description = "the exact model";
        info().operations.push_back(operation_of(operation));
    }

    [[nodiscard]] RunAnswer run(const Operation& operation, const RunCase& asked) override {
        const Quantize quantize = as_quantize(operation);
        BlockChoices choices;
        choices.amax_nan = does_.amax_nan.front();
        choices.amax_inf = does_.amax_inf.front();
        choices.scale = first_of(does_, quantize.scale);
        choices.element = first_of(does_, quantize.element);
        RunAnswer answer;
        answer.outputs = asked.outputs;
        std::uint64_t scale = 0;
        for (std::uint64_t row = 0; row < asked.shape[0]; ++row)
            for (std::uint64_t at = 0; at < asked.shape[1]; at += asked.shape[2]) {
                const std::uint64_t size = std::min(asked.shape[2], asked.shape[1] - at);
                std::vector<Code> values;
                for (std::uint64_t i = 0; i < size; ++i)
                    values.push_back(asked.inputs[0].get(row * asked.shape[1] + at + i));
                const QuantizedBlock block = exact::quantize(quantize.format, choices, values);
                for (std::uint64_t i = 0; i < size; ++i)
                    answer.outputs[0].set(row * asked.shape[1] + at + i, block.elements[i]);
                answer.outputs[1].set(scale++, block.scale);
            }
        return answer;
    }

  private:
    static Operation operation_of(const std::string& id) {
        std::istringstream parts(id.substr(std::string("quantize-").size()));
        std::vector<std::pair<std::string, std::string>> attributes;
        for (const char* name : {"source", "element", "scale", "rule", "rounding", "overflow", "axis", "block"})
            std::getline(parts, attributes.emplace_back(name, "").second, '-');
        return make_operation("quantize", attributes);
    }

    const Profile& does_;
};

/// The operation that a profile judges: its first rule, rounding and overflow.
std::string operation_of(const Profile& profile, const std::string& element) {
    const auto first = [](std::string_view list) { return std::string(list.substr(0, list.find(' '))); };
    const std::string rounding = profile.roundings.empty() ? "nearest_even" : first(profile.roundings);
    return "quantize-fp32-" + element + "-e8m0-" + first(profile.scale_rules) + "-" + rounding + "-" +
           first(profile.overflow_modes) + "-row-32";
}

bool judges(const Profile& profile, const std::string& operation) {
    return covers(profile, Player(profile, operation).info().operations.front());
}

std::vector<Row> certify_as(const Profile& does, const std::string& held_to, const std::string& operation,
                            const std::vector<std::string>& filters = {"*/scale", "*/blocks"}) {
    Player player(does, operation);
    static GoldenSource golden;
    CertifyOptions options;
    options.profiles = {held_to};
    options.filters = filters;
    options.samples_per_step = 0;
    const Plan plan = make_plan(player, options, golden);
    return certify(player, plan, options, {});
}

} // namespace

TEST_CASE("every profile of blocks passes what does as it says", "[profile][values]") {
    std::size_t played = 0;
    for (const Profile& profile : all_profiles()) {
        if (profile.scale_rules.empty()) continue;
        for (const char* element : {"e4m3", "e5m2"}) {
            const std::string operation = operation_of(profile, element);
            CAPTURE(profile.name, operation);
            if (!judges(profile, operation)) {
                CHECK(profile.name == "onednn-f16"); // its scales alone
                continue;
            }
            ++played;
            // Of E5M2 the cases alone: the rules are the same.
            std::vector<std::string> filters{"*/blocks"};
            if (std::string(element) == "e4m3") filters.emplace_back("*/scale");
            const std::vector<Row> rows = certify_as(profile, std::string(profile.name), operation, filters);
            REQUIRE(rows.size() == filters.size());
            for (const Row& row : rows) {
                CAPTURE(row.id, row.reason, row.faults);
                CHECK(row.status == Status::pass);
                CHECK(row.compared > 1'000);
            }
        }
    }
    CHECK(played >= 26);
}

TEST_CASE("a profile of blocks fails what does as its neighbour of the same rule", "[profile][values]") {
    struct Pair {
        const char* does;
        const char* held_to;
        const char* operation;
    };
    for (const Pair& pair : {
             Pair{"torchao-floor", "ocp-floor", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"},
             Pair{"ocp-floor", "torchao-floor", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"},
             Pair{"ocp-floor", "gfloat-blocks", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"},
             Pair{"torchao-rceil-eager", "torchao-rceil", "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32"},
             Pair{"nvidia-te", "torchao-rceil", "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32"},
             Pair{"torchao-rceil", "nvidia-te", "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32"},
             Pair{"amd-quark", "torchao-even", "quantize-fp32-e4m3-e8m0-even-nearest_even-sat-row-32"},
             Pair{"torchao-even", "amd-quark", "quantize-fp32-e4m3-e8m0-even-nearest_even-sat-row-32"},
             Pair{"ocp-floor", "microxcaling", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_away-sat_finite-row-32"},
         }) {
        CAPTURE(pair.does, pair.held_to);
        const std::vector<Row> rows = certify_as(find_profile(pair.does), pair.held_to, pair.operation);
        CHECK(exit_code(rows) == 1);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Every profile of blocks against quantizers made of the exact model: its own Behaviour passes, and that of another
// profile of the same rule does not.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/exact/block.hpp"

using namespace mxcert;
using namespace mxcert::verdict;

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
    /// `sides`: it refuses a matrix whose rows or columns are no multiple of this; 1 for none.
    Player(const Profile& does, const std::string& operation, std::uint64_t sides = 1) : does_(does), sides_(sides) {
        info().name = "player";
        info().version = "1";
        info().description = "the exact model";
        info().operations.push_back(operation_of(operation));
    }

    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        if (run_case.shape[0] % sides_ != 0 || run_case.shape[1] % sides_ != 0)
            return {Status::unsupported, "whole blocks on both sides only", "", {}};
        const Quantize quantize = as_quantize(operation);
        BlockChoices choices;
        choices.amax_nan = does_.amax_nan.front();
        choices.amax_inf = does_.amax_inf.front();
        choices.scale = first_of(does_, quantize.scale);
        choices.element = first_of(does_, quantize.element);
        frames::RunAnswer answer;
        answer.outputs = run_case.outputs;
        std::uint64_t scale = 0;
        for (std::uint64_t row = 0; row < run_case.shape[0]; ++row)
            for (std::uint64_t at = 0; at < run_case.shape[1]; at += run_case.shape[2]) {
                const std::uint64_t size = std::min(run_case.shape[2], run_case.shape[1] - at);
                std::vector<Code> values;
                for (std::uint64_t i = 0; i < size; ++i)
                    values.push_back(run_case.inputs[0].get(row * run_case.shape[1] + at + i));
                // Large matrices repeat a few blocks.
                const auto [known, is_new] = blocks_.try_emplace(values);
                if (is_new) known->second = exact::quantize(quantize.format, choices, values);
                const QuantizedBlock& block = known->second;
                for (std::uint64_t i = 0; i < size; ++i)
                    answer.outputs[0].set(row * run_case.shape[1] + at + i, block.elements[i]);
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
    std::uint64_t sides_;
    std::map<std::vector<Code>, QuantizedBlock> blocks_; ///< that were asked for before
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
                            const std::vector<std::string>& filters = {"*/scale", "*/blocks"}, std::uint64_t sides = 1,
                            Level level = Level::quick) {
    Player player(does, operation, sides);
    static GoldenSource golden;
    CertifyOptions options;
    options.level = level;
    options.profiles = {held_to};
    options.filters = filters;
    options.samples_per_step = 0;
    const certify::Plan plan = certify::make_plan(player, options, golden);
    return certify::certify(player, plan, options, {});
}

/// Certifies what does as each profile says, for blocks of these elements, against that profile. Returns how many did.
std::size_t play(const std::vector<std::string>& elements, std::size_t scales_one_in) {
    std::size_t played = 0;
    for (const Profile& profile : all_profiles()) {
        if (profile.scale_rules.empty()) continue;
        for (const std::string& element : elements) {
            const std::string operation = operation_of(profile, element);
            CAPTURE(profile.name, operation);
            if (!judges(profile, operation)) {
                CHECK(profile.name == "onednn-f16"); // its scales alone
                continue;
            }
            ++played;
            // Cases have scales, too: each amax is asked of one profile in so many, and of none for E5M2.
            std::vector<std::string> filters{"*/blocks"};
            if (element == "e4m3" && played % scales_one_in == 0) filters.emplace_back("*/scale");
            const std::vector<Row> rows =
                certify_as(profile, std::string(profile.name), operation, filters, 1, Level::smoke);
            REQUIRE(rows.size() == filters.size());
            for (const Row& row : rows) {
                CAPTURE(row.id, row.reason, wrong_of(row));
                CHECK(row.status == Status::pass);
                CHECK(row.compared > 1'000);
            }
        }
    }
    return played;
}

} // namespace

TEST_CASE("every profile of blocks passes what does as it says", "[profile][values]") {
    CHECK(play({"e4m3"}, 4) >= 18);
}
// The rules are the same.
TEST_CASE("every profile of blocks passes what does as it says, of E5M2 too", "[.][exhaustive]") {
    CHECK(play({"e4m3", "e5m2"}, 1) >= 36);
}

TEST_CASE("a profile of blocks fails what does as its neighbour of the same rule", "[profile][.][exhaustive]") {
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
             Pair{"torchao-floor", "torchao-2026-08-floor",
                  "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat_finite-row-32"},
             Pair{"torchao-2026-08-floor", "torchao-floor",
                  "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"},
             Pair{"torchao-rceil", "torchao-2026-08-rceil",
                  "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat_finite-row-32"},
             Pair{"torchao-2026-08-even", "torchao-even", "quantize-fp32-e4m3-e8m0-even-nearest_even-sat-row-32"},
             Pair{"amd-quark", "torchao-even", "quantize-fp32-e4m3-e8m0-even-nearest_even-sat-row-32"},
             Pair{"torchao-even", "amd-quark", "quantize-fp32-e4m3-e8m0-even-nearest_even-sat-row-32"},
             Pair{"ocp-floor", "microxcaling", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_away-sat_finite-row-32"},
         }) {
        CAPTURE(pair.does, pair.held_to);
        const std::vector<Row> rows =
            certify_as(find_profile(pair.does), pair.held_to, pair.operation, {"*/scale", "*/blocks"}, 1, Level::smoke);
        CHECK(exit_code(rows) == 1);
    }
}

TEST_CASE("what Transformer Engine refuses may be refused, and is named where it is answered", "[profile][values]") {
    const Profile& te = find_profile("nvidia-te");
    const std::string operation = "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32";
    const std::vector<std::string> all{"*/scale", "*/elements", "*/blocks"};
    SECTION("refused") {
        const std::vector<Row> rows = certify_as(te, "nvidia-te", operation, all, 32);
        REQUIRE(rows.size() == 3);
        for (const Row& row : rows) {
            CAPTURE(row.id, row.reason, wrong_of(row));
            CHECK(row.status == Status::pass);
            CHECK(row.compared > 1'000);
        }
        CHECK_THAT(rows.back().reason, Catch::Matchers::Contains("sizes that its source refuses too"));
        CHECK(exit_code(rows) == 0);
    }
    SECTION("answered") {
        const std::vector<Row> rows = certify_as(te, "nvidia-te", operation, {"*/blocks"});
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().status == Status::pass);
        CHECK_THAT(rows.front().reason,
                   Catch::Matchers::Contains("answers 24 cases of sizes that the profile's source refuses, the first "
                                             "is: special values together"));
    }
    SECTION("more is refused than that") {
        for (const Row& row : certify_as(te, "nvidia-te", operation, all, 64)) CHECK(row.status != Status::pass);
    }
    SECTION("another source refuses nothing") {
        const std::vector<Row> rows =
            certify_as(find_profile("ocp-floor"), "ocp-floor",
                       "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32", {"*/blocks"}, 32);
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().status == Status::unsupported);
    }
}

namespace {

/// Lays scales out as Transformer Engine's quantizer does: into memory that was allocated and not cleared. Its kernel
/// works on chunks of 64 rows and writes 0x00 for rows beyond the matrix.
class CompactScales final : public test::BareSubject {
  public:
    /// `sides`: as in Player. `wrong`: the last scale goes to another place.
    CompactScales(const char* layout, std::uint64_t sides, bool wrong) : sides_(sides), wrong_(wrong) {
        info().name = "compact";
        info().version = "1";
        info().description = "scales with padding that is not cleared";
        const std::vector<std::pair<std::string, std::string>> attributes{{"layout", layout}, {"direction", "arrange"}};
        info().operations.push_back(make_operation("layout", attributes));
    }

    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        const Layout layout = as_layout(operation);
        const Extent scales{run_case.shape[0], run_case.shape[1]};
        const bool rowwise = layout.layout->name == "padded_128x4";
        if ((rowwise ? scales.rows : scales.columns) % sides_ != 0)
            return {Status::unsupported, "whole blocks on both sides only", "", {}};
        const ScaleMap map(*layout.layout, scales);
        frames::RunAnswer answer;
        answer.outputs = run_case.outputs;
        constexpr std::uint64_t chunk = 64;
        for (std::uint64_t i = 0; i < map.size(); ++i) {
            const Place place = map.padded_place_of(i);
            const bool in_chunk = rowwise && place.row < (scales.rows + chunk - 1) / chunk * chunk;
            const bool written = place.column < scales.columns && (place.row < scales.rows || in_chunk);
            const bool inside = map.place_of(i).has_value();
            if (!written || !inside) answer.outputs[0].set(i, written ? 0x00 : (left_ += 37) & 0xFF);
        }
        std::uint64_t next = 0;
        for (std::uint64_t row = 0; row < scales.rows; ++row)
            for (std::uint64_t column = 0; column < scales.columns; ++column, ++next) {
                const bool moved = wrong_ && next + 1 == scales.rows * scales.columns;
                answer.outputs[0].set(map.offset_of(moved ? Place{0, 0} : Place{row, column}),
                                      run_case.inputs[0].get(next));
            }
        return answer;
    }

  private:
    std::uint64_t sides_;
    bool wrong_;
    std::uint64_t left_ = 0; ///< what was in memory before
};

Row certify_scales(const char* layout, std::uint64_t sides, bool wrong = false) {
    CompactScales subject(layout, sides, wrong);
    static GoldenSource golden;
    CertifyOptions options;
    options.level = Level::quick;
    options.profiles = {"nvidia-te"};
    const certify::Plan plan = certify::make_plan(subject, options, golden);
    const std::vector<Row> rows = certify::certify(subject, plan, options, {});
    REQUIRE(rows.size() == 1);
    return rows.front();
}

} // namespace

TEST_CASE("Transformer Engine's compact scales are judged where it writes them", "[profile][layout][values]") {
    for (const char* layout : {"padded_128x4", "padded_4x128"}) {
        CAPTURE(layout);
        const Row faithful = certify_scales(layout, 32);
        CAPTURE(faithful.reason, wrong_of(faithful));
        CHECK(faithful.status == Status::pass);
        CHECK_THAT(faithful.reason, Catch::Matchers::Contains("sizes that its source refuses too"));
        const Row answering = certify_scales(layout, 1);
        CHECK(answering.status == Status::pass);
        CHECK_THAT(answering.reason, Catch::Matchers::Contains("of sizes that the profile's source refuses"));
        const Row wrong = certify_scales(layout, 32, true);
        CHECK(wrong.status == Status::fail);
        CHECK(certify_scales(layout, 64).status == Status::unsupported);
    }
}

TEST_CASE("what saturates but for Inf is judged without being told by what", "[profile][values]") {
    for (const char* id : {"bf16-e4m3-nearest_even-sat_finite", "bf16-e5m2-nearest_even-sat_finite",
                           "bf16-e8m0-up-sat_finite", "bf16-e8m0-toward_zero-sat_finite"}) {
        CAPTURE(id);
        const auto rows_of = [&](bool saturates_inf) {
            test::FakeSubject subject;
            StepTable& table = subject.offer(id);
            for (Step& step : table.steps)
                if (saturates_inf && step.first <= 0x7F80 && 0x7F80 <= step.last) step.code = table.to->max_code();
            static GoldenSource golden;
            CertifyOptions options;
            options.level = Level::quick;
            const certify::Plan plan = certify::make_plan(subject, options, golden);
            REQUIRE(plan.profiles.size() == 1);
            CHECK(plan.profiles.front()->name == "ocp-sat-finite");
            return certify::certify(subject, plan, options, {});
        };
        const std::vector<Row> right = rows_of(false);
        REQUIRE(right.size() == 1);
        CAPTURE(right.front().reason);
        CHECK(right.front().status == Status::pass);
        CHECK(right.front().compared == 65'536);
        CHECK(exit_code(right) == 0);
        CHECK(exit_code(rows_of(true)) == 1);
    }
    // Whole blocks too.
    Player player(find_profile("torchao-2026-08-floor"),
                  "quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat_finite-row-32");
    CHECK(certify::default_profiles(player.info()) == std::vector<std::string>{"ocp-sat-finite"});
    // Elements that have numbers alone saturate; the scale of an amax of Inf is NaN.
    for (const std::string element : {"e3m2", "e2m1"}) {
        CAPTURE(element);
        const std::string operation = "quantize-bf16-" + element + "-e8m0-ocp_floor-nearest_even-sat_finite-row-32";
        const std::vector<Row> rows = certify_as(find_profile("ocp-sat-finite"), "ocp-sat-finite", operation,
                                                 {"*/elements", "*/blocks"}, 1, Level::smoke);
        REQUIRE(rows.size() == 2);
        for (const Row& row : rows) CHECK(row.status == Status::pass);
    }
}

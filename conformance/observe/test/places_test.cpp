// SPDX-License-Identifier: Apache-2.0
// In which places of a call inputs are asked, and what shows there.
#include <filesystem>
#include <set>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/observe/ask_places.hpp"
#include "conformance/observe/convert_exchange.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_places.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/observe_fixture.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using Catch::Matchers::Contains;

TEST_CASE("repeating a ring brings each input to every place of a call", "[places]") {
    const PermitTable table = test::top_byte_table(formats::fp16);
    const auto answer = [](Code input) { return std::optional<Code>(input >> 8); };
    const std::vector<inputs::Ring> rings = inputs::make_rings(table, 1, answer);
    REQUIRE_FALSE(rings.empty());
    std::set<Code> inputs;
    for (const inputs::Ring& ring : rings) {
        inputs.insert(ring.inputs.begin(), ring.inputs.end());
        for (std::size_t i = 0; i < ring.inputs.size(); ++i) {
            REQUIRE(ring.answers[i] == ring.inputs[i] >> 8);
            REQUIRE(ring.answers[i] != ring.answers[(i + 1) % ring.inputs.size()]);
            for (const std::uint8_t poison : ring.poison) REQUIRE(ring.answers[i] != poison);
        }
    }
    // Both sides of each of the 255 boundaries, and both ends.
    CHECK(inputs.size() == 512);
    std::set<std::uint64_t> single; // calls that are asked once
    for (const PlaceRequest& request : place_requests(rings, 0)) {
        if (request.batch == request.count) {
            single.insert(request.batch);
            continue;
        }
        const std::uint64_t ring = request.ring->inputs.size();
        std::set<std::pair<std::uint64_t, std::uint64_t>> places; // an input, and where it was
        for (std::uint64_t at = 0; at < request.count; ++at) {
            const std::uint64_t in_call = at % request.batch;
            if (request.batch >= 4096) {
                places.emplace(at % ring, in_call % 128);
            } else {
                if (in_call == 0) places.emplace(at % ring, 0);
                if (in_call + 1 == request.batch) places.emplace(at % ring, 1);
            }
        }
        CAPTURE(request.batch, ring);
        REQUIRE(places.size() == ring * (request.batch >= 4096 ? 128 : 2));
    }
    // Around each power of two, as far as a slot has room.
    CHECK(single.size() == 23);
    CHECK(single.contains(511));
    CHECK(single.contains(4097));
    CHECK(single.contains(65'536));
    for (const PlaceRequest& request : place_requests(rings, 10)) CHECK(request.batch <= 10);
}

TEST_CASE("sizes of calls go up to what is wanted and what a backend takes", "[places]") {
    using Sizes = std::vector<std::uint64_t>;
    CHECK(call_sizes(Level::quick, 0) == Sizes{65'537, 65'663, 76'768, 1'048'579, 1'051'616});
    CHECK(call_sizes(Level::standard, 0) == Sizes{65'537, 65'663, 76'768, 1'048'579, 1'051'616, 16'777'221});
    CHECK(call_sizes(Level::complete, 0).back() > std::uint64_t{1} << 31);
    CHECK(call_sizes(Level::standard, 70'000) == Sizes{65'537, 65'663});
    CHECK(call_sizes(Level::standard, 100) == Sizes{100});
    CHECK(call_sizes(Level::smoke, 0).empty());
}

TEST_CASE("the largest call with random words has room in shared memory", "[places]") {
    const Conversion random = parse_conversion("fp32-e4m3-stochastic_a8-sat");
    CHECK(PlaceExchange::run_bytes(random, process::layout::max_points, true) == 0);
    for (const std::uint64_t values : {std::uint64_t{65'537}, (std::uint64_t{1} << 31) + 9}) {
        // Its inputs and words are written for the worker, whether or not that makes inputs.
        const std::uint64_t bytes = PlaceExchange::run_bytes(random, values, true);
        CHECK(bytes == PlaceExchange::run_bytes(random, values, false));
        CHECK(bytes >= 9 * values);
        CHECK(bytes <= large_call_bytes(values));
        CHECK(PlaceExchange::run_bytes(test::fp32, values, true) < 2 * values);
    }
}

TEST_CASE("a backend gets no more values a call than it takes", "[places]") {
    const Observation seen = test::observe_hostile("small_batches", test::fp16);
    INFO(seen.reason);
    CHECK(seen.status == Status::pass);
    CHECK(seen.places.largest_call == 100);
    CHECK(seen.places.placed > 0);
    CHECK(seen.places.in_batches == 65'536);
    CHECK(seen.places.differing * 100 >= seen.places.neighbours * 95);
}

TEST_CASE("places of a call that are wrong are seen", "[places][values]") {
    // A bug of place, and where it shows: among neighbours, in a place of small calls, in a large call.
    const auto [bug, where] = GENERATE(table<std::string, std::string>({
        {"lane 15 repeats lane 14", "answers changed when asked again"},
        {"lane 8 repeats lane 7", "answers changed when asked again"},
        {"lanes 2 and 3 exchanged", "answers changed when asked again"},
        {"two values of a call", "answers changed when asked again"},
        {"one stale answer in 2^12", "answers changed when asked again"},
        {"bytes of a pack reversed", "answers changed when asked again"},
        {"an index of 16 bits", "asked in other places: input 0x"},
        {"an index in FP32", "asked in other places: input 0x"},
        {"a grid of 2^20 values", "asked in other places: input 0x"},
        {"an index of 16 bits of whole vectors", "of a call of 76768 values"},
        {"a NaN of large calls is zero", "of a call of 65663 values, and 0x7F elsewhere"},
        {"a zero of large calls loses its sign", "of a call of 65663 values, and 0x80 elsewhere"},
        {"16 zeros at once lose their signs", "all of them zeros that give zeros"},
        {"8 zeros taken for 16", "all of them zeros that give zeros, but for one of the"},
        {"16 small values at once are flushed", "all of them values that give no normal number or more"},
        {"16 large values at once lose their signs", "all of them values that give the largest number or more"},
    }));
    const std::string plugin = std::filesystem::path(MXCERT_TEST_QUANTIZER).parent_path() / "misplaced.so";
    ObserveOptions options;
    options.backend_options = bug;
    WorkerPool backend({BackendSpec::Kind::plugin, "misplaced", plugin, {}}, options);
    verdict::GoldenSource golden;
    const Conversion conversion = parse_conversion("bf16-e4m3-nearest_even-sat");
    const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {&find_profile("ocp-sat")}, golden);
    const Observation seen = backend.observe(conversion, &judges.front().permitted);
    const verdict::Row row = verdict::judge_by(judges.front(), seen, {});
    INFO(bug << ": " << row.reason);
    CHECK(to_string(row.status) == "FAIL");
    CHECK_THAT(row.reason, Contains(where));
}

namespace {

std::vector<verdict::Row> certify_misplaced(const std::string& bug, const std::string& row, Level level) {
    return test::certify_plugin(test::planted_plugin("misplaced").c_str(), bug, "ocp", row, 4, level);
}

} // namespace

TEST_CASE("rows with given random bits are asked in every place and in large calls", "[places][random][values]") {
    const auto rows = certify_misplaced("", "fp32-e4m3-stochastic_a8-sat", Level::quick);
    REQUIRE(rows.size() == 1);
    INFO(rows[0].reason);
    CHECK(rows[0].status == Status::pass);
    const Places* places = verdict::places_of(rows[0]);
    REQUIRE(places != nullptr);
    CHECK(places->in_batches == rows[0].compared);
    CHECK(places->placed > 2'000'000);
    CHECK(places->largest_call == 1'051'616);
    CHECK(places->differing * 100 >= places->neighbours * 95);
    CHECK_THAT(report::places_note(rows), Contains("calls of up to 1,051,616 values"));
}

TEST_CASE("random words of a call that are in wrong places are seen", "[places][random][values]") {
    const auto [bug, where] = GENERATE(table<std::string, std::string>({
        {"an index of 16 bits into the random words", "asked in other places: input 0x"},
        {"a random word for calls of up to 8 values", "asked in other places: input 0x"},
        {"the first random word in a tail of 4", "not permitted"},
        {"random words of lanes 2 and 3 exchanged", "not permitted"},
        {"a random word for 4 values", "not permitted"},
        {"a random word for 8 values", "not permitted"},
        {"the last random word of an odd call is 0", "answers changed when asked again"},
    }));
    const auto rows = certify_misplaced(bug, "fp32-e4m3-stochastic_a32-sat", Level::quick);
    REQUIRE(rows.size() == 1);
    INFO(bug << ": " << rows[0].reason);
    CHECK(rows[0].status == Status::fail);
    CHECK_THAT(rows[0].reason, Contains(where));
    // The whole row shows it again, and the reason says which word it was.
    const bool is_of_place = where.find("asked") != std::string::npos;
    CHECK((rows[0].unstable || !is_of_place));
    if (is_of_place) CHECK_THAT(rows[0].reason, Contains(" with random bits 0x") && Contains(", at index "));
}

TEST_CASE("streams come in another order when they are asked again", "[places]") {
    const PermitTable table = test::top_byte_table(formats::fp16);
    const inputs::Interleaving order(table, 0, 0xFFFF);
    const ConvertExchange exchange(test::fp16, order, true, 1, process::layout::max_count);
    const inputs::Block block{0, 61 * 64, {0xA5, 0x5A}, true, 5};
    // The first input has another place, and another neighbour.
    const Code first = order.input_at(0);
    CHECK(exchange.place(block, first, false) == "index 0 of a request of 3904 values");
    CHECK(exchange.place(block, first, true) != exchange.place(block, first, false));
    CHECK(exchange.place(block, order.input_at(1), true) < exchange.place(block, first, true));
}

TEST_CASE("a certificate needs every input in calls", "[places]") {
    report::Report report;
    report.invocation.profiles = {"ocp-sat"};
    verdict::Row& row = report.rows.emplace_back();
    row.id = "fp32-e4m3-nearest_even-sat";
    row.profile = "ocp-sat";
    verdict::TableFindings& table = row.found.emplace<verdict::TableFindings>();
    table.conversion = test::fp32;
    row.status = Status::pass;
    row.compared = std::uint64_t{1} << 32;
    table.places.in_batches = row.compared;
    CHECK(report::why_incomplete(report).empty());
    table.places.in_batches = row.compared / 16;
    CHECK(report::why_incomplete(report) ==
          "of fp32-e4m3-nearest_even-sat the values are complete, the places on 268,435,456 of 4,294,967,296");
}

TEST_CASE("rows without large calls, as of matrices, say nothing of the size of calls", "[places]") {
    std::vector<verdict::Row> rows(3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        observe::Places& places = rows[i].found.emplace<verdict::TableFindings>().places;
        places.neighbours = 8;
        places.largest_call = i == 0 ? 0 : 1000 + i;
    }
    CHECK_THAT(report::places_note(rows), Contains("; calls of up to 1,001 to 1,002 values."));
    rows.pop_back();
    CHECK_THAT(report::places_note(rows), Contains("; calls of up to 1,001 values."));
}

namespace {

/// The row of a backend whose NaN codes alternate, and its observation.
std::pair<verdict::Row, Observation> alternating(const char* fault) {
    ObserveOptions options;
    options.backend_options = fault;
    WorkerPool backend(test::hostile("ways"), options);
    verdict::GoldenSource golden;
    const std::vector<verdict::Judge> judges = verdict::judges_of(test::fp32, {&find_profile("ocp-sat")}, golden);
    Observation seen = backend.observe(test::fp32, &judges.front().permitted);
    CHECK(seen.places.simplified);
    CHECK_FALSE(seen.irregular);
    verdict::Row row = verdict::judge_by(judges.front(), seen, {});
    return {std::move(row), std::move(seen)};
}

void check_alternating(bool is_right) {
    const auto [row, seen] = alternating(is_right ? "alternate_nan" : "alternate_and_wrong");
    INFO(seen.reason);
    CHECK(seen.places.placed > 0);
    CHECK(seen.places.largest_call > 1'000'000);
    CHECK(to_string(row.status) == to_string(is_right ? Status::pass : Status::fail));
    CHECK(row.compared == std::uint64_t{1} << 32);
    CHECK(row.differing == (is_right ? 0 : 1));
    if (!is_right) CHECK(verdict::differences_of(row).front().first == 0x3F880001);
    CHECK_THAT(report::places_note({row}), Contains("1 row alternates among permitted codes"));
}

} // namespace

TEST_CASE("places are asked where permitted answers alternate too", "[places][.][exhaustive]") {
    const auto [row, seen] = alternating("alternate_and_lose_large");
    CHECK(to_string(row.status) == "FAIL");
    CHECK_THAT(row.reason, Contains("asked in other places: ") && Contains("of a call of 65537 values"));
}
TEST_CASE("one wrong answer is found where permitted ones alternate", "[places][.][exhaustive]") {
    check_alternating(false);
}
TEST_CASE("permitted answers may alternate as they like", "[.][exhaustive]") { check_alternating(true); }

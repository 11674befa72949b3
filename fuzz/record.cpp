// SPDX-License-Identifier: Apache-2.0
// The index of a record, record.json. The tables it names are always the same ones, which are in order: their parsers
// have targets of their own. What is read is written to a record that reads to the same.
#include <stdexcept>

#include "conformance/record/record.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"
#include "vectors/tables/tabulate.hpp"

namespace {

using namespace mxcert;
namespace fs = std::filesystem;

// Three conversions as a backend would have given them. The index that comes with them is the first seed of the corpus.
void write_tables(const fs::path& folder) {
    record::Record record;
    record.info = {"fuzzed", "1", "tables for fuzzing", std::string(64, '0'), {}, {}, {}, {}};
    for (const char* name : {"e4m3-bf16-nearest_even-sat", "e2m1-e4m3-nearest_even-nosat"}) {
        const Conversion conversion = parse_conversion(name);
        record.conversions.push_back(
            {conversion, tabulate(*conversion.from, *conversion.to, choices_of(conversion)), {}, 7});
    }
    const Conversion wide = parse_conversion("fp64-e4m3-nearest_even-sat");
    record.conversions.push_back({wide, {}, {{0, 0, 0}, {0x3FF0000000000000, 0, 0x38}, {~Code{0}, 0, 0x7F}}, 3});
    record.unrecorded.push_back({"fp32-e4m3-nearest_even-sat", Status::error, "it crashed"});
    record::write_record(record, folder);
}

void require_equal(const record::Record& a, const record::Record& b) {
    fuzz::require(a.info.conversions == b.info.conversions && a.seed == b.seed &&
                      a.conversions.size() == b.conversions.size(),
                  "a record reads as it was written");
    fuzz::require_same(a.backend_options, b.backend_options, "the options of the backend read as they were written");
    fuzz::require_same(a.info.name, b.info.name, "the name of the backend reads as it was written");
    for (std::size_t i = 0; i < a.conversions.size(); ++i)
        fuzz::require(a.conversions[i].table.steps == b.conversions[i].table.steps &&
                          a.conversions[i].points.size() == b.conversions[i].points.size() &&
                          a.conversions[i].repeated == b.conversions[i].repeated,
                      "a conversion reads as it was written");
}

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    static const fs::path path = [] {
        write_tables(scratch.path() / "given");
        return scratch.path() / "given";
    }();
    static const fs::path written = scratch.path() / "written";
    scratch.write("given/record.json", input);
    record::Record record;
    try {
        record = record::read_record(path);
    } catch (const std::runtime_error&) {
        return;
    }
    fs::remove_all(written);
    record::write_record(record, written);
    require_equal(record::read_record(written), record);
}

const fuzz::Target registered{"record", run, fuzz::Form::json};

} // namespace

// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/export.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/export/write_vectors.hpp"
#include "vectors/golden_store/golden.hpp"
#include "vectors/tables/csv_rows.hpp"
#include "vectors/tables/single_bits.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

PermitTable table_of(std::string_view conversion, std::string_view profile) {
    static std::map<std::pair<const Format*, const Format*>, GoldenFile> goldens;
    const Conversion parsed = parse_conversion(conversion);
    GoldenFile& golden = goldens[{parsed.from, parsed.to}];
    if (golden.rows.empty()) golden = generate_golden(*parsed.from, *parsed.to);
    return select(golden, find_profile(profile), parsed);
}

ExportOptions options_for(ExportFormat format) {
    ExportOptions options;
    options.format = format;
    options.name = "fp32-e4m3-nearest_even-nosat";
    options.note = "a test";
    return options;
}

struct Read {
    Code input;
    Code code;
    unsigned flags;
};

/// Whether an entry says what the table does, as far as one code and its flags can.
bool agrees(const Read& entry, const PermitTable& table) {
    const Permit& permit = table.steps[find_step(table, entry.input)].permit;
    return permits(permit, entry.code, *table.to) && ((entry.flags & 1) != 0) == permit.any_nan &&
           ((entry.flags & 2) != 0) == (permit.codes.size() > 1);
}

/// The records of a NumPy file, without its header.
std::string records_of(const std::string& npy) {
    REQUIRE(npy.size() > 10);
    CHECK(npy.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t data = 10 + static_cast<unsigned char>(npy[8]) + 256U * static_cast<unsigned char>(npy[9]);
    CHECK(data % 64 == 0);
    CHECK(npy[data - 1] == '\n');
    return npy.substr(data);
}

std::vector<Read> read_entries(const std::string& npy, const PermitTable& table) {
    const std::string bytes = records_of(npy);
    const auto from = static_cast<std::size_t>(table.from->bytes());
    const auto to = static_cast<std::size_t>(table.to->bytes());
    REQUIRE(bytes.size() % (from + to + 1) == 0);
    std::vector<Read> entries;
    for (std::size_t at = 0; at < bytes.size(); at += from + to + 1) {
        const auto little_endian = [&](std::size_t start, std::size_t count) {
            Code value = 0;
            for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[start + i]);
            return value;
        };
        entries.push_back({little_endian(at, from), little_endian(at + from, to),
                           static_cast<unsigned>(little_endian(at + from + to, 1))});
    }
    return entries;
}

/// Every boundary of the table is there, and all agree.
/// And the neighbours of boundaries at a distance of one bit, and of pairs of bits, and both ends of every binade.
void check_boundaries(const std::vector<Read>& entries, const PermitTable& table) {
    std::vector<Code> wanted;
    for (const PermitStep& step : table.steps) wanted.push_back(step.first);
    const SingleBits bits(*table.from, wanted);
    wanted = bits.all();
    const std::vector<Code> pairs = bits.pairs(1);
    wanted.insert(wanted.end(), pairs.begin(), pairs.end());
    CHECK(wanted.size() > 10 * table.steps.size());
    const int exponent_and_sign = table.from->width() - table.from->fraction_bits;
    for (Code binade = 0; binade < Code{1} << exponent_and_sign; ++binade) {
        wanted.push_back(binade << table.from->fraction_bits);
        wanted.push_back(wanted.back() | table.from->fraction_mask());
    }
    for (const PermitStep& step : table.steps) {
        wanted.push_back(step.first);
        wanted.push_back(step.last);
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<Code> answers;
    std::size_t wrong = 0;
    for (const Read& entry : entries) {
        answers.push_back(entry.input);
        if (!agrees(entry, table)) ++wrong;
    }
    CHECK(answers == wanted);
    CHECK(wrong == 0);
}

std::vector<Read> read_hex(const std::string& text, const PermitTable& table, std::size_t lanes) {
    const std::size_t code_digits = hex(0, *table.to).size();
    const std::size_t input_digits = hex(0, *table.from).size();
    const std::size_t lane_digits = 1 + code_digits + input_digits;
    std::vector<Read> entries;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("//")) continue;
        REQUIRE(line.size() == lane_digits * lanes);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::string word = line.substr(line.size() - (lane + 1) * lane_digits, lane_digits);
            entries.push_back({parse_hex(word.substr(1 + code_digits), *table.from),
                               parse_hex(word.substr(1, code_digits), *table.to),
                               static_cast<unsigned>(word[0] - '0')});
        }
    }
    return entries;
}

const char* const conversions[] = {"fp32-e4m3-nearest_even-nosat", "fp32-e5m2-up-nosat", "fp64-e4m3-down-nosat",
                                   "fp32-e8m0-up-nosat"};

} // namespace

TEST_CASE("The CSV export is the table", "[export][values]") {
    for (const char* conversion : conversions) {
        const PermitTable table = table_of(conversion, "ocp-nosat");
        const std::string text = export_table(table, options_for(ExportFormat::csv));
        csv::Rows<4> rows(text, "t", "first,last,permit,clause");
        PermitTable back{table.from, table.to, {}};
        std::vector<std::string> clauses;
        while (rows.next()) {
            const auto& step = table.steps.at(back.steps.size());
            CHECK(rows.field(3) == step.clause);
            back.steps.push_back({rows.code(0, *table.from), rows.code(1, *table.from),
                                  parse_permit(rows.field(2), *table.to), step.clause});
        }
        CHECK(back.steps == table.steps);
    }
}

TEST_CASE("The NumPy export of a wide source has every boundary", "[export][values]") {
    for (const char* conversion : conversions) {
        const PermitTable table = table_of(conversion, "ocp-nosat");
        check_boundaries(read_entries(export_table(table, options_for(ExportFormat::npy)), table), table);
    }
}

TEST_CASE("The NumPy export of a 16-bit source has every input", "[export]") {
    const PermitTable table = table_of("fp16-e4m3-nearest_even-sat", "ocp-sat");
    const auto entries = read_entries(export_table(table, options_for(ExportFormat::npy)), table);
    REQUIRE(entries.size() == 65536);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].input != i || !agrees(entries[i], table)) ++wrong;
    CHECK(wrong == 0);
}

TEST_CASE("The records of the NumPy export are pinned", "[export]") {
    const PermitTable table = table_of("fp32-e4m3-nearest_even-nosat", "ocp-nosat");
    ExportOptions options = options_for(ExportFormat::npy);
    options.first = 0x43E80000; // 464, the tie above the largest value, and the next value, which overflows
    options.last = 0x43E80001;
    CHECK(records_of(export_table(table, options)) ==
          std::string("\x00\x00\xE8\x43\x7E\x00\x01\x00\xE8\x43\x7F\x01", 12));
}

TEST_CASE("The header of the NumPy export says how its records lie", "[export]") {
    const PermitTable table = table_of("fp32-e4m3-nearest_even-nosat", "ocp-nosat");
    const std::string npy = export_table(table, options_for(ExportFormat::npy));
    CHECK_THAT(npy.substr(10),
               Catch::Matchers::StartsWith("{'descr': [('input', '<u4'), ('code', '|u1'), ('flags', '|u1')], "
                                           "'fortran_order': False, 'shape': (" +
                                           std::to_string(records_of(npy).size() / 6) + ",), }"));
}

TEST_CASE("The header of a NumPy export ends at a multiple of 64 for any length", "[export]") {
    const PermitTable table = table_of("fp16-e4m3-nearest_even-sat", "ocp-sat");
    ExportOptions options = options_for(ExportFormat::npy);
    options.first = 0;
    for (const Code last : {Code{0}, Code{9}, Code{99}, Code{999}, Code{9999}}) {
        options.last = last;
        CHECK((export_table(table, options).size() - 4 * (last + 1)) % 64 == 0);
    }
}

TEST_CASE("The hex export has the same entries, in any number of lanes", "[export]") {
    const PermitTable table = table_of("fp32-e4m3-nearest_even-nosat", "ocp-nosat");
    ExportOptions options = options_for(ExportFormat::hex);
    check_boundaries(read_hex(export_table(table, options), table, 1), table);
    const auto single = read_hex(export_table(table, options), table, 1);
    options.lanes = 32;
    const auto many = read_hex(export_table(table, options), table, 32);
    REQUIRE(many.size() == (single.size() + 31) / 32 * 32);
    for (std::size_t i = 0; i < many.size(); ++i) {
        const Read& wanted = single[std::min(i, single.size() - 1)];
        CHECK((many[i].input == wanted.input && many[i].code == wanted.code && many[i].flags == wanted.flags));
    }
}

TEST_CASE("A line of the hex export is pinned", "[export]") {
    const PermitTable table = table_of("fp32-e4m3-nearest_even-nosat", "ocp-nosat");
    ExportOptions options = options_for(ExportFormat::hex);
    options.first = 0x43E80000;
    options.last = 0x43E80001;
    options.lanes = 2;
    CHECK_THAT(export_table(table, options), Catch::Matchers::EndsWith("\n17F43E8000107E43E80000\n"));
}

TEST_CASE("The C export compiles as C11 and answers at every boundary", "[export][values]") {
    const TemporaryFolder folder;
    for (const char* conversion : conversions) {
        const PermitTable table = table_of(conversion, "ocp-nosat");
        ExportOptions options = options_for(ExportFormat::c);
        options.name = conversion;
        options.note = "a note */ #error that tries to end the comment";
        const auto header = folder.file("table.h", export_table(table, options));
        const auto entries =
            folder.file("entries.bin", records_of(export_table(table, options_for(ExportFormat::npy))));
        std::string name = "mxcert_" + std::string(conversion);
        std::replace(name.begin(), name.end(), '-', '_');
        const std::string bytes = std::to_string(table.from->bytes());
        // Reads input, code and flags, and exits with 1 if a row says otherwise, with 2 if there were too few.
        const auto program = folder.file("main.c", "#include \"table.h\"\n#include <stdio.h>\nint main(void) {\n"
                                                   "    unsigned char entry[" +
                                                       bytes +
                                                       " + 2];\n    unsigned long count = 0;\n"
                                                       "    while (fread(entry, sizeof entry, 1, stdin) == 1) {\n"
                                                       "        uint64_t input = 0;\n"
                                                       "        for (int i = " +
                                                       bytes +
                                                       " - 1; i >= 0; --i) input = input << 8 | entry[i];\n"
                                                       "        const " +
                                                       name + "_step *step = " + name + "_find((uint" +
                                                       std::to_string(8 * table.from->bytes()) +
                                                       "_t)input);\n"
                                                       "        if (step->code != entry[" +
                                                       bytes + "] || step->flags != entry[" + bytes +
                                                       " + 1]) return 1;\n"
                                                       "        ++count;\n    }\n    return count < " +
                                                       std::to_string(table.steps.size()) + " ? 2 : 0;\n}\n");
        const std::string built = (folder.path() / "program").string();
        const std::string build =
            "${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -o " + built + " " + program.string();
        REQUIRE(std::system(build.c_str()) == 0);
        CHECK(std::system((built + " < " + entries.string()).c_str()) == 0);
        // The check can fail: one code is changed.
        std::string wrong = content(entries);
        wrong[static_cast<std::size_t>(table.from->bytes())] ^= 1;
        CHECK(std::system((built + " < " + folder.file("wrong.bin", wrong).string()).c_str()) != 0);
        CHECK(header.filename() == "table.h");
    }
}

TEST_CASE("Options that do not fit are refused", "[export]") {
    const PermitTable table = table_of("fp32-e4m3-nearest_even-sat", "ocp-sat");
    const auto refused = [&](ExportFormat format, std::optional<Code> first, std::optional<Code> last, unsigned lanes) {
        ExportOptions options = options_for(format);
        options.first = first;
        options.last = last;
        options.lanes = lanes;
        CHECK_THROWS_AS(export_table(table, options), std::invalid_argument);
    };
    refused(ExportFormat::csv, 0, 1, 1);
    refused(ExportFormat::c, std::nullopt, 1, 1);
    refused(ExportFormat::npy, 0, 1, 2);
    refused(ExportFormat::hex, 0, 1, 0);
    refused(ExportFormat::hex, 0, 1, 65);
    refused(ExportFormat::npy, 2, 1, 1);
    refused(ExportFormat::npy, 0, std::nullopt, 1);      // 2^32 inputs
    refused(ExportFormat::npy, 0, max_export_inputs, 1); // one too many
    refused(ExportFormat::npy, 0, Code{1} << 32, 1);
    CHECK_THROWS_WITH(parse_export_format("np"), Contains("unknown export format 'np'") && Contains("npy"));
    CHECK(parse_export_format("npy") == ExportFormat::npy);
    CHECK_THROWS_AS(export_table(table, options_for(ExportFormat::json)), std::invalid_argument);
    ExportOptions options = options_for(ExportFormat::hex);
    options.lanes = 2;
    CHECK_THROWS_WITH(check_options(options, false), Contains("lanes are for conversions as hex only"));
    options.lanes = 1;
    options.first = 0;
    CHECK_THROWS_WITH(check_options(options, false), Contains("a range is for conversions as npy and hex"));
}

TEST_CASE("comparators and SMT-LIB find the row of an input by halving") {
    PermitTable table;
    table.from = &formats::bf16;
    table.to = &formats::e5m2;
    table.steps = {{0x0000, 0x00FF, permit_code(0x00), "OFP8-ZERO"},
                   {0x0100, 0x7FFF, permit_code(0x80), "OFP8-ROUND"},
                   {0x8000, 0x8FFF, permit_code(0x80), "OFP8-ZERO"}, // another clause alone
                   {0x9000, 0xFFFE, {{0x01}, true}, "OFP8-NAN"},
                   {0xFFFF, 0xFFFF, permit_code(0x00), "OFP8-ZERO"}};
    const std::string module = export_table(table, options_for(ExportFormat::comparators));
    CHECK_THAT(module, Contains("module permits_fp32_e4m3_nearest_even_nosat (") && Contains("4 steps, 3 different") &&
                           Contains("wire permit2 = code == 8'h1 || code[6:0] > 7'h7C;") &&
                           Contains("assign permitted = (x <= 16'h8FFF ?\n(x <= 16'hFF ?\npermit0 :\npermit1) :\n"
                                    "(x <= 16'hFFFE ?\npermit2 :\npermit0));"));
    const std::string smt = export_table(table, options_for(ExportFormat::smt2));
    CHECK_THAT(smt, Contains("(or false (= code #b00000001) (bvugt ((_ extract 6 0) code) #b1111100)))") &&
                        Contains("(ite (bvule x #b1000111111111111)"));
    // Both halves of E4M3's NaN, and that of a format that has one.
    table.to = &formats::e4m3;
    table.steps[3].permit = permit_any_nan();
    CHECK_THAT(export_table(table, options_for(ExportFormat::comparators)),
               Contains("permit2 = code == 8'h7F || code == 8'hFF;"));
    table.to = &formats::e5m2fnuz;
    CHECK_THAT(export_table(table, options_for(ExportFormat::comparators)), Contains("permit2 = code == 8'h80;"));
    TestVectors none;
    CHECK_THROWS_WITH(write_vectors(none, ExportFormat::smt2, {}), Contains("holds the table of a conversion"));
}

TEST_CASE("export formats have names, and what they do not hold is refused", "[export]") {
    const std::vector<std::string_view> names = export_format_names();
    CHECK(names.size() == 11);
    for (const std::string_view name : names) CHECK_NOTHROW(parse_export_format(name));
    CHECK(parse_export_format("npy") == ExportFormat::npy);
    CHECK_THROWS_WITH(write_vectors({}, ExportFormat::comparators, {}),
                      Contains("holds the table of a conversion, and no operation has one"));
    const PermitTable table = table_of("fp16-e4m3-nearest_even-sat", "ocp-sat");
    CHECK(export_table(table, options_for(ExportFormat::rust)).find("pub ") != std::string::npos);
    ExportOptions range = options_for(ExportFormat::npy);
    range.last = 9;
    CHECK(read_entries(export_table(table, range), table).size() == 10);
    range.last = 0x10000;
    CHECK_THROWS_WITH(export_table(table, range), Contains("the range has inputs beyond FFFF, the last of fp16"));
    range.first = 0x10000;
    range.last.reset();
    CHECK_THROWS_WITH(export_table(table, range), Contains("the range has inputs beyond FFFF, the last of fp16"));
    CHECK(entry_of(0, permit_any_nan(), formats::e4m3fnuz).code == 0x80);
    CHECK(entry_of(0, permit_any_nan(), formats::e4m3).code == 0x7F);
}

TEST_CASE("entries of a source with a given scale agree with its table", "[export]") {
    const PermitTable table = table_of("fp16_by_e8m0-e2m1-nearest_even-sat", "ocp-sat");
    const std::vector<Read> entries = read_entries(export_table(table, options_for(ExportFormat::npy)), table);
    CHECK(entries.size() > table.steps.size());
    std::size_t wrong = 0;
    for (const Read& entry : entries) wrong += agrees(entry, table) ? 0 : 1;
    CHECK(wrong == 0);
    for (std::size_t i = 1; i < entries.size(); ++i)
        if (entries[i].input <= entries[i - 1].input)
            FAIL("input " << entries[i].input << " is not after the one before");
}

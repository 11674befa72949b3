// SPDX-License-Identifier: Apache-2.0
// Test vectors in every form that they are written in: the whole text, of a few tests by hand.
#include "vectors/export/write_vectors.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using Catch::Matchers::Contains;

namespace {

const Provenance by_hand{"1.2.3", "https://example.org"};

OpenValue open_codes(std::size_t output, std::uint64_t index, const Permit& permit) {
    return {output, index, OpenValue::Kind::codes, permit, 0, 0};
}

/// An operation with arrays of every kind of format, answers of every openness, and texts that must be escaped.
TestVectors made_up_operation() {
    TestVectors vectors;
    vectors.name = "made-up-fp16";
    vectors.kind = "made_up";
    vectors.attributes = {{"from", "fp16"}, {"says", "\"a\\b\""}};
    vectors.profile = "made-up";
    vectors.source = "this test";
    vectors.choices = {{"overflow", {"sat", "nosat"}, "sat"}};
    vectors.origin = "made by hand";
    vectors.sizes = {"rows", "columns"};
    vectors.inputs = {{"values", &fp16}, {"scales", &e8m0}};
    vectors.outputs = {{"elements", &e4m3}, {"sums", &e5m2}, {"others", &e4m3fnuz}, {"whole", &int8}, {"wide", &fp32}};
    vectors.left_out = "what is large";
    TestVector first{"first-1",
                     "a \"quoted\" \\ comment",
                     bit(CaseFlag::tie),
                     {"OFP8-RNE", "OFP8-NAN"},
                     {"TIES_AWAY"},
                     {{0x3C00, 0xBC00}, {0x7F}},
                     {}};
    first.answers.push_back({{{0x38, 0xB8}, {0x3C}, {0x40}, {0x40}, {0x3F800000}}, {}});
    add(vectors, {1, 2}, first);
    TestVector second{"second-2",
                      "Inf and NaN",
                      static_cast<CaseFlags>(bit(CaseFlag::inf) | bit(CaseFlag::nan)),
                      {"OFP8-NAN"},
                      {"TIES_AWAY", "NAN_LOST"},
                      {{0x7C00, 0x7E00}, {0xFF}},
                      {}};
    second.answers.push_back({{{0x7E, 0x7F}, {0x7C}, {0x80}, {0x7F}, {0x7FC00000}},
                              {open_codes(0, 0, Permit{{0x7E}, true}),
                               open_codes(0, 1, permit_any_nan()),
                               {1, 0, OpenValue::Kind::range, {}, 0x7B, 0x7C},
                               {3, 0, OpenValue::Kind::any, {}, 0, 0},
                               open_codes(4, 0, permit_any_nan())}});
    second.answers.push_back(
        {{{0x00, 0x00}, {0x00}, {0x00}, {0x00}, {0x00000000}},
         {open_codes(0, 0, Permit{{0x00, 0x80}, false}), open_codes(0, 1, Permit{{0x00, 0x80}, false})}});
    add(vectors, {1, 2}, second);
    TestVector third{"third-3", "", 0, {"NO-SUCH-CLAUSE"}, {}, {{0x0000}, {0x00, 0x01}}, {}};
    third.answers.push_back({{{0x00}, {0x00, 0x01}, {0x00}, {0xFF}, {0x80000000}}, {}});
    add(vectors, {2, 1}, third);
    return vectors;
}

/// A conversion that RISC-V has an instruction for.
TestVectors made_up_conversion(const Format& from, const Format& to, const char* rounding, const char* overflow) {
    TestVectors vectors;
    vectors.name = std::string(from.name) + "-" + std::string(to.name);
    vectors.kind = "conversion";
    vectors.attributes = {
        {"from", std::string(from.name)}, {"to", std::string(to.name)}, {"rounding", rounding}, {"overflow", overflow}};
    vectors.profile = "made-up";
    vectors.origin = "made by hand";
    vectors.inputs = {{"input", &from}};
    vectors.outputs = {{"code", &to}};
    const auto test = [&](Code input, Code code, const std::vector<OpenValue>& open) {
        TestVector one{"id-" + std::to_string(input), "", flags_of_code(from, input), {}, {}, {{input}}, {}};
        one.answers.push_back({{{code}}, open});
        add(vectors, {}, one);
    };
    for (Code code = 0; code < 17; ++code) test(code, 0, {});
    test(from.one_code(), to.one_code(), {});
    test(from.magnitude_mask(), to.magnitude_mask(), {open_codes(0, 0, permit_any_nan())});
    test(from.max_code(), to.max_code(), {open_codes(0, 0, Permit{{to.max_code() - 1, to.max_code()}, false})});
    return vectors;
}

std::string the_text(const TestVectors& vectors, ExportFormat format) {
    const std::vector<ExportedFile> files = write_vectors(vectors, format, by_hand);
    CHECK(is_folder(format) == (files.size() != 1));
    std::string text;
    for (const ExportedFile& file : files) text += "=== " + file.name + "\n" + file.text;
    return text;
}

} // namespace

TEST_CASE("test vectors as CSV and as words hold every test and answer", "[export]") {
    const TestVectors vectors = made_up_operation();
    CHECK(count_tests(vectors) == 3);
    CHECK(write_csv(vectors) ==
          R"~(id,answer,sizes,values,scales,elements,sums,others,whole,wide,open,flags,bugs,clauses,comment
first-1,0,1x2,3C00 BC00,7F,38 B8,3C,40,40,3F800000,,TIE,TIES_AWAY,OFP8-RNE OFP8-NAN,a "quoted" \ comment
second-2,0,1x2,7C00 7E00,FF,7E 7F,7C,80,7F,7FC00000,elements[0]=7E|nan elements[1]=nan sums[0]=7B..7C whole[0]=any wide[0]=nan,INF NAN,TIES_AWAY NAN_LOST,OFP8-NAN,Inf and NaN
second-2,1,1x2,7C00 7E00,FF,00 00,00,00,00,00000000,elements[0]=00|80 elements[1]=00|80,INF NAN,TIES_AWAY NAN_LOST,OFP8-NAN,Inf and NaN
third-3,0,2x1,0000,00 01,00,00 01,00,FF,80000000,,,,NO-SUCH-CLAUSE,
)~");
    CHECK_THAT(write_csv(made_up_conversion(bf16, e4m3, "nearest_even", "sat")),
               Contains("id-0,0,,0000,00,,ZERO,,,\nid-1,0,,0001,00,,SUBNORMAL,,,\n") &&
                   Catch::Matchers::EndsWith("id-16256,0,,3F80,38,,,,,\nid-32767,0,,7FFF,7F,code[0]=nan,NAN,,,\n"
                                             "id-32639,0,,7F7F,7E,code[0]=7D|7E,,,,\n"));
    CHECK(the_text(vectors, ExportFormat::csv) == "=== made-up-fp16.csv\n" + write_csv(vectors));
    // The number of the test, how open each value is, outputs, inputs; value 0 is in the lowest bits.
    CHECK_THAT(the_text(vectors, ExportFormat::hex), Contains("=== made_up_fp16.1x2.hex\n") &&
                                                         Contains("\n00000000000000B8383C40403F800000BC003C007F\n"
                                                                  "000000011120417F7E7C807F7FC000007E007C00FF\n"
                                                                  "000000012200000000000000000000007E007C00FF\n") &&
                                                         Contains("=== made_up_fp16.2x1.hex\n") &&
                                                         Contains("\n0000000000000000010000FF8000000000000100\n") &&
                                                         Contains("=== manifest.json\n"));
    CHECK_THAT(the_text(made_up_conversion(bf16, e4m3, "nearest_even", "sat"), ExportFormat::hex),
               Contains("=== bf16_e4m3.hex\n"));
    CHECK_THAT(
        the_text(vectors, ExportFormat::sv),
        Contains(R"~(  localparam int WORDS_2x1 = 1;
  localparam FILE_2x1 = "made_up_fp16.2x1.hex";
  typedef struct packed {
    logic [31:0] test; // 1 x 32 bits
    logic [3:0] elements_open; // 1 x 4 bits
    logic [7:0] sums_open; // 2 x 4 bits
    logic [3:0] others_open; // 1 x 4 bits
    logic [3:0] whole_open; // 1 x 4 bits
    logic [3:0] wide_open; // 1 x 4 bits
    logic [7:0] elements; // 1 x 8 bits
    logic [15:0] sums; // 2 x 8 bits
    logic [7:0] others; // 1 x 8 bits
    logic [7:0] whole; // 1 x 8 bits
    logic [31:0] wide; // 1 x 32 bits
    logic [15:0] values; // 1 x 16 bits
    logic [15:0] scales; // 2 x 8 bits
  } word_2x1_t;

)~") && Contains("permits_elements = code === expected || open[1] || open[2] || (open[0] && &code[6:0]);") &&
            Contains("permits_sums = code === expected || open[1] || open[2] || (open[0] && code[6:0] > 7'h7C);") &&
            Contains("permits_others = code === expected || open[1] || open[2] || (open[0] && code === 8'h80);") &&
            Contains("permits_whole = code === expected || open[1] || open[2] || (open[0] && 1'b0);") &&
            Contains(
                "permits_wide = code === expected || open[1] || open[2] || (open[0] && code[30:0] > 31'h7F800000);"));
    CHECK_THAT(the_text(made_up_conversion(bf16, e4m3, "nearest_even", "sat"), ExportFormat::sv),
               Contains("  localparam int WORDS = 20;\n") && Contains("  } word_t;\n"));
}

TEST_CASE("test vectors as C and as Rust hold every test and answer", "[export]") {
    const std::string c = write_c(made_up_operation());
    CHECK_THAT(c, Contains(R"~(    size_t size_rows;
    size_t size_columns;
    const uint16_t *values;
    size_t values_count;
    const uint8_t *scales;
    size_t scales_count;
    const uint8_t *elements;
    const uint8_t *elements_open; /* NULL: no value is open */
    size_t elements_count;
)~"));
    CHECK_THAT(c, Contains(R"~(static const uint8_t mxcert_made_up_fp16_elements[7] = {
    0x38, 0xB8,
    0x7E, 0x7F,
    0x00, 0x00,
    0x00,
};

)~"));
    CHECK_THAT(c, Catch::Matchers::EndsWith(R"~(static const uint8_t mxcert_made_up_fp16_open[7] = {
    1, 1,
    2,
    4,
    1,
    2, 2,
};

static const mxcert_made_up_fp16_test mxcert_made_up_fp16_tests[4] = {
    {"first-1", 0, 4, "TIES_AWAY", "OFP8-RNE OFP8-NAN", "a \"quoted\" \\ comment", 1, 2, &mxcert_made_up_fp16_values[0], 2, &mxcert_made_up_fp16_scales[0], 1, &mxcert_made_up_fp16_elements[0], NULL, 2, &mxcert_made_up_fp16_sums[0], NULL, 1, &mxcert_made_up_fp16_others[0], NULL, 1, &mxcert_made_up_fp16_whole[0], NULL, 1, &mxcert_made_up_fp16_wide[0], NULL, 1},
    {"second-2", 0, 384, "TIES_AWAY NAN_LOST", "OFP8-NAN", "Inf and NaN", 1, 2, &mxcert_made_up_fp16_values[2], 2, &mxcert_made_up_fp16_scales[1], 1, &mxcert_made_up_fp16_elements[2], &mxcert_made_up_fp16_open[0], 2, &mxcert_made_up_fp16_sums[1], &mxcert_made_up_fp16_open[2], 1, &mxcert_made_up_fp16_others[1], NULL, 1, &mxcert_made_up_fp16_whole[1], &mxcert_made_up_fp16_open[3], 1, &mxcert_made_up_fp16_wide[1], &mxcert_made_up_fp16_open[4], 1},
    {"second-2", 1, 384, "TIES_AWAY NAN_LOST", "OFP8-NAN", "Inf and NaN", 1, 2, &mxcert_made_up_fp16_values[2], 2, &mxcert_made_up_fp16_scales[1], 1, &mxcert_made_up_fp16_elements[4], &mxcert_made_up_fp16_open[5], 2, &mxcert_made_up_fp16_sums[2], NULL, 1, &mxcert_made_up_fp16_others[2], NULL, 1, &mxcert_made_up_fp16_whole[2], NULL, 1, &mxcert_made_up_fp16_wide[2], NULL, 1},
    {"third-3", 0, 0, "", "NO-SUCH-CLAUSE", "", 2, 1, &mxcert_made_up_fp16_values[4], 1, &mxcert_made_up_fp16_scales[2], 2, &mxcert_made_up_fp16_elements[6], NULL, 1, &mxcert_made_up_fp16_sums[3], NULL, 2, &mxcert_made_up_fp16_others[3], NULL, 1, &mxcert_made_up_fp16_whole[3], NULL, 1, &mxcert_made_up_fp16_wide[3], NULL, 1},
};

#endif
)~"));
    TestVectors closed = made_up_operation(); // without an open value there is no array of them
    closed.groups.front().tests.pop_back();
    CHECK_THAT(write_c(closed), !Contains("_fp16_open["));
    const std::string rust = write_rust(made_up_operation());
    CHECK_THAT(rust, Contains(R"~(    /// rows, columns
    pub sizes: [usize; 2],
    /// IEEE 754 binary16
    pub values: &'static [u16],
    /// MX E8M0 scale
    pub scales: &'static [u8],
    /// OFP8 E4M3
    pub elements: &'static [u8],
    pub elements_open: &'static [u8],
)~"));
    CHECK_THAT(rust, Catch::Matchers::EndsWith(R"~(pub const TESTS: &[Test] = &[
    Test { id: "first-1", answer: 0, flags: 4, bugs: &["TIES_AWAY"], clauses: &["OFP8-RNE", "OFP8-NAN"], comment: "a \"quoted\" \\ comment", sizes: [1, 2], values: &[0x3C00, 0xBC00], scales: &[0x7F], elements: &[0x38, 0xB8], elements_open: &[], sums: &[0x3C], sums_open: &[], others: &[0x40], others_open: &[], whole: &[0x40], whole_open: &[], wide: &[0x3F800000], wide_open: &[] },
    Test { id: "second-2", answer: 0, flags: 384, bugs: &["TIES_AWAY", "NAN_LOST"], clauses: &["OFP8-NAN"], comment: "Inf and NaN", sizes: [1, 2], values: &[0x7C00, 0x7E00], scales: &[0xFF], elements: &[0x7E, 0x7F], elements_open: &[1, 1], sums: &[0x7C], sums_open: &[2], others: &[0x80], others_open: &[], whole: &[0x7F], whole_open: &[4], wide: &[0x7FC00000], wide_open: &[1] },
    Test { id: "second-2", answer: 1, flags: 384, bugs: &["TIES_AWAY", "NAN_LOST"], clauses: &["OFP8-NAN"], comment: "Inf and NaN", sizes: [1, 2], values: &[0x7C00, 0x7E00], scales: &[0xFF], elements: &[0x00, 0x00], elements_open: &[2, 2], sums: &[0x00], sums_open: &[], others: &[0x00], others_open: &[], whole: &[0x00], whole_open: &[], wide: &[0x00000000], wide_open: &[] },
    Test { id: "third-3", answer: 0, flags: 0, bugs: &[], clauses: &["NO-SUCH-CLAUSE"], comment: "", sizes: [2, 1], values: &[0x0000], scales: &[0x00, 0x01], elements: &[0x00], elements_open: &[], sums: &[0x00, 0x01], sums_open: &[], others: &[0x00], others_open: &[], whole: &[0xFF], whole_open: &[], wide: &[0x80000000], wide_open: &[] },
];
)~"));
    CHECK_THAT(write_rust(made_up_conversion(bf16, e4m3, "nearest_even", "sat")), Contains("pub sizes: [usize; 0],\n"));
}

TEST_CASE("test vectors as JSON say what each flag, clause and bug is", "[export]") {
    const std::string json = the_text(made_up_operation(), ExportFormat::json);
    CHECK_THAT(json, Catch::Matchers::StartsWith("=== made-up-fp16.json\n{\n \"schema\": \"mxcert-vectors-1\","));
    CHECK_THAT(json, Contains("\"homepage\": \"https://example.org\"") && Contains(R"~( "subject": {
  "name": "made-up-fp16",
  "kind": "made_up",
  "attributes": {
   "from": "fp16",
   "says": "\"a\\b\""
  },
  "profile": {
   "name": "made-up",
   "source": "this test"
  },
  "origin": "made by hand",
  "choices": [
   {
    "name": "overflow",
    "values": [
     "sat",
     "nosat"
    ],
    "default": "sat"
   }
  ],
  "sizes": [
   "rows",
   "columns"
  ],
)~"));
    CHECK_THAT(json, Contains(R"~( "flags": {
  "TIE": "a value lies midway between two values of the target",
  "INF": "an input or a result is infinite",
  "NAN": "an input or a result is NaN"
 },
)~"));
    CHECK_THAT(json, Catch::Matchers::EndsWith(R"~( "tests": 3,
 "groups": [
  {"sizes": [1,2], "tests": [
   {"id":"first-1","comment":"a \"quoted\" \\ comment","flags":["TIE"],"clauses":["OFP8-RNE","OFP8-NAN"],"bugs":["TIES_AWAY"],"inputs":{"values":"3C00 BC00","scales":"7F"},"answers":[{"outputs":{"elements":"38 B8","sums":"3C","others":"40","whole":"40","wide":"3F800000"}}]},
   {"id":"second-2","comment":"Inf and NaN","flags":["INF","NAN"],"clauses":["OFP8-NAN"],"bugs":["TIES_AWAY","NAN_LOST"],"inputs":{"values":"7C00 7E00","scales":"FF"},"answers":[{"outputs":{"elements":"7E 7F","sums":"7C","others":"80","whole":"7F","wide":"7FC00000"},"open":[{"output":"elements","at":"0","permit":"7E|nan"},{"output":"elements","at":"1","permit":"nan"},{"output":"sums","at":"0","permit":"7B..7C"},{"output":"whole","at":"0","permit":"any"},{"output":"wide","at":"0","permit":"nan"}]},{"outputs":{"elements":"00 00","sums":"00","others":"00","whole":"00","wide":"00000000"},"open":[{"output":"elements","at":"0..1","permit":"00|80"}]}]}
  ]},
  {"sizes": [2,1], "tests": [
   {"id":"third-3","comment":"","flags":[],"clauses":["NO-SUCH-CLAUSE"],"bugs":[],"inputs":{"values":"0000","scales":"00 01"},"answers":[{"outputs":{"elements":"00","sums":"00 01","others":"00","whole":"FF","wide":"80000000"}}]}
  ]}
 ]
}
)~"));
    CHECK_THAT(json, Contains("\"left_out\": \"what is large\"") && Contains("  \"OFP8-NAN\": {") &&
                         !Contains("  \"NO-SUCH-CLAUSE\": {") && Contains("  \"NAN_LOST\": {"));
    // Places of the same permit are one entry.
    TestVectors vectors = made_up_conversion(bf16, e4m3, "nearest_even", "sat");
    vectors.outputs = {{"codes", &e4m3}, {"others", &e4m3}};
    vectors.groups.front().tests.resize(1);
    VectorAnswer& answer = vectors.groups.front().tests.front().answers.front();
    answer.outputs = {{1, 1, 1, 1, 1}, {2, 2}};
    answer.open.clear();
    for (const std::uint64_t place : {0U, 2U, 3U, 4U})
        answer.open.push_back({0, place, OpenValue::Kind::any, {}, 0, 0});
    answer.open.push_back(open_codes(1, 1, permit_any_nan()));
    const std::string text = write_json(vectors, {"1.2.3", ""});
    CHECK_THAT(
        text,
        Contains(
            R"~("open":[{"output":"codes","at":"0 2..4","permit":"any"},{"output":"others","at":"1","permit":"nan"}])~"));
    CHECK_THAT(text, !Contains("homepage") && !Contains("left_out"));
}

TEST_CASE("test vectors as NumPy arrays are records of their bytes", "[export]") {
    const std::vector<ExportedFile> files = write_vectors(made_up_operation(), ExportFormat::npy, by_hand);
    REQUIRE(files.size() == 3);
    CHECK(files[1].name == "2x1.npy");
    CHECK_THAT(files[1].text, Contains("('values', '<u2', (1,)), ('scales', '|u1', (2,)), ('elements', '|u1', (1,)), "
                                       "('elements_open', '|u1', (1,))"));
    using namespace std::string_literals;
    CHECK(files[1].text.substr(files[1].text.find('\n') + 1) ==
          "third-3\0\0\0\0\0NO-SUCH-CLAUSE\0\0\0\1\0\0\0\1\0\0\0\0\xFF\0\0\0\0\x80\0"s);
    const std::string& second = files[0].text;
    CHECK(
        second.find(
            "second-2\0\0\x80\1TIES_AWAY NAN_LOSTOFP8-NAN\0\0\0\0\0\0\0\0\0\0\x7C\0\x7E\xFF\x7E\x7F\1\1\x7C\2\x80\0\x7F\4"s) !=
        std::string::npos);
    CHECK(write_vectors(made_up_conversion(bf16, e4m3, "nearest_even", "sat"), ExportFormat::npy, by_hand).size() == 2);
}

TEST_CASE("an assembly program for RISC-V has the instruction, and tests of one right answer", "[export]") {
    const std::string program = write_riscv_asm(made_up_conversion(bf16, e4m3, "nearest_even", "sat"));
    CHECK_THAT(program, Contains("x4, x31, x8 # vfncvtbf16.sat.f.f.w v4, v8\n") &&
                            Contains("csrwi frm, 0              # nearest_even\n") && Contains("li t1, 0x0C0 ") &&
                            Contains("    .equ COUNT, 19\n") &&
                            Contains("# 1 tests of which several codes are right are left out."));
    CHECK_THAT(program, Catch::Matchers::EndsWith(R"~(    .data
    .balign 16
inputs:
    .half 0x0000, 0x0001, 0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x0007, 0x0008, 0x0009, 0x000A, 0x000B, 0x000C, 0x000D, 0x000E, 0x000F
    .half 0x0010, 0x3F80, 0x7FFF
    .balign 16
expected:
    .byte 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x00, 0x38, 0x7F
    .balign 16
any_nan:
    .byte 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    .byte 0, 0, 1
    .bss
    .balign 16
results:
    .zero 1 * COUNT
)~"));
    CHECK_THAT(write_riscv_asm(made_up_conversion(fp32, e5m2, "toward_zero", "nosat")),
               Contains("x4, x25, x8 # vfncvt.f.f.q v4, v8\n") && Contains("csrwi frm, 1 ") &&
                   Contains("li t1, 0x1C0 ") && Contains("vle32.v v8") && Contains("li s6, 0x7C ") &&
                   Contains("    .word 0x00000010, 0x3F800000, 0x7FFFFFFF\n") &&
                   Contains("slli t3, t2, 2\n    add s0, s0, t3") && Contains("slli t3, t2, 0\n    add s1, s1, t3"));
    CHECK_THAT(write_riscv_asm(made_up_conversion(e5m2, bf16, "up", "sat")),
               Contains("x4, x13, x8 # vfwcvtbf16.f.f.v v4, v8\n") && Contains("csrwi frm, 3 ") &&
                   Contains("li t1, 0x1C0 ") && Contains("lhu t0, (s0)") && Contains("    .zero 2 * COUNT\n") &&
                   Contains("slli t3, t2, 0\n    add s0, s0, t3") && Contains("slli t3, t2, 1\n    add s1, s1, t3"));
    const std::string none = "RISC-V has no instruction for it";
    TestVectors operation = made_up_operation();
    CHECK_THROWS_WITH(write_riscv_asm(operation), Contains(none));
    for (const auto& [from, to, rounding, overflow] :
         {std::tuple<const Format*, const Format*, const char*, const char*>{&fp16, &e4m3, "nearest_even", "sat"},
          {&bf16, &e8m0, "nearest_even", "sat"},
          {&bf16, &e4m3, "nearest_even", "sat_finite"},
          {&bf16, &e4m3, "to_odd", "sat"}})
        CHECK_THROWS_WITH(write_riscv_asm(made_up_conversion(*from, *to, rounding, overflow)), Contains(none));
}

TEST_CASE("what a code alone says of a test, and names and ids", "[export]") {
    CHECK(names_of(0).empty());
    CHECK(names_of(static_cast<CaseFlags>(bit(CaseFlag::zero) | bit(CaseFlag::nan))) ==
          std::vector<std::string_view>{"ZERO", "NAN"});
    CHECK(flags_of_code(e4m3, 0x7F) == bit(CaseFlag::nan));
    CHECK(flags_of_code(e5m2, 0xFC) == bit(CaseFlag::inf));
    CHECK(flags_of_code(e4m3, 0x80) == bit(CaseFlag::zero));
    CHECK(flags_of_code(e4m3, 0x81) == bit(CaseFlag::subnormal));
    CHECK(flags_of_code(e4m3, 0x08) == 0);
    CHECK(flags_of_code(e8m0, 0x00) == 0);
    CHECK(flags_of_code(e4m3_times_e8m0, 0x7F00) == bit(CaseFlag::zero));
    CHECK(flags_of_code(e4m3_times_e8m0, 0xFF38) == bit(CaseFlag::nan));
    CHECK(identifier_of("quantize-fp32.e4m3") == "quantize_fp32_e4m3");
    CHECK(id_of("part", {1, 2}, {{1, 2}, {3}}) == id_of("part", {1, 2}, {{1, 2}, {3}}));
    CHECK(id_of("part", {1, 2}, {{1, 2}, {3}}) != id_of("part", {1, 2}, {{1, 2}, {4}}));
    CHECK(id_of("part", {1, 2}, {{1, 2}, {3}}) != id_of("part", {2, 1}, {{1, 2}, {3}}));
}

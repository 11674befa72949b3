// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"

#include "catch.hpp"
#include "conformance/print/wrap.hpp"

using namespace mxcert;
using namespace mxcert::print;

TEST_CASE("text from outside cannot move the cursor or break a file") {
    CHECK(printable("plain") == "plain");
    CHECK(printable("\x1b[31mred\x1b[0m") == "\\x1B[31mred\\x1B[0m");
    CHECK(printable("a\nb") == "a\\x0Ab");
    CHECK(printable("a\nb\r", true) == "a\nb\\x0D");
    CHECK(printable(std::string_view("\0x", 2)) == "\\x00x");
    CHECK(printable("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    CHECK(printable("\xC3") == "\\xC3");                            // cut
    CHECK(printable("\xC0\xAF") == "\\xC0\\xAF");                   // not the shortest form
    CHECK(printable("\xED\xA0\x80") == "\\xED\\xA0\\x80");          // a surrogate
    CHECK(printable("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80"); // beyond U+10FFFF
    CHECK(printable("\xC2\x9B") == "\\xC2\\x9B");                   // C1
    CHECK(printable("\xE2\x80\xAE") == "\\xE2\\x80\\xAE");          // right to left override
    CHECK(printable("\xEF\xBF\xBF") == "\\xEF\\xBF\\xBF");          // U+FFFF, which XML has not
}

TEST_CASE("globs") {
    CHECK(glob_matches("*", ""));
    CHECK(glob_matches("fp32-*", "fp32-e4m3-up-sat"));
    CHECK(glob_matches("fp?2-*-sat", "fp32-e4m3-up-sat"));
    CHECK(glob_matches("*-sat", "a-sat-sat"));
    CHECK(glob_matches("**a", "bba"));
    CHECK_FALSE(glob_matches("*-sat", "fp32-e4m3-up-nosat"));
    CHECK_FALSE(glob_matches("fp32", "fp32-e4m3"));
    CHECK_FALSE(glob_matches("", "a"));
    CHECK_FALSE(glob_matches("?", ""));
    // Nothing else is more than itself.
    CHECK(glob_matches("[a-c]", "[a-c]"));
    CHECK_FALSE(glob_matches("[a-c]", "b"));
    CHECK(glob_matches("a\\*b", "a\\xb"));
    CHECK_FALSE(glob_matches("a\\*b", "a*b"));
    CHECK(glob_matches("a\\", "a\\"));
    CHECK(glob_matches("*", ".a/b"));
    CHECK(glob_matches("?a?b", ".a/b"));
    CHECK(glob_matches("?", "\xFF"));
    CHECK(glob_matches(std::string_view("a\0?", 3), std::string_view("a\0b", 3)));
    CHECK_FALSE(glob_matches("a", std::string_view("a\0b", 3)));
    // Must not take exponential time.
    CHECK_FALSE(glob_matches(std::string(200, '*') + "b", std::string(5000, 'a')));
    std::string pattern = "*";
    for (int i = 0; i < 100; ++i) pattern += "a*";
    CHECK_FALSE(glob_matches(pattern + "b", std::string(5000, 'a')));
    CHECK(glob_matches(pattern, std::string(5000, 'a')));
}

TEST_CASE("a filter that is an operation selects its rows") {
    const std::string row = "layout-compact-row/scales";
    CHECK(selected({}, row));
    CHECK(selected({"layout-compact-row"}, row));
    CHECK(selected({"x", "layout-*-row"}, row));
    CHECK(selected({"*/scales"}, row));
    CHECK_FALSE(selected({"layout-compact"}, row));
    CHECK_FALSE(selected({"layout-compact-row/"}, row));
}

TEST_CASE("words of a shell") {
    CHECK(shell_word("./a-b_c.so") == "./a-b_c.so");
    CHECK(shell_word("a b") == "'a b'");
    CHECK(shell_word("it's; rm $x") == "'it'\\''s; rm $x'");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("a\nb") == "'a\nb'");
}

TEST_CASE("numbers") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(4294967296) == "4,294,967,296");
    CHECK(counted(1, "input") == "1 input");
    CHECK(counted(2000, "input") == "2,000 inputs");
}

TEST_CASE("values") {
    CHECK(value_text(formats::fp32, 0x3F880000) == "0x1.1p+0 (1.0625)");
    CHECK(value_text(formats::fp32, 0x80000000) == "-0x0p+0 (-0)");
    CHECK(value_text(formats::flags_of_e4m3, 0x05) == "overflow inexact");
    CHECK(value_text(formats::flags_of_e4m3, 0x25) == "in a batch: overflow inexact");
    CHECK(value_text(formats::fp32, 0x00000001) == "0x1p-149 (1.401298464324817e-45)");
    CHECK(value_text(formats::fp32, 0x7F800000) == "inf");
    CHECK(value_text(formats::fp32, 0xFFC00000) == "-nan");
    CHECK(value_text(formats::fp64, 0x0000000000000001) == "0x0.0000000000001p-1022 (5e-324)");
    CHECK(value_text(formats::fp64, 0xC07D000000000000) == "-0x1.dp+8 (-464)");
    CHECK(value_text(formats::e4m3, 0x7E) == "0x1.cp+8 (448)");
    CHECK(value_text(formats::e4m3, 0x01) == "0x1p-9 (0.001953125)");
    CHECK(value_text(formats::e4m3, 0xFF) == "nan");
    CHECK(value_text(formats::e5m2, 0xFC) == "-inf");
    CHECK(value_text(formats::e8m0, 0x00) == "0x1p-127 (5.877471754111438e-39)");
    CHECK(value_text(formats::e8m0, 0xFF) == "nan");
    CHECK(value_text(formats::e2m1, 0x7) == "0x1.8p+2 (6)");
    CHECK(value_text(formats::e4m3fnuz, 0x80) == "nan");
}

TEST_CASE("long lines are broken at spaces") {
    CHECK(wrapped("one two three", 0) == "one two three");
    CHECK(wrapped("one two three", 13) == "one two three");
    CHECK(wrapped("one two three", 12) == "one two\n  three");
    CHECK(wrapped("one two three four", 7, "    ") == "one two\n    three\n    four");
    CHECK(wrapped("first\nsecond line\n", 8) == "first\nsecond\n  line\n");
    CHECK(wrapped("  indented words", 10) == "  indented\n  words");
    CHECK(wrapped("a-word-that-is-long b", 5) == "a-word-that-is-long\n  b"); // no word is cut
    CHECK(wrapped("a   b", 2) == "a\n  b");
    CHECK(wrapped("one two/three/four five", 8) == "one\n  two/\n  three/\n  four\n  five");
    CHECK(wrapped("one,two three", 13) == "one,two three");
    CHECK(wrapped("x a=1,2,3 y", 7) == "x\n  a=1,\n  2,3 y");
    CHECK(wrapped("", 5).empty());
    CHECK(wrapped("\n\n", 5) == "\n\n");
}

TEST_CASE("a command that is broken is still the command") {
    const std::string line = "  again:  mxcert certify 'a b' --profile ocp";
    CHECK(wrapped_command(line, 10, 0, "    ") == line);
    CHECK(wrapped_command(line, 10, line.size(), "    ") == line);
    CHECK(wrapped_command(line, 10, 28, "    ") == "  again:  mxcert certify \\\n    'a b' --profile ocp");
    CHECK(wrapped_command(line, 10, 17, "    ") ==
          "  again:  mxcert \\\n    certify \\\n    'a b' \\\n    --profile ocp");
    CHECK(wrapped_command("x 'a b c d'", 0, 4, "") == "x \\\n'a b c d'"); // quoted spaces are no place to break it
}

TEST_CASE("a table that is too wide for a terminal is broken at spaces") {
    const std::vector<std::vector<std::string>> rows{{"name", "what it is"}, {"a longer name", "a long text of words"}};
    CHECK(columns(rows, 0) == columns(rows));
    CHECK(columns(rows, 80) == columns(rows));
    CHECK(columns(rows, 24) == "name  what it is\na longer name  a long\n    text of words\n");
}

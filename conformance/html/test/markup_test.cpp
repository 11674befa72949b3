// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/markup.hpp"

#include "catch.hpp"

using namespace mxcert;

TEST_CASE("a text of anyone cannot become HTML") {
    CHECK(html::escaped("<script>\"x\" & 'y'</script>") ==
          "&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/script&gt;");
    CHECK(html::escaped("a\x1b[2J\nb") == "a\\x1B[2J\\x0Ab");
    CHECK(html::escaped("a\nb", true) == "a\nb");
    CHECK(html::command("again", "mxcert certify './<b>.so'").find("<b>") == std::string::npos);
}

TEST_CASE("a column of numbers stands to the right") {
    const std::string text = html::table("t", {"name", "inputs"}, {{"a", "65,536"}, {"b", "-"}});
    CHECK(text.find("<th scope=\"col\">name</th><th scope=\"col\" class=\"number\">inputs</th>") != std::string::npos);
    CHECK(text.find("<td class=\"number\">65,536</td>") != std::string::npos);
}

TEST_CASE("a bar shows how much of all was asked") {
    CHECK(html::coverage_bar(32'768, "65536").find("width:50.0%") != std::string::npos);
    CHECK(html::coverage_bar(std::uint64_t{1} << 32U, "2^33").find("width:50.0%") != std::string::npos);
    CHECK(html::coverage_bar(1, "").empty());
}

TEST_CASE("few lines stay below another, and many open") {
    CHECK(html::paragraphs("a\n  b\nc\n") == "<p>a</p>\n<p class=\"below\">  b</p>\n<p>c</p>\n");
    const std::string many = html::paragraphs("a <b>\n 1\n 2\n 3\n 4\n 5\n 6\n");
    CHECK(many.starts_with("<details class=\"list\">\n<summary>a &lt;b&gt;</summary>\n<p class=\"below\"> 1</p>"));
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/product_text.hpp"

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::suites {

std::string failed_products(const verdict::Row& row) {
    return fmt::format("{} of D {} not permitted", print::counted(row.differing, "element"),
                       row.differing == 1 ? "is" : "are");
}

std::string left_out_products(const std::vector<std::string>& refused, std::uint64_t elements, std::string_view how) {
    std::vector<std::string> texts;
    if (!refused.empty())
        texts.push_back(fmt::format("refused, as it may: {} of sizes that do not divide",
                                    print::counted(refused.size(), "product")));
    if (elements != 0) texts.push_back(fmt::format("{} of D {}", print::counted(elements, "element"), how));
    return fmt::format("{}", fmt::join(texts, "; "));
}

} // namespace mxcert::suites

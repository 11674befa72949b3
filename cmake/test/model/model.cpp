// SPDX-License-Identifier: Apache-2.0
// 464.0001 to E4M3 by both models and by the golden file.
#include <cstdio>

#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/golden_store/golden_files.hpp"

int main() {
    const mxcert::Format& from = *mxcert::find_format("fp32");
    const mxcert::Format& to = *mxcert::find_format("e4m3");
    const mxcert::Code input = 0x43E80003;
    const auto exact = mxcert::exact::convert(from, to, {}, input).code;
    const auto fast = mxcert::fast::convert(from, to, {}, input);
    const auto golden = mxcert::load_golden(from, to, VECTORS);
    if (!golden) return 1;
    std::printf("%02X %02X %zu %s\n", static_cast<unsigned>(exact), static_cast<unsigned>(fast),
                golden->golden.rows.size(), golden->sha256.c_str());
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxcert::observe {

/// In which places of a call the inputs of a conversion were asked.
struct Places {
    std::uint64_t in_batches = 0; ///< inputs that came in calls: not only as ranges that the backend made itself
    std::uint64_t neighbours = 0; ///< values with another one before them in a request
    std::uint64_t differing = 0;  ///< of them, those whose answer is another than that of the one before
    std::uint64_t placed = 0; ///< values asked for once more: each boundary in every place of calls, and large calls
    std::uint64_t largest_call = 0; ///< values of the largest call for which all answers came; 0: none was large
    bool simplified = false;        ///< of answers that are permitted there were so many that one stands for all

    friend bool operator==(const Places&, const Places&) = default;
};

} // namespace mxcert::observe

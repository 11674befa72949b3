// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/tensors/quantization.hpp"
#include "reference/choices.hpp"
#include "reference/format.hpp"

// The options of conversions and quantizers as users write them, on the command line and to the library.
namespace mxcert::tensors {

/// An option that is empty was not given.
struct ConvertOptions {
    std::string profile;
    std::string rounding;
    std::string overflow;
    std::vector<std::string> choices; ///< "name=value"
};

/// The choices: those of the profile, for the rounding and overflow that are given or else the first that it judges,
/// and over these each option. Throws std::invalid_argument for unknown names and a conversion that the profile does
/// not judge.
[[nodiscard]] Choices choices_of(const ConvertOptions& options, const Format& from, const Format& to);

/// An option that is empty was not given.
struct QuantizeOptions {
    std::string format; ///< of blocks: "mxfp8_e4m3"
    std::string profile;
    std::string recipe;      ///< of nvfp4
    std::string tensor_amax; ///< of nvfp4
    std::string rule;
    std::string rounding;
    std::string overflow;
    std::vector<std::string> scale_choices;   ///< "name=value"
    std::vector<std::string> element_choices; ///< "name=value"
    std::string amax_nan;
    std::string amax_inf;
    std::string axis = "row";
    unsigned block = 0; ///< 0: the format's
    std::string packing = "bytes";
    std::string layout = "rows";
};

/// The quantization of values of `source` in that shape. Of nvfp4 without a tensor_amax the scales of the tensor are
/// yet to be set. Throws std::invalid_argument for unknown names, options that do not go together, and what check()
/// throws.
[[nodiscard]] Quantization quantization_of(const QuantizeOptions& options, const Format& source,
                                           std::vector<std::uint64_t> shape);

} // namespace mxcert::tensors

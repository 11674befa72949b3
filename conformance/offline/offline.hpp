// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/samples.hpp"

// A device that cannot be attached gets its requests as a folder of files and gives the answers back in files beside
// them (docs/offline.md):
//
//   offline.json                 what was asked: written last, so that a folder without it is no such folder
//   requests.mxcf                format frames: START, CONVERT ..., RUN ..., END, as a worker would get them
//   responses.mxcf               the device's: HELLO, RESULT or FAILED ..., END
//   CONVERSION.in.hex, .out.hex  format hex: the inputs for $readmemh, and the answers as $writememh writes them
namespace mxcert::offline {

inline constexpr std::string_view offline_schema = "mxcert-offline-1";

enum class OfflineFormat : std::uint8_t { frames, hex };
[[nodiscard]] std::string_view to_string(OfflineFormat format); ///< "frames", "hex"

enum class OfflineInputs : std::uint8_t {
    boundaries, ///< chosen ones: the boundaries of the permitted table, samples, one in each binade
    all,        ///< every input of a source of up to 32 bits
};
[[nodiscard]] std::string_view to_string(OfflineInputs inputs); ///< "boundaries", "all"

/// An operation that is asked, and its index in the HELLO of the device.
struct OfflineOperation {
    Operation operation;
    std::uint32_t index = 0;
};

/// What a folder asks, as far as the requests themselves do not say it.
struct OfflineIndex {
    OfflineFormat format = OfflineFormat::frames;
    OfflineInputs inputs = OfflineInputs::boundaries;
    std::uint64_t seed = 1;
    unsigned samples_per_step = default_samples_per_step;
    std::string backend_options; ///< for the device, in START
    std::vector<std::string> profiles;
    std::vector<std::string> filters;
    std::vector<Conversion> conversions;
    std::vector<OfflineOperation> operations; ///< frames only; of a device whose HELLO is known
    std::uint64_t values = 0;        ///< that are asked, those twice counted twice; 0 in an index that was read
    std::uint64_t answer_bytes = 0;  ///< what the answers take at least
    std::vector<std::string> sha256; ///< of requests.mxcf; of each file of inputs, in the order of `conversions`
};

/// Whether every input of a conversion is asked. Sources of 8 bits are too small to choose from.
[[nodiscard]] bool asks_all(OfflineInputs inputs, const Conversion& conversion);

/// The file names of format hex.
[[nodiscard]] std::string hex_inputs_name(const Conversion& conversion);
[[nodiscard]] std::string hex_answers_name(const Conversion& conversion);

/// Writes the requests into a new or empty folder. `index` says what is wanted; its conversions and digests are filled
/// in, and its profiles if there are none (ocp); `hello`: a file with the HELLO of the device, whose operations are
/// asked then, or "". What is random is left out. Throws std::invalid_argument for an unknown profile, or if nothing is
/// left to ask; std::runtime_error that names a file.
void write_offline(OfflineIndex& index, const std::filesystem::path& folder, const std::filesystem::path& hello = {});

/// The index of a folder whose request files are those it was written with. Throws std::runtime_error that names the
/// file and the place.
[[nodiscard]] OfflineIndex read_offline_index(const std::filesystem::path& folder);

/// offline.json.
[[nodiscard]] std::string offline_index_text(const OfflineIndex& index);

/// The answers that lie in a folder. What is wrong with them is the status of the conversions. Throws
/// std::runtime_error if the requests are broken or there are no answers at all. `options`: progress, stop.
[[nodiscard]] std::unique_ptr<observe::Subject> open_offline(const std::filesystem::path& folder,
                                                             const observe::ObserveOptions& options);

} // namespace mxcert::offline

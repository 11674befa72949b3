// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "conformance/offline/offline.hpp"

namespace mxcert::offline {

/// The answers in an offline folder, in one of its formats.
class OfflineSource {
  public:
    OfflineSource() = default;
    virtual ~OfflineSource() = default;
    OfflineSource(const OfflineSource&) = delete;
    OfflineSource& operator=(const OfflineSource&) = delete;

    /// The device, and the conversions of the index that it answers.
    [[nodiscard]] virtual const observe::BackendInfo& info() const = 0;
    /// The inputs that were asked, ascending. For conversions that are not asked every input.
    [[nodiscard]] virtual std::vector<Code> inputs(const Conversion& conversion) = 0;
    /// Everything that was answered. Never throws for what the device did.
    [[nodiscard]] virtual observe::Observation read(const Conversion& conversion) = 0;
    /// The answer to a run of an operation of the index. Never throws for what the device did.
    [[nodiscard]] virtual frames::RunAnswer run(const Operation& operation, const frames::RunCase& /*run_case*/) {
        return {Status::unsupported, "these files have none of " + to_string(operation), {}, {}};
    }
};

/// requests.mxcf and responses.mxcf. Throws std::runtime_error if the requests are broken, or there are no responses.
[[nodiscard]] std::unique_ptr<OfflineSource> read_offline_frames(const std::filesystem::path& folder,
                                                                 const OfflineIndex& index,
                                                                 const observe::ObserveOptions& options);

/// CONVERSION.in.hex and CONVERSION.out.hex. Throws std::runtime_error if inputs are broken, or there is no answer to
/// any of them.
[[nodiscard]] std::unique_ptr<OfflineSource> read_offline_hex(const std::filesystem::path& folder,
                                                              const OfflineIndex& index);

} // namespace mxcert::offline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "conformance/observe/subject.hpp"

namespace mxcert::record {

/// A subject that asks `subject`, which must outlive it, and keeps every whole and trusted answer of a source of up to
/// 32 bits, and of every part of a sweep, in a folder, as soon as it is there; what the folder has from an earlier run
/// is not asked again. So a long run that was stopped goes on where it was. The folder is a record of what has been
/// seen so far, and is judged again each time. Throws std::runtime_error if the folder is no record and not empty, or
/// is a record of another build, other backend options, another seed or an earlier level.
[[nodiscard]] std::unique_ptr<observe::Subject> resume_answers(observe::Subject& subject,
                                                               const std::filesystem::path& folder,
                                                               const std::string& backend_options, std::uint64_t seed,
                                                               Level level);

} // namespace mxcert::record

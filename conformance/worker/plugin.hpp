// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conformance/backend.h"
#include "reference/format.hpp"

namespace mxcert::worker {

/// One conversion of a plugin, copied and checked, or the exceptions of one.
struct Offer {
    std::string source;
    std::string target;
    std::string rounding;
    std::string overflow;
    std::uint32_t random_bits = 0;
    const Format* from = nullptr; ///< nullptr: a name this worker does not know; such a conversion cannot be asked for
    const Format* to = nullptr;
    std::uint32_t index = 0;       ///< that of the plugin's conversion
    const Format* codes = nullptr; ///< exceptions: the target of that conversion; nullptr: the answers are its codes
    bool flags_of_batch = false;   ///< exceptions: the plugin tells those of a batch, not of each value
};

/// One operation of a plugin, copied.
struct OperationOffer {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
};

/// How a call into a plugin ended.
struct Outcome {
    std::int32_t status = MXCERT_OK;
    std::string message; ///< one line, for every status but MXCERT_OK
};

/// A loaded backend. There is no unloading: the libraries of accelerators do not survive it.
class Plugin {
  public:
    /// Loads and checks a plugin. Throws std::runtime_error with one line that says what is wrong with the file, its
    /// symbol, its ABI version or a field.
    explicit Plugin(const std::string& path);
    /// One that is part of this program, checked in the same way. `theirs` lives as long as this. Errors name it
    /// `path`. Fewer than `least_batch` values are given to a call only where a request has no more.
    Plugin(const mxcert_api* theirs, const std::string& path, std::uint64_t least_batch);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& version() const { return version_; }
    [[nodiscard]] const std::string& description() const { return description_; }
    /// The conversions in the order of the plugin, then the exceptions of those that tell them.
    [[nodiscard]] const std::vector<Offer>& offers() const { return offers_; }
    [[nodiscard]] const std::vector<OperationOffer>& operations() const { return operations_; }

    /// The functions of the plugin; one that it does not have succeeds. A C++ exception becomes MXCERT_ERROR. Each call
    /// of convert(), convert_range() and run() finds the rounding mode and the flush flags as open() left them, and
    /// this program keeps its own.
    [[nodiscard]] Outcome open(const std::string& options);
    [[nodiscard]] Outcome convert(const mxcert_convert_args& args);
    [[nodiscard]] Outcome run(const mxcert_run_args& args);
    /// Whether there is a function for ranges, which convert_range() calls.
    [[nodiscard]] bool has_ranges() const { return api_.convert_range != nullptr; }
    [[nodiscard]] Outcome convert_range(const mxcert_range_args& args);
    /// The most values that a call of convert() may have; 0: any number.
    [[nodiscard]] std::uint64_t max_batch() const { return api_.max_batch; }
    [[nodiscard]] std::uint64_t least_batch() const { return least_batch_; }
    [[nodiscard]] bool has_one_worker() const { return (api_.flags & MXCERT_ONE_WORKER) != 0; }
    void close();

  private:
    void read_conversions(const std::string& path);
    void add_offers_of_flags(const std::string& path);
    void read_operations(const std::string& path);
    [[nodiscard]] Outcome outcome(const char* function, std::int32_t status) const;
    template <class Args>
    [[nodiscard]] Outcome call(const char* name, std::int32_t (*function)(const Args*), const Args& args);
    [[nodiscard]] Outcome call_open(const std::string& options);

    mxcert_api api_{};
    std::uint64_t least_batch_ = 0;
    std::string name_;
    std::string version_;
    std::string description_;
    std::vector<Offer> offers_;
    std::vector<OperationOffer> operations_;
    std::fenv_t ours_{};   ///< the floating-point environment of this program
    std::fenv_t theirs_{}; ///< that of the plugin's calls
};

} // namespace mxcert::worker

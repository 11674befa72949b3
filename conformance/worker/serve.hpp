// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "conformance/worker/buffer.hpp"
#include "conformance/worker/plugin.hpp"
#include "conformance/worker/shared_memory.hpp"
#include "conformance/worker/streams.hpp"

namespace mxcert::worker {

/// Says in a HELLO why there will be no service.
void refuse(const Streams& streams, const std::string& reason);

/// Serves one plugin until END. Requests are answered in their order; one that cannot be served is answered with FAILED
/// and the next is served.
class Server {
  public:
    Server(Plugin& plugin, const Streams& streams) : plugin_(plugin), streams_(streams) {}

    /// Returns after END. Throws frames::Error if the harness breaks the protocol or goes away without END,
    /// std::system_error if a stream fails.
    void run();

    /// What START says a conversion of the requests is, where it does: an offer, or the name of what is not offered.
    struct Asked {
        std::uint32_t offer = 0;
        std::string missing;
    };

  private:
    struct Answer {
        frames::ResultHeader result;
        std::span<const std::byte> outputs; ///< inline outputs, little-endian
    };
    /// Values of a request where the plugin will find them; advances as batches are done.
    struct Places {
        const std::byte* input = nullptr;                 ///< nullptr: made batch by batch
        std::optional<frames::Interleaved> interleaved{}; ///< if these are made, and not a range
        const std::uint32_t* random = nullptr;
        std::byte* output = nullptr;
        bool output_shared = false;
    };

    void hello() const;
    void start(std::span<const std::byte> payload);
    /// Answers a request with what serve() gives, or with FAILED and why.
    template <class Serve> void answer(const frames::Frame& frame, Serve serve);
    void end(const frames::Frame& frame);

    [[nodiscard]] std::uint32_t own_index(std::uint32_t index) const;
    [[nodiscard]] const Offer& check(std::uint32_t conversion, std::uint64_t count) const;
    [[nodiscard]] Places place(const frames::ConvertRequest& request, const Offer& offer,
                               std::span<const std::byte> following);
    void call_plugin(const frames::ConvertRequest& request, const Offer& offer, const Places& places);
    void call_convert(const mxcert_convert_args& args);
    void call_for_flags(mxcert_convert_args args, const Offer& offer);
    /// For the flags of a batch: a call for each value.
    void call_for_each_value(const mxcert_convert_args& args, const Offer& offer);
    /// A call for all values that raised the same flags alone, and one for all. Marks values of those that raised
    /// others with formats::raised_in_batch.
    void call_for_batches(const mxcert_convert_args& args, const Offer& offer);
    [[nodiscard]] std::uint8_t flags_of_call(mxcert_convert_args args, const Offer& offer);
    [[nodiscard]] Answer convert(const frames::Frame& frame);
    /// Lets the plugin make a range, scale by scale, and gathers its steps.
    [[nodiscard]] Answer make_range(const frames::Frame& frame);
    [[nodiscard]] Answer serve(const frames::ConvertRequest& request, std::span<const std::byte> following);
    [[nodiscard]] Answer run_operation(const frames::Frame& frame);
    /// The arrays of a request where the plugin finds them.
    struct Arrays {
        std::vector<mxcert_array> inputs;
        std::vector<mxcert_array> outputs;
    };
    [[nodiscard]] Arrays own_arrays(const frames::RunRequest& request, const std::byte* bytes);
    [[nodiscard]] Arrays shared_arrays(const frames::RunRequest& request) const;
    void call_run(const frames::RunRequest& request, const Arrays& arrays);
    [[nodiscard]] Answer gather(const frames::RunRequest& request, const Arrays& arrays);

    Plugin& plugin_;
    Streams streams_;
    SharedMemory shared_;
    bool started_ = false;
    bool opened_ = false;
    std::optional<std::vector<Asked>> asked_;
    Outcome start_; ///< of START: what every request is answered if it failed
    frames::EndCounts counts_;
    std::vector<mxcert_step> steps_; ///< of a part of a range
    Buffer inputs_;                  ///< of a request, where they were inline
    Buffer codes_[2];                ///< of a call for flags, and of the same call without
    Buffer alike_[3];                ///< values, random words and codes that raised the same flags
    Buffer flags_;                   ///< of a batch
    Buffer values_;                  ///< of a batch, which are made, or taken out of codes that have their scale
    Buffer randoms_;
    Buffer outputs_;
    std::vector<std::byte> gathered_; ///< the outputs of a run
};

} // namespace mxcert::worker

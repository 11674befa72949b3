// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"

namespace mxcert::suites {

/// A block that was asked and what came back.
struct FloatSample {
    std::vector<Code> values;
    Code scale = 0;
    std::vector<Code> elements; ///< empty: only the scale counts
    bool right = false;
};

/// Some of all blocks, right and wrong ones apart, each as likely as any other of its kind; the same ones every time.
class FloatSamples {
  public:
    /// Where the next block is to be kept, one that is right or wrong; null if it is not.
    [[nodiscard]] FloatSample* next(bool right);
    [[nodiscard]] std::vector<FloatSample> list() const;

  private:
    struct Kind {
        std::uint64_t seen = 0;
        std::vector<FloatSample> kept;
    };
    Kind right_;
    Kind wrong_;
};

/// A matrix that was asked and what came back.
struct FloatSeen {
    FloatCase asked;
    std::vector<frames::Values> outputs;
};

/// Everything that known_as() knows.
[[nodiscard]] std::vector<KnownFault> float_faults();

/// What is known to be wrong so: "x / scale in the place of x times the inverse scale", "the recipe deepseek_v3".
/// Each explains all samples, the right ones too, of which one at least is wrong; those that give the same are all
/// named.
/// Empty if nothing does.
[[nodiscard]] std::vector<KnownFault> known_as(const QuantizeFloat& quantize, const std::vector<FloatSample>& samples);

/// The same of what joins blocks: "the scales of blocks in columns, not in rows".
[[nodiscard]] std::vector<KnownFault> known_as(const QuantizeFloat& quantize, const std::vector<FloatSeen>& seen);

/// The ids of the classes of float_faults() of which one does not give what is right for a matrix. `blocks` has its
/// blocks, `matrix` all of it, both with the right answers.
[[nodiscard]] std::vector<std::string_view> shown_by(const QuantizeFloat& quantize,
                                                     const std::vector<FloatSample>& blocks, const FloatSeen& matrix);

} // namespace mxcert::suites

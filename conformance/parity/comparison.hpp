// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/level.hpp"
#include "conformance/status.hpp"
#include "reference/format.hpp"

// The result of comparing two quantizers.
namespace mxcert::parity {

/// Inputs of a part that both give other codes: neighbours among those that were asked, with the same two codes.
struct DifferingRange {
    Code tensor = 0; ///< the amax of the tensor, where a scale of the tensor is part of the format
    Code scale = 0;  ///< of elements: the scale that both gave
    Code first = 0;
    Code last = 0;
    Code a = 0; ///< what A gave
    Code b = 0;
    std::uint64_t inputs = 0; ///< that were asked in it
};

/// A block that differs.
struct DifferingBlock {
    std::string title; ///< what it is about: "a special value in each lane: NaN in lane 3"
    std::string text;  ///< what differs first: "the scale is 0x7F in A and 0xFF in B"
};

/// A part of what two quantizers are compared on.
struct Part {
    std::string_view name;   ///< "scales"
    std::string_view inputs; ///< what is counted, in the plural: "amaxes"
    const Format* input = nullptr;
    const Format* output = nullptr;
    std::uint64_t compared = 0; ///< inputs
    std::uint64_t all = 0;      ///< inputs that there are; 0: they are cases, which have no end
    std::uint64_t differing = 0;
    std::vector<DifferingRange> ranges{}; ///< ascending
    std::vector<DifferingBlock> blocks{}; ///< of cases the first ones
};

/// A shape that one of both does not take: it was not compared.
struct Refusal {
    std::string name; ///< of the case
    bool by_a = false;
    bool is_tail = false; ///< a last block that is shorter, which a quantizer may refuse
    std::string reason;
};

/// A choice in which B is another than A.
struct Change {
    std::string name; ///< "rule"
    std::string a;    ///< the value that explains A: "ocp_floor"
    std::string b;
    std::string part;                 ///< "scales"; "scales and elements"; "" of what is declared
    std::vector<std::string> alike{}; ///< others that explain the same: "rule ceil"
};

/// The explanation of the differences between A and B.
struct Explanation {
    bool explained = false;            ///< A with the changes gives every answer of B
    std::vector<Change> changes;       ///< the fewest that were found
    std::uint64_t asked = 0;           ///< answers of B: amaxes, values under a scale, and blocks
    std::uint64_t explained_count = 0; ///< of them, by the best that was found
    bool is_sample = false;            ///< there were more answers than were kept
    std::string a_is;                  ///< the recipe that gives every answer of A, if one of the table does
    std::string b_is;
    std::string reason; ///< if not explained, why: "A itself is explained on 5 of 6 answers"
};

/// How two pipelines compare.
struct Parity {
    std::string a; ///< names of the operations
    std::string b;
    Status status = Status::untested; ///< pass: equal; fail: different; else not compared to the end, as `reason` says
    std::string reason;
    LevelOf level{};
    const Format* values = nullptr;    ///< both were asked values of this
    bool has_tensors = false;          ///< a scale of the tensor is part of the format
    bool sample = false;               ///< of the inputs of its parts not all were asked
    std::vector<std::string> brought;  ///< what was brought to one form: "packing: bytes in A, low_first in B"
    std::vector<std::string> left_out; ///< what has no common form: "the scale of the tensor: decode in A, encode in B"
    std::vector<Part> parts;
    std::vector<Refusal> refused;
    std::uint64_t scales_of_one = 0; ///< scales that both give, but never to the same amax: without common elements
    std::uint64_t under_nan = 0;     ///< blocks whose elements differ under a scale that is NaN in both; not counted
    std::optional<Explanation> explanation{}; ///< of pipelines that differ
};

struct ParityOptions {
    LevelOf level{};
    std::uint64_t seed = 1;
    const Format* values = nullptr; ///< fp32, fp16 or bf16; null: those that both sources hold
    bool transpose = false;         ///< axes differ, and B is given the transpose of each matrix
    std::size_t most_blocks = 8;    ///< differing blocks that are kept
    const std::atomic<bool>* stop = nullptr;
    std::function<void(const std::string& name, std::uint64_t inputs)> started{}; ///< a part begins; may be empty
    std::function<void(std::uint64_t inputs)> done{};                             ///< of the part; may be empty
};

} // namespace mxcert::parity

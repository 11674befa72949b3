// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/suites/nvfp4/cases.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"

// Which tensors show how a quantizer to NVFP4 rounds its elements at random: the inputs of a plan of stochastic
// roundings, each asked in blocks whose scale is known. A block has one value that makes its scale, in another place
// from block to block and from call to call, and all others are draws of the input.
namespace mxcert::suites {

/// Elements that a value may have: toward zero and away from it; one where both are the same.
struct ElementEnds {
    Code lower = 0;
    Code upper = 0;
};

/// What a tensor and its blocks have for their largest values, codes of the source, and what becomes of that.
struct RandomScaling {
    Code tensor_amax = 0;
    Code amax = 0; ///< of a block; that of the tensor is in a block of its own where it is another one
    recipe::TensorScales tensor;
    Code scale = 0;         ///< of a block
    Code holder_scale = 0;  ///< of the block with the amax of the tensor
    ElementEnds of_amax;    ///< of its value
    ElementEnds of_holder;  ///< of the amax of the tensor
    exact::Rational factor; ///< of the values of a block
};

/// A call: the values of a tensor, and which of them are draws.
struct RandomCall {
    std::vector<Code> values;                      ///< codes of the source, in rows
    const RandomScaling* scaling = nullptr;        ///< of all blocks
    std::uint64_t holder = 0;                      ///< the block with the amax of the tensor
    std::vector<std::vector<std::uint64_t>> drawn; ///< of each input that is asked, as Tally::add() takes it
    /// Of each lane that is no draw the two elements that may be; `none` of the others.
    std::vector<std::uint8_t> lower;
    std::vector<std::uint8_t> upper;
    static constexpr std::uint8_t none = 0xFF;
};

/// The inputs are values after they were scaled, codes of binary32. The lanes of a call are the values of its blocks,
/// one block after the other, whatever the axis.
class RandomPlan {
  public:
    /// Precondition: quantize.random. Throws std::logic_error where the models disagree.
    RandomPlan(const QuantizeNvfp4& quantize, const stochastic::Parameters& wanted);

    [[nodiscard]] const stochastic::Plan& plan() const { return plan_; }
    [[nodiscard]] const std::vector<RandomScaling>& scalings() const { return scalings_; }
    /// Values of a block.
    [[nodiscard]] std::uint64_t block_size() const { return quantize_.block.rows * quantize_.block.columns; }

    /// Inputs that are asked in one call: two where values are transformed, which come out with either sign.
    [[nodiscard]] std::size_t inputs_at_once() const { return quantize_.hadamard ? 2 : 1; }

    /// Matrices take turns: one of whole blocks, and one with smaller blocks at its ends, which may be refused.
    struct Shape {
        FloatMatrix matrix;
        std::uint64_t first_lane = 0;      ///< of the first block: the last one ends with the lanes
        std::vector<std::uint64_t> places; ///< of each lane in the matrix; `no_place` where it has none
    };
    static constexpr std::uint64_t no_place = ~std::uint64_t{0};
    [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }

    /// The call for the inputs from number `first` on in a round.
    [[nodiscard]] RandomCall call(const Shape& shape, std::uint64_t round, std::size_t first) const;
    /// The call for those that have one answer. Nothing is a draw of it where values are transformed.
    [[nodiscard]] RandomCall fixed_call(const Shape& shape, std::uint64_t round) const;

  private:
    /// A value of a transformed group: of the amax or of the input.
    struct Transformed {
        bool is_input = false;
        bool negative = false;
    };
    /// What a group is made of, and what comes out of it.
    struct Group {
        struct Part {
            std::uint64_t lane;
            Transformed value;
        };
        std::vector<Part> parts;
        std::vector<Transformed> results;
    };

    void add_shapes(std::uint64_t lanes);
    void add_groups();
    void add_inputs(const stochastic::Plan& wanted);
    void add_fixed();
    [[nodiscard]] std::uint64_t least_draws() const;
    [[nodiscard]] RandomCall empty_call(const Shape& shape, std::uint64_t round, const RandomScaling& scaling) const;
    /// The lane of a block whose value makes the scale; no_place in the block with the amax of the tensor.
    [[nodiscard]] std::uint64_t set_largest(RandomCall& call, const Shape& shape, std::uint64_t block,
                                            std::uint64_t turn) const;
    /// `first`: the number of the input of positive sign.
    void set_group(RandomCall& call, const Shape& shape, std::uint64_t block, std::uint64_t round,
                   std::size_t first) const;
    /// Whether a lane of a block may be a draw: where pairs share their random bits, one of each, so that draws are
    /// independent. Which of them changes from block to block, at every distance, and after each two rounds.
    [[nodiscard]] bool may_draw(std::uint64_t block, std::uint64_t lane, std::uint64_t round) const;

    QuantizeNvfp4 quantize_;
    stochastic::Plan plan_;
    std::vector<RandomScaling> scalings_;
    std::vector<Shape> shapes_;
    std::vector<Group> groups_;
    std::vector<std::size_t> scaling_of_; ///< of each input
    std::vector<Code> code_of_;           ///< of each input, in the source
};

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <vector>

#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Inputs in a row with the same answer: every one up to `last`, from the one after the step before.
struct CodeStep {
    Code last;
    Code code;
};

/// What a quantizer to NVFP4 must give, by both models: exact::, in rational numbers, and fast::, in those of the
/// machine. Every function throws std::logic_error where they disagree: nothing may be judged then. Amaxes and values
/// are codes of the source; an amax has no sign.
///
/// Answers for finite inputs are kept as steps. The magnitude of an element does not fall as that of the value rises,
/// zero apart, as every operation on the way is monotone; nor does a scale as the amax rises, within a binade, those of
/// the subnormals too: what is too small for a scale may have a large one, 1 or 1/8, and no binade has both. Where both
/// ends of a step have the code by both models, all between have it.
class Nvfp4Expected {
  public:
    explicit Nvfp4Expected(const QuantizeNvfp4& quantize) : quantize_(quantize) {}

    /// Of a block, or of the tensor.
    [[nodiscard]] Code amax_of(std::span<const Code> values) const;
    /// What is given out for the tensor, a code of binary32; 0 if nothing is.
    [[nodiscard]] Code tensor_scale(Code tensor_amax);
    /// The scale in E4M3 of a block.
    [[nodiscard]] Code scale(Code tensor_amax, Code amax);
    /// The same of a block with these values, in rows of so many: of four_over_six it depends on all of them. The exact
    /// model decides of the first blocks, 2^16 values of them, and then of one block in 64.
    [[nodiscard]] Code scale_of(Code tensor_amax, std::span<const Code> values, std::uint64_t columns);
    /// As element_of() gives it, with the bits that are open. Of what no step keeps the exact model decides the first
    /// 2^16 elements, and then one in 64.
    [[nodiscard]] Code element(Code tensor_amax, Code scale, Code value);

    /// The scales of all finite amaxes.
    [[nodiscard]] const std::vector<CodeStep>& scale_steps(Code tensor_amax);
    /// The elements of all finite values of a sign, by their magnitude.
    [[nodiscard]] const std::vector<CodeStep>& element_steps(Code tensor_amax, Code scale, bool negative);

  private:
    struct OfScale {
        std::vector<CodeStep> positive;
        std::vector<CodeStep> negative;
        unsigned asked = 0; ///< one by one, before there were steps
    };
    struct OfTensor {
        recipe::TensorScales scales;
        std::vector<CodeStep> scale_steps;
        unsigned asked = 0;               ///< as in OfScale
        std::map<Code, OfScale> elements; ///< by the scale
    };
    [[nodiscard]] OfTensor& of(Code tensor_amax);
    [[nodiscard]] Code checked_scale(const recipe::TensorScales& tensor, Code amax) const;
    [[nodiscard]] Code checked_element(const recipe::TensorScales& tensor, Code scale, Code value) const;
    /// The element of a finite value that no step keeps.
    [[nodiscard]] Code single_element(const recipe::TensorScales& tensor, Code scale, Code value);
    [[nodiscard]] const std::vector<CodeStep>& elements_of(OfTensor& tensor, Code scale, bool negative);

    QuantizeNvfp4 quantize_;
    std::uint64_t decided_ = 0; ///< blocks of four_over_six
    std::uint64_t singles_ = 0; ///< elements without steps
    std::map<Code, OfTensor> by_tensor_amax_;
};

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
// The operation "matmul": the small products of its suite.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "conformance/cases/given_case.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/export/product_values.hpp"
#include "conformance/suites/matmul/alike_cases.hpp"
#include "conformance/suites/matmul/cases.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/tie_cases.hpp"
#include "conformance/suites/matmul/zero_cases.hpp"

namespace mxcert::test_vectors {
namespace {

using suites::MatmulCase;
using suites::MatmulJudge;
using suites::MatmulPermit;

constexpr std::uint64_t most_products = 1U << 13U; ///< of a test: the exact model is slow
constexpr std::size_t most_of_a_part = 250;
constexpr unsigned samples = 4;
constexpr std::uint64_t seed = 1;

class MatmulVectors {
  public:
    MatmulVectors(const Operation& operation, const Profile& profile)
        : matmul_(as_matmul(operation)), form_(cases::form_of(operation)), judge_(matmul_),
          collection_(head(operation, profile)) {
        for (const suites::MatmulFault& fault : suites::matmul_faults()) {
            std::optional<Matmul> read = fault.read(matmul_);
            if (read) wrong_.push_back({find_bug_class(fault.bug_class), &fault, *read, nullptr});
        }
        if (!matmul_.any_order)
            for (const Accumulator& other : accumulators()) {
                Matmul declared = matmul_;
                declared.accumulator = &other;
                if (&other == matmul_.accumulator || (!is_exact(other) && !takes(other, declared.format))) continue;
                if (!takes_blocks(other, declared.a_scale.along, declared.b_scale.along)) continue;
                wrong_.push_back({&suites::bug_class_of(*matmul_.accumulator, other), nullptr, declared, nullptr});
            }
        // Each refers to the product beside it, which no longer moves.
        for (Wrong& wrong : wrong_) wrong.judge = std::make_unique<MatmulJudge>(wrong.matmul);
    }

    TestVectors take() {
        suites::for_each_place_case(matmul_, adder("places"));
        suites::for_each_alike_case(matmul_, adder("places"));
        suites::for_each_special_case(matmul_, adder("special"));
        suites::for_each_zero_case(matmul_, adder("special"));
        if (suites::has_small_float_scales(matmul_)) suites::for_each_scale_case(matmul_, adder("scales"));
        suites::for_each_value_case(matmul_, samples, seed, adder("values"));
        suites::for_each_tie_case(matmul_, adder("values"));
        return collection_.take();
    }

  private:
    /// A wrong product: a fault of operands, or another accumulator.
    struct Wrong {
        const BugClass* bug_class;
        const suites::MatmulFault* fault; ///< null: another accumulator
        Matmul matmul;
        std::unique_ptr<MatmulJudge> judge;
    };

    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"m", "n", "k"};
        for (const cases::FormTensor& tensor : form_.tensors)
            vectors.inputs.push_back({std::string(tensor.name), tensor.format});
        vectors.outputs = {{"d", matmul_.output}};
        return vectors;
    }

    [[nodiscard]] suites::TakeMatmulCase adder(std::string_view part) {
        count_ = 0;
        return [this, part](const MatmulCase& one) {
            add(part, one);
            return true;
        };
    }

    void add(std::string_view part, const MatmulCase& one) {
        const cases::GivenCase given = cases::given_of(form_, suites::run_of(matmul_, one));
        if (is_large(given.tensors) || one.shape.m * one.shape.n * one.shape.k > most_products)
            return collection_.leave_out("products too large to be written down");
        if (count_++ >= most_of_a_part) return collection_.leave_out("beyond the first 250 of their part");
        const std::vector<MatmulPermit> permits = judge_.permits(one);
        TestVector test;
        test.comment = one.name;
        test.inputs = given.tensors;
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(permits.size())};
        for (std::size_t at = 0; at < permits.size(); ++at) set_value(answer, 0, at, value_of(permits[at], matmul_));
        for (const Wrong& wrong : wrong_)
            if (std::find(test.bugs.begin(), test.bugs.end(), wrong.bug_class->id) == test.bugs.end() &&
                shows(wrong, one, permits))
                add_bug(test.bugs, wrong.bug_class->id);
        collection_.add(part, given.sizes, std::move(test));
    }

    /// Whether some element of a wrong product is not permitted.
    [[nodiscard]] bool shows(const Wrong& wrong, const MatmulCase& one, const std::vector<MatmulPermit>& permits) {
        MatmulCase multiplied = one;
        if (wrong.fault != nullptr) {
            std::optional<MatmulCase> edited = wrong.fault->edited(matmul_, one);
            if (edited)
                multiplied = std::move(*edited);
            else if (wrong.fault->scales_as == nullptr)
                return false;
        }
        try {
            for (std::size_t at = 0; at < permits.size(); ++at)
                if (differ(wrong.judge->permit(multiplied, at / one.shape.n, at % one.shape.n), permits[at], matmul_))
                    return true;
        } catch (const std::logic_error&) {
            return false; // operands that the case was not made for: nothing can be said of the product
        }
        return false;
    }

    Matmul matmul_;
    cases::CaseForm form_;
    MatmulJudge judge_;
    std::vector<Wrong> wrong_;
    Collection collection_;
    std::size_t count_ = 0;
};

} // namespace

TestVectors matmul_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& /*golden*/) {
    return MatmulVectors(operation, profile).take();
}

} // namespace mxcert::test_vectors

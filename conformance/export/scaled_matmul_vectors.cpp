// SPDX-License-Identifier: Apache-2.0
// The operation "scaled_matmul": the small products of its suite. The answers are those that both models give.
#include <algorithm>

#include "conformance/cases/given_case.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/scaled_matmul/answer.hpp"
#include "conformance/suites/scaled_matmul/cases.hpp"
#include "conformance/suites/scaled_matmul/faults.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using formats::fp32;
using suites::ScaledAnswer;
using suites::ScaledCase;

constexpr std::uint64_t most_scaled_products = 1U << 13U; ///< of a test: the exact model is slow
constexpr unsigned scaled_samples = 4;
constexpr std::uint64_t scaled_seed = 1;

class ScaledMatmulVectors {
  public:
    ScaledMatmulVectors(const Operation& operation, const Profile& profile)
        : scaled_(as_scaled_matmul(operation)), form_(cases::form_of(operation)), model_(scaled_),
          collection_(head(operation, profile)) {}

    TestVectors take() {
        suites::for_each_scaled_place_case(scaled_, adder("places"));
        suites::for_each_scaled_special_case(scaled_, adder("special"));
        suites::for_each_scaled_alike_case(scaled_, adder("special"));
        suites::for_each_scaled_value_case(scaled_, scaled_samples, scaled_seed, adder("values"));
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"m", "n", "k"};
        for (const cases::FormTensor& tensor : form_.tensors)
            vectors.inputs.push_back({std::string(tensor.name), tensor.format});
        vectors.outputs = {{"d", scaled_.output}};
        if (scaled_.has_amax) vectors.outputs.push_back({"amax", &fp32});
        return vectors;
    }

    [[nodiscard]] suites::TakeScaledCase adder(std::string_view part) {
        return [this, part](const ScaledCase& one) {
            add(part, one);
            return true;
        };
    }

    void add(std::string_view part, const ScaledCase& one) {
        const cases::GivenCase given = cases::given_of(form_, suites::run_of(scaled_, one));
        if (is_large(given.tensors) || one.shape.m * one.shape.n * one.shape.k > most_scaled_products)
            return collection_.leave_out("products too large to be written down");
        const std::vector<Code> sums = model_.sums(one);
        const ScaledAnswer right = model_.answer(one, sums);
        TestVector test;
        test.comment = one.name;
        test.inputs = given.tensors;
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(right.d.size())};
        for (std::size_t at = 0; at < right.d.size(); ++at)
            set_value(answer, 0, at, value_or_nan(right.d[at], *scaled_.output));
        if (scaled_.has_amax) {
            answer.outputs.emplace_back(1);
            set_value(answer, 1, 0, right.any_amax ? any_value(right.amax) : value_or_nan(right.amax, fp32));
        }
        for (const suites::ScaledFault& fault : suites::scaled_faults()) {
            suites::ScaledWay way;
            fault.plant(way);
            if (differs(model_.answer(one, sums, way), right)) add_bug(test.bugs, fault.bug_class);
        }
        collection_.add(part, given.sizes, std::move(test));
    }

    [[nodiscard]] bool differs(const ScaledAnswer& answer, const ScaledAnswer& right) const {
        for (std::size_t at = 0; at < right.d.size(); ++at)
            if (!same(*scaled_.output, answer.d[at], right.d[at])) return true;
        return scaled_.has_amax && !right.any_amax && !same(fp32, answer.amax, right.amax);
    }

    ScaledMatmul scaled_;
    cases::CaseForm form_;
    suites::ScaledModel model_;
    Collection collection_;
};

} // namespace

TestVectors scaled_matmul_vectors(const Operation& operation, const Profile& profile,
                                  verdict::GoldenSource& /*golden*/) {
    return ScaledMatmulVectors(operation, profile).take();
}

} // namespace mxcert::test_vectors

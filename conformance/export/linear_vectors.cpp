// SPDX-License-Identifier: Apache-2.0
// The operation "linear": the small products of its suite, from tensors before they are quantized.
#include <algorithm>
#include <stdexcept>

#include "conformance/cases/given_case.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/export/product_values.hpp"
#include "conformance/suites/linear/cases.hpp"
#include "conformance/suites/linear/faults.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using suites::LinearCase;
using suites::LinearFault;
using suites::LinearMade;
using suites::MatmulCase;
using suites::MatmulJudge;
using suites::MatmulPermit;

constexpr std::uint64_t most_layer_products = 1U << 16U; ///< of a test: the exact model is slow
constexpr unsigned layer_samples = 1;
constexpr std::uint64_t layer_seed = 1;

class LinearVectors {
  public:
    LinearVectors(const Operation& operation, const Profile& profile)
        : operation_(operation), linear_(as_linear(operation)), form_(cases::form_of(operation)),
          judge_(linear_.matmul), collection_(head(profile)) {}

    TestVectors take() {
        suites::for_each_value_case(linear_, layer_samples, layer_seed, adder("values"));
        suites::for_each_special_case(linear_, layer_seed, adder("special"));
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Profile& profile) const {
        TestVectors vectors = head_of(operation_, profile);
        for (const cases::CaseForm::AxisOf& axis : form_.axes) vectors.sizes.emplace_back(axis.name);
        for (const cases::FormTensor& tensor : form_.tensors)
            vectors.inputs.push_back({std::string(tensor.name), tensor.format});
        vectors.outputs = {{"d", linear_.matmul.output}};
        return vectors;
    }

    [[nodiscard]] suites::TakeLinearCase adder(std::string_view part) {
        return [this, part](const LinearCase& linear_case) {
            add(part, linear_case);
            return true;
        };
    }

    void add(std::string_view part, const LinearCase& linear_case) {
        const cases::GivenCase given = cases::given_of(form_, suites::run_of(linear_, linear_case));
        const recipe::LayerSizes& sizes = linear_case.sizes;
        if (is_large(given.tensors) || sizes.tokens * sizes.inputs * sizes.outputs > most_layer_products)
            return collection_.leave_out("products too large to be written down");
        const MatmulCase product = suites::product_of(linear_, linear_case, true);
        const std::vector<MatmulPermit> permits = judge_.permits(product);
        TestVector test;
        test.comment = linear_case.name;
        test.inputs = given.tensors;
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(permits.size())};
        for (std::size_t at = 0; at < permits.size(); ++at)
            set_value(answer, 0, at, value_of(permits[at], linear_.matmul));
        for (const LinearFault& fault : suites::linear_faults())
            if (std::find(test.bugs.begin(), test.bugs.end(), fault.bug_class) == test.bugs.end() &&
                shows(fault, linear_case, product, permits))
                add_bug(test.bugs, fault.bug_class);
        collection_.add(part, given.sizes, std::move(test));
    }

    /// Whether a layer with the fault gives an element that is not permitted.
    [[nodiscard]] bool shows(const LinearFault& fault, const LinearCase& linear_case, const MatmulCase& right,
                             const std::vector<MatmulPermit>& permits) const {
        const std::optional<LinearMade> wrong = fault.edit(operation_, linear_case);
        if (!wrong) return false;
        const Matmul& matmul = wrong->linear.matmul;
        try {
            const MatmulCase product = suites::product_of(*wrong);
            if (wrong->of_product != nullptr && same_operands(product, right)) return false;
            MatmulJudge judge(matmul);
            for (std::size_t at = 0; at < permits.size(); ++at) {
                MatmulPermit permit = judge.permit(product, at / product.shape.n, at % product.shape.n);
                if (wrong->kept != nullptr) {
                    if (matmul.any_order) return false; // a bound is not rounded once more
                    permit.low = permit.high = suites::kept_in(*wrong->kept, *matmul.output, permit.low);
                }
                if (differ(permit, permits[at], linear_.matmul)) return true;
            }
        } catch (const std::logic_error&) {
            return false; // the models do not have it, or nothing can be said of these operands
        }
        return false;
    }

    [[nodiscard]] static bool same_operands(const MatmulCase& wrong, const MatmulCase& right) {
        return wrong.a == right.a && wrong.b == right.b && wrong.scales_a == right.scales_a &&
               wrong.scales_b == right.scales_b && wrong.tensor_a == right.tensor_a &&
               wrong.tensor_b == right.tensor_b && wrong.c == right.c;
    }

    const Operation& operation_;
    Linear linear_;
    cases::CaseForm form_;
    MatmulJudge judge_;
    Collection collection_;
};

} // namespace

TestVectors linear_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& /*golden*/) {
    return LinearVectors(operation, profile).take();
}

} // namespace mxcert::test_vectors

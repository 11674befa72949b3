// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/ask_sums.hpp"

#include <algorithm>

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t side = 16; ///< of D, for kernels that take whole tiles; the diagonal is looked at

} // namespace

AskedSums ask_sums(observe::Subject& subject, const Operation& operation, const Matmul& matmul, const DotCases& cases,
                   bool as_first) {
    // Where lines share a scale, one of them is looked at.
    const bool alone = matmul.format.scale_a != nullptr && (matmul.a_scale.across != 1 || matmul.b_scale.across != 1);
    const std::size_t at_once = alone || as_first ? 1 : side;
    AskedSums asked;
    asked.failed.status = Status::pass;
    if (cases.cases.empty()) return asked;
    const std::size_t products = cases.cases.front().a.size();
    const MatmulShape shape = matmul.shape(side, side, products);
    for (std::size_t first = 0; first < cases.cases.size(); first += at_once) {
        MatmulCase matmul_case;
        matmul_case.shape = shape;
        matmul_case.a.assign(side * products, code_of(*matmul.format.a, 0));
        matmul_case.b.assign(products * side, code_of(*matmul.format.b, 0));
        matmul_case.c.assign(side * side, 0);
        if (matmul.format.scale_a != nullptr) {
            matmul_case.scales_a.assign(shape.a_scales(), code_of(*matmul.format.scale_a, 1));
            matmul_case.scales_b.assign(shape.b_scales(), code_of(*matmul.format.scale_b, 1));
        }
        const std::size_t here = std::min(at_once, cases.cases.size() - first);
        for (std::size_t i = 0; i < here; ++i) {
            const DotCase& dot_case = cases.cases[first + i];
            for (std::size_t l = 0; l < products; ++l) {
                matmul_case.a[shape.a_at(i, l)] = dot_case.a[l];
                matmul_case.b[shape.b_at(l, i)] = dot_case.b[l];
            }
            for (std::size_t t = 0; t < dot_case.scales_a.size(); ++t)
                matmul_case.scales_a[shape.a_scale_at(i, t)] = dot_case.scales_a[t];
            for (std::size_t t = 0; t < dot_case.scales_b.size(); ++t)
                matmul_case.scales_b[shape.b_scale_at(t, i)] = dot_case.scales_b[t];
            matmul_case.c[i * side + i] = dot_case.c;
        }
        frames::RunCase run = run_of(matmul, matmul_case);
        run.row = "probes";
        run.name = cases.cases[first].about;
        const frames::RunAnswer answer = subject.run(operation, run);
        if (answer.status != Status::pass) {
            asked.failed = answer;
            return asked;
        }
        for (std::size_t i = 0; i < here; ++i) asked.answers.push_back(answer.outputs[0].get(i * side + i));
    }
    return asked;
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/compare.hpp"

#include <limits>
#include <stdexcept>

#include "vectors/tables/walk.hpp"

namespace mxcert {
namespace {

template <class A, class B> void require_comparable(const A& a, const B& b) {
    if (a.from != b.from || a.to != b.to) throw std::invalid_argument("compare: tables of different formats");
    if (const std::string why = broken(a); !why.empty()) throw std::invalid_argument("compare: left table: " + why);
    if (const std::string why = broken(b); !why.empty()) throw std::invalid_argument("compare: right table: " + why);
}

} // namespace

std::vector<Difference> compare(const StepTable& observed, const PermitTable& permitted) {
    require_comparable(observed, permitted);
    std::vector<Difference> differences;
    walk(observed.steps, permitted.steps, [&](Code first, Code last, const Step& step, const PermitStep& wanted) {
        if (!permits(wanted.permit, step.code, *observed.to))
            differences.push_back({first, last, step.code, wanted.permit, wanted.clause});
    });
    return differences;
}

std::vector<Difference> compare(const StepTable& a, const StepTable& b) {
    require_comparable(a, b);
    std::vector<Difference> differences;
    walk(a.steps, b.steps, [&](Code first, Code last, const Step& left, const Step& right) {
        if (left.code != right.code) differences.push_back({first, last, left.code, permit_code(right.code), {}});
    });
    return differences;
}

std::uint64_t count_inputs(const std::vector<Difference>& differences) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t count = 0;
    for (const Difference& d : differences) {
        const std::uint64_t more = d.last - d.first; // one less than the inputs, so that it cannot overflow
        if (more >= most - count) return most;
        count += more + 1;
    }
    return count;
}

} // namespace mxcert

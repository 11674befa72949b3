// SPDX-License-Identifier: Apache-2.0
#include "conformance/offline/offline_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/certify.hpp"
#include "conformance/certify/leave_out.hpp"
#include "reference/base/random.hpp"
#include "vectors/golden_store/golden.hpp"

namespace mxcert::offline {
namespace {

// Whether a backend would offer a conversion under this name: where nothing is rounded it is nearest_even-nosat. With a
// given scale the boundaries are hundreds of thousands a conversion, so only the rounding that MX demands is asked.
bool is_named(const Conversion& conversion) {
    if (conversion.from->scale != nullptr) return conversion.rounding == Rounding::nearest_even;
    return !embeds(*conversion.from, *conversion.to) ||
           (conversion.rounding == Rounding::nearest_even && conversion.overflow == Overflow::nosat);
}

// Every conversion that could be asked, as the offers of a backend.
class Everything final : public observe::BareSubject {
  public:
    explicit Everything(OfflineInputs inputs, std::uint64_t seed) : inputs_(inputs), seed_(seed) {
        info().name = "device";
        for (const GoldenPair& pair : golden_pairs())
            for (const Conversion& conversion : deterministic_conversions(*pair.from, *pair.to))
                if (is_named(conversion)) info().conversions.push_back(conversion);
    }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return !asks_all(inputs_, conversion);
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                        std::vector<inputs::Point> wanted) const override {
        for (const Code code : one_in_each_binade(*conversion.from, seed_)) wanted.push_back({code, 0, 0});
        return wanted;
    }

  private:
    OfflineInputs inputs_;
    std::uint64_t seed_;
};

} // namespace

std::vector<Code> one_in_each_binade(const Format& format, std::uint64_t seed) {
    std::vector<Code> codes;
    SplitMix64 random(seed);
    const Code fractions = format.fraction_mask() + 1;
    for (Code exponent = 0; exponent < Code{1} << format.exponent_bits; ++exponent)
        for (const Code sign : {Code{0}, format.sign_bit()}) {
            codes.push_back(sign | exponent << format.fraction_bits | random.below(fractions));
            if (!format.is_signed) break;
        }
    return codes;
}

std::vector<OfflineQuestion> plan_offline(OfflineIndex& index) {
    verdict::CertifyOptions options;
    options.profiles = index.profiles;
    options.filters = index.filters;
    options.samples_per_step = index.samples_per_step;
    options.seed = index.seed;
    verdict::GoldenSource golden;
    certify::Plan plan = certify::make_plan(Everything(index.inputs, index.seed), options, golden);
    if (plan.conversions.empty() && index.operations.empty() &&
        std::any_of(index.filters.begin(), index.filters.end(), certify::names_operation))
        throw std::invalid_argument(
            fmt::format("--filter {} names operations: they are asked of a device whose HELLO is given, --hello FILE",
                        fmt::join(index.filters, " or ")));
    if (plan.conversions.empty() && index.operations.empty())
        throw std::invalid_argument(fmt::format("no conversion or known operation that {} judges matches --filter {}",
                                                fmt::join(index.profiles, " or "), fmt::join(index.filters, " or ")));
    std::vector<OfflineQuestion> questions;
    for (suites::PlannedConversion& planned : plan.conversions) {
        OfflineQuestion question{planned.conversion, std::move(planned.permitted), {}};
        for (const inputs::Point& point : planned.points) question.inputs.push_back(point.input);
        std::sort(question.inputs.begin(), question.inputs.end());
        question.inputs.erase(std::unique(question.inputs.begin(), question.inputs.end()), question.inputs.end());
        questions.push_back(std::move(question));
    }
    return questions;
}

} // namespace mxcert::offline

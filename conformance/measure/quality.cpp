// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/quality.hpp"

#include <cmath>

#include "conformance/measure/logarithm.hpp"

namespace mxcert::measure {

double Quality::mse() const { return noise / static_cast<double>(compared); }

double Quality::sqnr() const { return 10 * log10_of(signal / noise); }

double Quality::cosine() const { return product / std::sqrt(signal) / std::sqrt(power); }

} // namespace mxcert::measure

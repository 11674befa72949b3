// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/quotients.hpp"

#include <algorithm>
#include <cstdint>

namespace mxcert::diagnose {
namespace {

/// Quotients one after the other, of inputs under one scale that follow one another too.
struct Part {
    InputRange quotients;
    Code input = 0; ///< of the first
};

/// `take(part)` for each part of a range of inputs.
template <class Take> void for_each_part(const Format& from, InputRange inputs, const Take& take) {
    const Format& value = *from.value;
    const auto smallest = static_cast<std::int64_t>(Code{1} << value.fraction_bits); // normal number
    const auto largest = static_cast<std::int64_t>(value.max_code());
    for (Code scale = from.scale_of(inputs.first); scale <= from.scale_of(inputs.last); ++scale) {
        if (from.scale->is_nan(scale)) continue;
        // The division subtracts this from the code of a magnitude.
        const std::int64_t shift = (static_cast<std::int64_t>(scale) - from.scale->bias) * smallest;
        for (const Code sign : {Code{0}, value.sign_bit()}) {
            const Code zero = from.code_of(scale, sign);
            const Code first = std::max(inputs.first, zero + static_cast<Code>(std::max(smallest, smallest + shift)));
            const Code last = std::min(
                inputs.last, zero + static_cast<Code>(std::max<std::int64_t>(0, std::min(largest, largest + shift))));
            if (first > last) continue;
            const auto quotient = [&](Code input) { return input - zero - static_cast<Code>(shift) + sign; };
            take(Part{{quotient(first), quotient(last)}, first});
        }
    }
}

/// The quotients, cut into segments at the ends of all parts, with the answer to each.
class Segments {
  public:
    Segments(const Format& from, const std::vector<Step>& steps, const std::vector<Difference>& differences) {
        for (const Step& step : steps) cut(from, {step.first, step.last});
        for (const Difference& difference : differences) cut(from, {difference.first, difference.last});
        std::sort(cuts_.begin(), cuts_.end());
        cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
        segments_.resize(cuts_.size());
        for (const Step& step : steps)
            for_each_in(from, {step.first, step.last}, [&](Segment& segment) {
                if (segment.answered && segment.code != step.code) segment.differs = true;
                segment.answered = true;
                segment.code = step.code;
            });
        for (const Difference& difference : differences)
            for_each_in(from, {difference.first, difference.last}, [](Segment& segment) { segment.wrong = true; });
    }

    [[nodiscard]] Quotients quotients() const {
        Quotients found;
        std::uint64_t wrong = 0;
        std::uint64_t wrong_and_differs = 0;
        for (std::size_t i = 0; i + 1 < cuts_.size(); ++i) {
            const Segment& segment = segments_[i];
            if (!segment.answered) continue;
            const Step step{cuts_[i], cuts_[i + 1] - 1, segment.code};
            if (segment.wrong) wrong += step.last - step.first + 1;
            if (segment.wrong && segment.differs) wrong_and_differs += step.last - step.first + 1;
            if (segment.differs) continue;
            add(found.steps, step);
            if (segment.wrong) found.differences.push_back({step.first, step.last, step.code, {}, {}});
        }
        if (wrong_and_differs > wrong / 10) return {};
        return found;
    }

  private:
    struct Segment {
        Code code = 0;
        bool answered = false;
        bool differs = false; ///< from what came under another scale
        bool wrong = false;
    };

    void cut(const Format& from, InputRange inputs) {
        for_each_part(from, inputs, [&](const Part& part) {
            cuts_.push_back(part.quotients.first);
            cuts_.push_back(part.quotients.last + 1);
        });
    }

    template <class Take> void for_each_in(const Format& from, InputRange inputs, const Take& take) {
        for_each_part(from, inputs, [&](const Part& part) {
            const auto first = std::lower_bound(cuts_.begin(), cuts_.end(), part.quotients.first);
            for (auto at = static_cast<std::size_t>(first - cuts_.begin()); cuts_[at] <= part.quotients.last; ++at)
                take(segments_[at]);
        });
    }

    static void add(std::vector<Step>& steps, const Step& step) {
        if (!steps.empty() && steps.back().last + 1 == step.first && steps.back().code == step.code)
            steps.back().last = step.last;
        else
            steps.push_back(step);
    }

    std::vector<Code> cuts_; ///< where segments begin; the last one has no segment
    std::vector<Segment> segments_;
};

} // namespace

bool are_quotients(const Format& from) {
    return from.scale != nullptr && from.scaling == Scaling::divide && from.scale->fraction_bits == 0 &&
           from.value->has_subnormals;
}

Quotients quotients_of(const Format& from, const std::vector<Step>& steps, const std::vector<Difference>& differences) {
    return Segments(from, steps, differences).quotients();
}

InputRanges inputs_with(const Format& from, const std::vector<Difference>& differences, const InputRanges& quotients) {
    InputRanges inputs;
    for (const Difference& difference : differences)
        for_each_part(from, {difference.first, difference.last}, [&](const Part& part) {
            for (const InputRange& range : intersection({part.quotients}, quotients)) {
                const Code first = part.input + (range.first - part.quotients.first);
                append(inputs, {first, first + (range.last - range.first)});
            }
        });
    return inputs;
}

} // namespace mxcert::diagnose

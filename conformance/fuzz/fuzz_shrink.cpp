// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_shrink.hpp"

#include <algorithm>

namespace mxcert::fuzz {
namespace {

class Shrinker {
  public:
    Shrinker(FuzzCase failing, const FuzzFails& fails, unsigned attempts)
        : best_(std::move(failing)), fails_(fails), left_(attempts) {}

    bool alone(std::size_t at) {
        FuzzCase fuzz_case = best_;
        fuzz_case.values = {best_.values[at]};
        fuzz_case.batch = 0;
        fuzz_case.shift = 0;
        return accept(std::move(fuzz_case));
    }

    /// Leaves out runs of values, long ones first, as long as that changes anything.
    void fewer() {
        for (std::size_t length = best_.values.size() / 2; length != 0;) {
            bool changed = false;
            for (std::size_t at = 0; at < best_.values.size() && best_.values.size() > 1;) {
                const std::size_t take = std::min({length, best_.values.size() - at, best_.values.size() - 1});
                FuzzCase less = best_;
                const auto first = less.values.begin() + static_cast<std::ptrdiff_t>(at);
                less.values.erase(first, first + static_cast<std::ptrdiff_t>(take));
                less.batch = std::min<std::uint64_t>(less.batch, less.values.size());
                if (accept(std::move(less)))
                    changed = true;
                else
                    at += length;
            }
            if (length > 1 || !changed) length /= 2;
        }
    }

    void plainer() {
        for (const auto reset : {+[](FuzzCase& c) { c.batch = 0; }, +[](FuzzCase& c) { c.shift = 0; }}) {
            FuzzCase plain = best_;
            reset(plain);
            accept(std::move(plain));
        }
    }

    void rounder() {
        for (std::size_t at = 0; at < best_.values.size(); ++at) {
            round_input(at);
            round_random(at);
        }
    }

    [[nodiscard]] const FuzzCase& best() const { return best_; }

  private:
    bool accept(FuzzCase candidate) {
        if (candidate == best_) return true;
        if (left_ == 0) return false;
        --left_;
        if (!fails_(candidate)) return false;
        best_ = std::move(candidate);
        return true;
    }

    bool try_input(std::size_t at, Code input) {
        FuzzCase other_fuzz_case = best_;
        other_fuzz_case.values[at].input = input;
        return accept(std::move(other_fuzz_case));
    }

    void round_input(std::size_t at) {
        const Format& from = *best_.conversion.from;
        const Code input = best_.values[at].input;
        // A bystander may be anything: the least there is.
        if (best_.values.size() > 1 && try_input(at, 0)) return;
        for (int kept = 0; kept < from.fraction_bits; ++kept) {
            const Code unit = Code{1} << static_cast<unsigned>(from.fraction_bits - kept);
            const Code down = input & ~(unit - 1);
            if (down == input) return;
            if (try_input(at, down)) return;
            if (down <= from.last_code() - unit && try_input(at, down + unit)) return;
        }
    }

    void round_random(std::size_t at) {
        const std::uint32_t random = best_.values[at].random;
        std::uint32_t mask = 0;
        for (unsigned bit = 32; bit-- != 0 && random != 0;) {
            FuzzCase other_fuzz_case = best_;
            other_fuzz_case.values[at].random = random & mask;
            if (accept(std::move(other_fuzz_case))) return;
            mask |= std::uint32_t{1} << bit;
        }
    }

    FuzzCase best_;
    const FuzzFails& fails_;
    unsigned left_;
};

} // namespace

FuzzCase shrink_case(const FuzzCase& failing, std::size_t suspect, const FuzzFails& fails, unsigned attempts) {
    Shrinker shrinker(failing, fails, attempts);
    if (!shrinker.alone(suspect)) shrinker.fewer();
    shrinker.plainer();
    shrinker.rounder();
    return shrinker.best();
}

} // namespace mxcert::fuzz

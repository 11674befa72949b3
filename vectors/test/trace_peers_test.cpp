// SPDX-License-Identifier: Apache-2.0
// Golden traces against the updates as Transformer Engine and torchao do them: a buffer in its place in memory, the
// machine's binary32 and binary64. Nothing here is of the model.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "vectors/cases/trace.hpp"

using namespace mxcert;

namespace {

float value(Code bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

Code bits(float number) { return std::isnan(number) ? 0x7FC00000 : std::bit_cast<std::uint32_t>(number); }

/// Transformer Engine's bulk update: slot 0 takes the amax of the step, the others hold earlier ones, oldest first.
struct TransformerEngine {
    float largest;
    bool most_recent = false;
    std::vector<float> slots;
    float inverse = 1;

    Trace run(const std::vector<Code>& amaxes) {
        Trace trace;
        for (const Code amax : amaxes) {
            trace.push_back({amax, bits(1 / inverse), bits(inverse)});
            slots[0] = value(amax);
            update();
        }
        return trace;
    }
    void update() {
        const float last = slots[0];
        float amax = 0;
        if (last != 0) {
            std::rotate(slots.begin(), slots.begin() + 1, slots.end());
            for (const float slot : slots)
                if (!std::isnan(slot)) amax = std::max(amax, slot);
            slots[0] = 0;
        }
        if (most_recent) amax = last;
        if (std::isfinite(amax) && amax > 0) inverse = largest / amax;
        if (std::isinf(inverse)) inverse = std::numeric_limits<float>::max();
    }
};

/// torchao: the newest first, and twice the first amax of all.
Trace torchao_delayed(const std::vector<Code>& amaxes) {
    std::vector<float> history(16, 0);
    float inverse = 1;
    const auto update = [&] {
        double amax = 0;
        for (const float value : history)
            amax = std::isnan(value) || std::isnan(amax) ? std::nan("") : std::max<double>(amax, value);
        inverse = static_cast<float>(448 / (amax < 1e-12 ? 1e-12 : amax));
    };
    Trace trace;
    for (const Code amax : amaxes) {
        if (trace.empty()) {
            history[0] = value(amax);
            update();
        }
        trace.push_back({amax, bits(1 / inverse), bits(inverse)});
        std::rotate(history.rbegin(), history.rbegin() + 1, history.rend());
        history[0] = value(amax);
        update();
    }
    return trace;
}

void compare(const char* name, TransformerEngine machine, std::size_t length) {
    const TraceCase& traced = trace_case(name);
    CAPTURE(name);
    machine.slots.assign(length, 0);
    CHECK(machine.run(traced.amaxes) == golden_trace(traced));
}

} // namespace

TEST_CASE("Transformer Engine's update, done in its own way, gives the golden traces", "[trace]") {
    compare("te_delayed", {448, false, {}}, 1024);
    compare("te_delayed_4", {448, false, {}}, 4);
    compare("te_delayed_4_backward", {57344, false, {}}, 4);
    compare("te_delayed_4_margin_1", {224, false, {}}, 4);
    compare("te_delayed_4_margin_2", {112, false, {}}, 4);
    compare("te_delayed_most_recent_4", {448, true, {}}, 4);
}

TEST_CASE("torchao's update, done in its own way, gives the golden trace", "[trace]") {
    const TraceCase& traced = trace_case("torchao_delayed");
    CHECK(torchao_delayed(traced.amaxes) == golden_trace(traced));
}

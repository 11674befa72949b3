// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <set>
#include <utility>

#include "conformance/frames/words.hpp"
#include "conformance/inputs/poison.hpp"
#include "conformance/observe/name_lanes.hpp"
#include "conformance/observe/workers.hpp"

namespace mxcert::observe {
namespace {

constexpr std::uint32_t ring_places = inputs::longest_ring;
constexpr unsigned place_bits = std::bit_width(ring_places - 1);
constexpr std::size_t most_tried = 64;                               ///< inputs
constexpr std::uint64_t word_calls[] = {ordinary_batch, 4095, 7, 3}; ///< of calls
constexpr std::uint64_t long_call = 1000;
constexpr std::uint64_t long_calls = 4; ///< of a request

std::uint32_t all_ones(unsigned random_bits) { return ~std::uint32_t{0} >> (32 - random_bits); }

/// An input that no word leaves where it is, and the answers to it with the smallest and the largest one.
struct Deciding {
    Code input = 0;
    std::array<Code, 2> answers{};
    std::array<std::uint8_t, 2> poison{};
};

/// Shows every answer: the number of its request, its place in that, and the code.
class AnswersExchange final : public PlaceExchange {
  public:
    using Look = std::function<void(std::size_t request, std::uint64_t at, Code answer)>;

    AnswersExchange(const Conversion& conversion, const std::vector<PlaceRequest>& requests, Look look)
        : PlaceExchange(conversion, requests), first_(requests.data()), look_(std::move(look)) {}

    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& /*scratch*/) const override {
        const unsigned out = frames::bytes_of(to());
        const std::byte* outputs = worker.memory().data() + frame_of(worker, block, turn).output_offset;
        const auto request = static_cast<std::size_t>(&request_of(block) - first_);
        for (std::uint64_t at = 0; at < block.count; ++at) look_(request, at, frames::load(outputs + at * out, out));
        Reading reading;
        reading.steps = {{block.first, block.first + block.count - 1, 0}};
        return reading;
    }

  private:
    const PlaceRequest* first_;
    Look look_;
};

/// The random word that a value was rounded with, as the number of a place: request `bit` has the largest word in the
/// places with that bit, request `place_bits + bit` in the others.
struct WordSeen {
    std::uint32_t place = 0;
    std::uint32_t others = 0; ///< the same, with all bits inverted
    bool broken = false;      ///< an answer that no word gives
};

/// A ring of one input; the largest word is where `has` says so, else the smallest.
template <class Has> inputs::Ring ring_of(const Deciding& deciding, std::uint32_t largest, const Has& has) {
    inputs::Ring ring;
    ring.poison = deciding.poison;
    for (std::uint32_t place = 0; place < ring_places; ++place) {
        ring.inputs.push_back(deciding.input);
        ring.randoms.push_back(has(place) ? largest : 0);
        ring.answers.push_back(deciding.answers[has(place) ? 1 : 0]);
    }
    return ring;
}

/// Inputs in the middle of steps in which words decide, spread over them.
std::vector<Deciding> candidates(const PermitTable& either) {
    std::vector<Deciding> all;
    for (const PermitStep& step : either.steps) {
        if (step.permit.any_nan || step.permit.codes.size() != 2) continue;
        const Code middle = step.first + (step.last - step.first) / 2;
        if (const auto poison = inputs::choose_poison(either, middle, middle)) all.push_back({middle, {}, *poison});
    }
    std::vector<Deciding> some;
    const std::size_t stride = all.size() / most_tried + 1;
    for (std::size_t at = stride / 2; at < all.size(); at += stride) some.push_back(all[at]);
    return some;
}

} // namespace

std::optional<KnownFault> Workers::name_words(const Conversion& conversion, std::uint32_t index,
                                              const PermitTable& either) const {
    const std::uint32_t largest = all_ones(conversion.random_bits);
    const auto fits = [&](std::uint64_t length) { return info.max_batch == 0 || length <= info.max_batch; };
    std::optional<Deciding> deciding;
    for (Deciding& tried : candidates(either)) {
        const std::uint64_t length = fits(ordinary_batch) ? ordinary_batch : info.max_batch;
        const std::vector<inputs::Ring> rings{ring_of(tried, largest, [](std::uint32_t) { return false; }),
                                              ring_of(tried, largest, [](std::uint32_t) { return true; })};
        const std::vector<PlaceRequest> requests{{&rings[0], length, length}, {&rings[1], length, length}};
        std::array<std::set<Code>, 2> answers;
        const AnswersExchange exchange(
            conversion, requests,
            [&](std::size_t request, std::uint64_t /*at*/, Code answer) { answers[request].insert(answer); });
        if (ask_fresh(exchange, index, exchange.blocks(), options.timeout).failure) return {};
        if (answers[0].size() != 1 || answers[1].size() != 1 || answers[0] == answers[1]) continue;
        tried.answers = {*answers[0].begin(), *answers[1].begin()};
        deciding = tried;
        break;
    }
    if (!deciding) return {};
    std::vector<inputs::Ring> rings;
    for (unsigned i = 0; i < 2 * place_bits; ++i)
        rings.push_back(ring_of(*deciding, largest, [i](std::uint32_t place) {
            return ((place >> i % place_bits & 1U) != 0) == (i < place_bits);
        }));
    for (const std::uint64_t length : word_calls) {
        if (!fits(length)) continue;
        const std::uint64_t count = length * (length > long_call ? long_calls : ring_places);
        std::vector<PlaceRequest> requests;
        for (const inputs::Ring& ring : rings) requests.push_back({&ring, length, count});
        std::vector<WordSeen> words(count);
        const AnswersExchange exchange(conversion, requests, [&](std::size_t request, std::uint64_t at, Code answer) {
            const bool is_largest = answer == deciding->answers[1];
            if (!is_largest && answer != deciding->answers[0]) words[at].broken = true;
            (request < place_bits ? words[at].place : words[at].others) |= std::uint32_t{is_largest}
                                                                           << request % place_bits;
        });
        if (ask_fresh(exchange, index, exchange.blocks(), options.timeout).failure) return {};
        Misplaced found;
        for (std::uint64_t at = 0; at < count; ++at) {
            const WordSeen& word = words[at];
            if (word.broken || (word.place ^ word.others) != (1U << place_bits) - 1 || word.place >= ring_places)
                ++found.others;
            else if (word.place != at % ring_places)
                note_moved(found, requests.front(), at, word.place);
        }
        if (found.moved_in_all == 0 || found.others > found.moved_in_all) continue;
        const std::uint64_t among = count * found.moved.size() / found.moved_in_all;
        if (std::optional<KnownFault> known = name_moved(found.moved, among, "random word")) return known;
    }
    return {};
}

} // namespace mxcert::observe

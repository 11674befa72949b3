// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/name_lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "conformance/inputs/poison.hpp"
#include "conformance/observe/workers.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/random.hpp"

namespace mxcert::observe {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t shortest_ring = 17;
constexpr std::size_t most_kept = 4096;
constexpr std::uint64_t enough = 8;
constexpr std::size_t most_requests = 1024; ///< of process::layout::max_points values
constexpr std::uint64_t small_batch = 256;  ///< values of a call, where few are to be asked
constexpr auto long_enough = 3s;
constexpr std::uint64_t calls_of_equals = 4; ///< one after the other
constexpr std::size_t most_alone = 16;       ///< inputs that were wrong

/// Counts wrong answers in calls of one value between such calls: every place of them is looked at.
class EqualsExchange final : public PlaceExchange {
  public:
    EqualsExchange(const Conversion& conversion, const std::vector<PlaceRequest>& requests, std::uint64_t& inner,
                   std::uint64_t& wrong)
        : PlaceExchange(conversion, requests), inner_(inner), wrong_(wrong) {}

    [[nodiscard]] Reading read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& /*scratch*/) const override {
        const Code right = request_of(block).ring->answers.front();
        const unsigned out = frames::bytes_of(to());
        const frames::ConvertRequest request = frame_of(worker, block, turn);
        const std::byte* outputs = worker.memory().data() + request.output_offset;
        for (std::uint64_t at = request.batch; at < block.count - request.batch; ++at) {
            ++inner_;
            if (frames::load(outputs + at * out, out) != right) ++wrong_;
        }
        Reading reading;
        reading.steps = {{block.first, block.first + block.count - 1, 0}};
        return reading;
    }

  private:
    std::uint64_t& inner_;
    std::uint64_t& wrong_;
};

} // namespace

std::optional<inputs::Ring> telling_ring(const PermitTable& expected, std::uint64_t seed, RingInputs which) {
    const Format& from = *expected.from;
    const auto by_one_scale = [&](Code input) { return from.scale == nullptr || from.scale_of(input) == 127; };
    const bool lowest = which == RingInputs::first;
    std::map<Code, Code> inputs; // by answer
    for (const PermitStep& step : expected.steps) {
        if (step.permit.any_nan || step.permit.codes.size() != 1) continue;
        const Code input = lowest ? step.first : step.last;
        if (!by_one_scale(input)) continue;
        const Code answer = step.permit.codes.front();
        if (lowest)
            inputs.emplace(answer, input);
        else
            inputs[answer] = input;
    }
    std::vector<std::pair<Code, Code>> known;
    for (const auto& [answer, input] : inputs) known.emplace_back(input, answer);
    std::sort(known.begin(), known.end());
    SplitMix64 random(seed);
    shuffle(known, random);
    std::size_t count = std::min(known.size(), inputs::longest_ring);
    if (count % 2 == 0 && count != 0) --count; // so that calls begin at any of them
    if (count < shortest_ring) return {};
    known.resize(count);
    if (which == RingInputs::last_beside_nans) {
        const auto nan = std::find_if(expected.steps.begin(), expected.steps.end(), [&](const PermitStep& step) {
            return step.permit.any_nan && by_one_scale(step.first);
        });
        if (nan == expected.steps.end()) return {};
        // Far enough from each other that most values have none beside them. The count stays odd.
        for (const std::size_t at : {count / 5, count / 2})
            known.insert(known.begin() + static_cast<std::ptrdiff_t>(at), {nan->first, expected.to->magnitude_mask()});
    }
    inputs::Ring ring;
    std::vector<inputs::CodeRange> ranges;
    for (const auto& [input, answer] : known) {
        ring.inputs.push_back(input);
        ring.answers.push_back(answer);
        ranges.push_back({input, input});
    }
    const auto poison = inputs::choose_poison(expected, ranges);
    if (!poison) return {};
    ring.poison = *poison;
    return ring;
}

void note_moved(Misplaced& found, const PlaceRequest& request, std::uint64_t at, std::size_t where) {
    ++found.moved_in_all;
    if (found.moved.size() == most_kept) return;
    const auto once = static_cast<std::int64_t>(request.ring->inputs.size());
    const auto source = static_cast<std::int64_t>(where);
    const std::uint64_t call = at / request.batch * request.batch;
    std::int64_t shift = source - static_cast<std::int64_t>(at) % once;
    if (shift > once / 2) shift -= once;
    if (shift < -once / 2) shift += once;
    const auto start = static_cast<std::int64_t>(call) % once;
    found.moved.push_back({at - call, std::min(request.batch, request.count - call), shift,
                           static_cast<std::uint64_t>((source - start + once) % once)});
}

Exchange::Reading LaneExchange::read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                     Scratch& /*scratch*/) const {
    const frames::ConvertRequest request = frame_of(worker, block, turn);
    const inputs::Ring& ring = *request_of(block).ring;
    const unsigned out = frames::bytes_of(to());
    const std::byte* outputs = worker.memory().data() + request.output_offset;
    found_.asked += block.count;
    for (std::uint64_t at = 0; at < block.count; ++at) {
        const std::size_t own = at % ring.inputs.size();
        const Code answer = frames::load(outputs + at * out, out);
        const Code right = ring.answers[own];
        if (answer == right || (to().is_nan(right) && to().is_nan(answer))) continue;
        if (found_.wrong_at.size() < most_alone) found_.wrong_at.insert(own);
        const auto where = std::find(ring.answers.begin(), ring.answers.end(), answer);
        if (where == ring.answers.end()) {
            ++found_.others;
            continue;
        }
        note_moved(found_, request_of(block), at, static_cast<std::size_t>(where - ring.answers.begin()));
    }
    Reading reading;
    reading.steps = {{block.first, block.first + block.count - 1, 0}};
    return reading;
}

std::optional<KnownFault> Workers::name_neighbours(const Conversion& conversion, std::uint32_t index,
                                                   const inputs::Ring& ring, const Misplaced& found,
                                                   std::uint64_t in_call, std::uint64_t rare) const {
    constexpr std::uint64_t sure = 8; // wrong answers that would be among equal values: none by chance in 1 of 3,000
    const std::uint64_t wrong = found.wrong();
    if (wrong == 0 || wrong * rare < found.asked) return {};
    // An input that is converted wrongly for its own value is wrong alone too.
    std::vector<inputs::Ring> alone;
    for (const std::size_t at : found.wrong_at) {
        inputs::Ring& of_one = alone.emplace_back();
        of_one.inputs = {ring.inputs[at]};
        of_one.answers = {ring.answers[at]};
        if (!ring.randoms.empty()) of_one.randoms = {ring.randoms[at]};
        of_one.poison = ring.poison;
    }
    const std::uint64_t looked_at = alone.size() * (calls_of_equals - 2) * in_call;
    const std::uint64_t rounds = found.asked / wrong * sure / looked_at + 1;
    std::vector<PlaceRequest> requests;
    for (std::uint64_t round = 0; round < rounds; ++round)
        for (const inputs::Ring& of_one : alone) requests.push_back({&of_one, in_call, calls_of_equals * in_call});
    std::uint64_t inner = 0;
    std::uint64_t wrong_inner = 0;
    const EqualsExchange exchange(conversion, requests, inner, wrong_inner);
    if (ask_fresh(exchange, index, exchange.blocks(), options.timeout).failure || inner == 0 || wrong_inner != 0)
        return {};
    return KnownFault{find_bug_class("NEIGHBOUR_MIXED"),
                      fmt::format("right among equal values, wrong in {} of {} others", print::grouped(wrong),
                                  print::grouped(found.asked))};
}

std::optional<KnownFault> Workers::name_places(const Conversion& conversion, std::uint32_t index,
                                               const PermitTable& expected, bool thorough) const {
    const std::uint64_t most_in_call = thorough ? ordinary_batch : small_batch;
    const std::uint64_t in_call = info.max_batch == 0 ? most_in_call : std::min(most_in_call, info.max_batch);
    const std::uint64_t values = thorough ? process::layout::max_points : ordinary_batch;
    const auto begin = std::chrono::steady_clock::now();
    // A rare one takes more and more requests until some of it was seen.
    const auto ask_ring = [&](const inputs::Ring& ring, std::size_t most) {
        Misplaced found;
        for (std::size_t count = 1; count <= most; count *= 4) {
            const std::vector<PlaceRequest> requests(count, PlaceRequest{&ring, in_call, values});
            const LaneExchange exchange(conversion, requests, found);
            const Schedule::Outcome outcome = ask_fresh(exchange, index, exchange.blocks(), options.timeout);
            if (outcome.failure || outcome.stopped || found.moved_in_all >= enough ||
                std::chrono::steady_clock::now() - begin > long_enough)
                break;
        }
        return found;
    };
    const auto name_ring = [&](const inputs::Ring& ring, const Misplaced& found) -> std::optional<KnownFault> {
        // Wrong values, which are not in a wrong place, are none of this.
        if (found.moved_in_all != 0 && found.others <= found.moved_in_all) {
            // As many values as the first of the misplaced ones were among.
            const std::uint64_t among = found.asked * found.moved.size() / found.moved_in_all;
            if (std::optional<KnownFault> known = name_moved(found.moved, among)) return known;
        }
        return name_neighbours(conversion, index, ring, found, in_call, thorough ? 4096 : 1024);
    };
    const auto ring_of = [&](RingInputs which) {
        std::optional<inputs::Ring> ring = telling_ring(expected, options.seed, which);
        // No word changes the answers of these.
        if (ring && conversion.random_bits != 0) ring->randoms.assign(ring->inputs.size(), 0);
        return ring;
    };
    const std::optional<inputs::Ring> ring = ring_of(RingInputs::first);
    if (!ring) return {};
    if (std::optional<KnownFault> known = name_ring(*ring, ask_ring(*ring, thorough ? most_requests : 1))) return known;
    const std::optional<inputs::Ring> last = ring_of(RingInputs::last);
    if (!last) return {};
    const Misplaced of_numbers = ask_ring(*last, 1);
    if (of_numbers.wrong() != 0) return name_ring(*last, of_numbers);
    const std::optional<inputs::Ring> with_nans = ring_of(RingInputs::last_beside_nans);
    if (!with_nans) return {};
    const Misplaced beside_nans = ask_ring(*with_nans, 1);
    if (beside_nans.wrong() < enough) return {};
    return KnownFault{find_bug_class("NEIGHBOUR_MIXED"),
                      fmt::format("right among numbers, wrong in {} of {} with NaN among them",
                                  print::grouped(beside_nans.wrong()), print::grouped(beside_nans.asked))};
}

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

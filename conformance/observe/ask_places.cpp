// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/ask_places.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>

#include "conformance/frames/words.hpp"
#include "conformance/inputs/interleave.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/number.hpp"

namespace mxcert::observe {
namespace {

/// A block is found by its first position: so many belong to a request.
constexpr unsigned request_shift = 33;

constexpr std::uint64_t residues = 128;

/// Of calls that are asked large, the smallest: one more than 16 bits count.
constexpr std::uint64_t beyond_16_bits = 65'537;

/// Others are odd: what takes whole vectors of 16 only, by a kernel of its own, is asked this beyond 2^16 and 2^20. It
/// is also a tail of 3,040 values behind whole tiles of 4,096.
constexpr std::uint64_t whole_vectors[] = {(1U << 16U) + 8192 + 3040, (1U << 20U) + 3040};

/// Beyond 2^16 too, and one less than whole vectors of any length up to 128.
constexpr std::uint64_t longest_tail = (1U << 16U) + 127;

/// Between the short calls and those: around each power of two.
constexpr unsigned first_power = 9;
constexpr unsigned last_power = 16;

/// Where the arrays of a request lie in the memory of a worker.
struct Arrays {
    std::uint64_t inputs = 0;
    std::uint64_t randoms = 0;
    std::uint64_t outputs = 0; ///< with a guard on both sides
    std::uint64_t end = 0;
};

Arrays arrays_in_slot(std::uint64_t slot) {
    const std::uint64_t base = slot * process::layout::slot_bytes;
    return {base + process::layout::inputs, base + process::layout::randoms, base + process::layout::outputs, 0};
}

/// Of a request that is larger than a slot. `in`: bytes of an input, 0 if the worker makes it.
Arrays arrays_in_runs(const Conversion& conversion, std::uint64_t count, std::uint64_t in) {
    const auto aligned = [](std::uint64_t offset) {
        return (offset + frames::array_alignment - 1) / frames::array_alignment * frames::array_alignment;
    };
    const std::uint64_t random = conversion.random_bits != 0 ? sizeof(std::uint32_t) : 0;
    Arrays arrays;
    arrays.inputs = process::layout::runs + process::layout::guard;
    arrays.randoms = aligned(arrays.inputs + count * in);
    arrays.outputs = aligned(arrays.randoms + count * random + process::layout::guard);
    arrays.end = arrays.outputs + count * frames::bytes_of(*conversion.to) + process::layout::guard;
    return arrays;
}

/// Writes the codes of a ring, `width` bytes each, again and again until there are `count` values.
template <class Word>
void write_turns(std::byte* to, const std::vector<Word>& ring, std::uint64_t count, unsigned width) {
    for (std::uint64_t i = 0, of_ring = 0; i < count; ++i) {
        frames::store(to + i * width, ring[of_ring], width);
        of_ring = of_ring + 1 == ring.size() ? 0 : of_ring + 1;
    }
}

/// Whether they are still there.
template <class Word>
bool has_turns(const std::byte* from, const std::vector<Word>& ring, std::uint64_t count, unsigned width) {
    for (std::uint64_t i = 0, of_ring = 0; i < count; ++i) {
        if (frames::load(from + i * width, width) != ring[of_ring]) return false;
        of_ring = of_ring + 1 == ring.size() ? 0 : of_ring + 1;
    }
    return true;
}

} // namespace

std::uint64_t batch_within(std::uint64_t most) {
    std::uint64_t batch = ordinary_batch;
    while (most != 0 && batch > most) batch /= 2;
    return batch;
}

PlaceRings place_rings(const PermitTable& expected, std::uint64_t seed, const inputs::KnownAnswer& answer) {
    PlaceRings places{inputs::make_rings(expected, seed, answer), {}, {}};
    if (places.rings.empty()) return places;
    places.large = inputs::large_rings(expected, seed, answer);
    places.pairs = inputs::pair_ring(places.large[places.large.size() / 2]);
    std::ranges::move(inputs::alike_rings(expected, seed, answer), std::back_inserter(places.rings));
    return places;
}

PlaceRings random_place_rings(const PermitTable& expected, std::uint64_t seed,
                              const std::vector<inputs::Point>& points) {
    PlaceRings places{inputs::random_rings(expected, seed, points), {}, {}};
    if (places.rings.empty()) return places;
    places.large = {inputs::large_random_ring(expected, places.rings.back(), points)};
    places.pairs = inputs::pair_ring(places.large.front());
    std::ranges::move(inputs::alike_random_rings(expected, points), std::back_inserter(places.rings));
    return places;
}

std::vector<PlaceRequest> place_requests(const std::vector<inputs::Ring>& rings, std::uint64_t most) {
    std::vector<PlaceRequest> requests;
    const auto fits = [=](std::uint64_t batch) { return most == 0 || batch <= most; };
    for (const inputs::Ring& ring : rings) {
        const std::uint64_t once = ring.inputs.size();
        requests.push_back({&ring, batch_within(most), residues * once});
        if (!ring.alike.empty()) continue;
        for (const std::uint64_t length : inputs::call_lengths)
            if (fits(length)) requests.push_back({&ring, length, length * once});
    }
    for (unsigned power = first_power; power <= last_power && !rings.empty(); ++power)
        for (const std::uint64_t length : {(1U << power) - 1, 1U << power, (1U << power) + 1})
            if (fits(length) && length <= process::layout::max_points)
                requests.push_back({&rings.front(), length, length});
    return requests;
}

std::vector<std::uint64_t> call_sizes(Level level, std::uint64_t most) {
    const std::span<const std::uint64_t> large = large_counts(level);
    if (large.empty()) return {};
    std::vector<std::uint64_t> sizes{beyond_16_bits, longest_tail};
    sizes.insert(sizes.end(), std::begin(whole_vectors), std::end(whole_vectors));
    sizes.insert(sizes.end(), large.begin(), large.end());
    std::sort(sizes.begin(), sizes.end());
    if (most != 0) std::erase_if(sizes, [=](std::uint64_t size) { return size > most; });
    if (sizes.empty()) sizes.push_back(most);
    return sizes;
}

std::vector<inputs::Block> PlaceExchange::blocks() const {
    std::vector<inputs::Block> blocks;
    for (std::uint64_t i = 0; i < requests_.size(); ++i)
        blocks.push_back({i << request_shift, requests_[i].count, requests_[i].ring->poison, false, i});
    return blocks;
}

std::uint64_t PlaceExchange::run_bytes(const Conversion& conversion, std::uint64_t count, bool makes) {
    if (count <= process::layout::max_points) return 0;
    const std::uint64_t in = makes && conversion.random_bits == 0 ? 0 : frames::bytes_of(*conversion.from);
    return arrays_in_runs(conversion, count, in).end - process::layout::runs;
}

const PlaceRequest& PlaceExchange::request_of(const inputs::Block& block) const {
    return requests_[block.first >> request_shift];
}

Code PlaceExchange::input_at(std::uint64_t position) const {
    const inputs::Ring& ring = *requests_[position >> request_shift].ring;
    return ring.inputs[(position & ((std::uint64_t{1} << request_shift) - 1)) % ring.inputs.size()];
}

std::string PlaceExchange::name_of(const inputs::Block& block) const {
    const PlaceRequest& request = request_of(block);
    return print::counted(block.count, "value") + " in calls of " + print::grouped(request.batch) + ", " +
           code_text(from(), input_at(block.first)) + " first";
}

void PlaceExchange::prepare(WorkerClient& worker) const { process::set_backdrop(worker.memory()); }

frames::ConvertRequest PlaceExchange::frame_of(const WorkerClient& worker, const inputs::Block& block,
                                               Turn turn) const {
    const PlaceRequest& place_request = request_of(block);
    frames::ConvertRequest request;
    request.count = block.count;
    request.batch = place_request.batch;
    request.poison = block.poison[0];
    const bool makes =
        worker.takes_interleaved() && !has_words() && place_request.ring->inputs.size() <= frames::most_streams;
    request.inputs = makes ? frames::Inputs::interleaved : frames::Inputs::shared;
    const Arrays arrays = block.count <= process::layout::max_points
                              ? arrays_in_slot(turn.slot)
                              : arrays_in_runs(conversion_, block.count, makes ? 0 : frames::bytes_of(from()));
    request.output_offset = arrays.outputs;
    if (!makes) request.input_offset = arrays.inputs;
    if (has_words()) request.random_offset = arrays.randoms;
    return request;
}

void PlaceExchange::send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
                         Scratch& /*scratch*/) const {
    frames::ConvertRequest request = frame_of(worker, block, turn);
    request.conversion = index;
    const inputs::Ring& ring = *request_of(block).ring;
    const unsigned in = frames::bytes_of(from());
    const unsigned out = frames::bytes_of(to());
    std::memset(worker.memory().data() + request.output_offset, static_cast<int>(request.poison), block.count * out);
    process::set_guards(worker.memory(), request.output_offset, block.count * out);
    if (request.inputs == frames::Inputs::interleaved) {
        worker.send(request, frames::Interleaved{1, ring.inputs}, out);
        return;
    }
    write_turns(worker.memory().data() + request.input_offset, ring.inputs, block.count, in);
    if (has_words())
        write_turns(worker.memory().data() + request.random_offset, ring.randoms, block.count, sizeof(std::uint32_t));
    worker.send(request, in, out);
}

std::string PlaceExchange::damage(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                  Scratch& /*scratch*/) const {
    const frames::ConvertRequest request = frame_of(worker, block, turn);
    if (!process::guards_intact(worker.memory(), request.output_offset, block.count * frames::bytes_of(to())))
        return "wrote outside its output buffer";
    if (request.inputs == frames::Inputs::interleaved) return {};
    const inputs::Ring& ring = *request_of(block).ring;
    const unsigned in = frames::bytes_of(from());
    const std::byte* memory = worker.memory().data();
    if (!has_turns(memory + request.input_offset, ring.inputs, block.count, in)) return "changed its input buffer";
    if (has_words() && !has_turns(memory + request.random_offset, ring.randoms, block.count, sizeof(std::uint32_t)))
        return "changed its buffer of random words";
    return {};
}

Exchange::Reading PlaceExchange::read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                      Scratch& /*scratch*/) const {
    const frames::ConvertRequest request = frame_of(worker, block, turn);
    const PlaceRequest& place_request = request_of(block);
    const inputs::Ring& ring = *place_request.ring;
    const unsigned out = frames::bytes_of(to());
    const std::byte* outputs = worker.memory().data() + request.output_offset;
    // Many turns of the ring are compared at once; only where they differ, value by value.
    std::vector<std::byte> turns;
    const std::uint64_t once = ring.inputs.size();
    const std::uint64_t at_once = std::max<std::uint64_t>(1, ordinary_batch / once);
    turns.resize(at_once * once * out);
    for (std::uint64_t i = 0; i < at_once * once; ++i)
        frames::store(turns.data() + i * out, ring.answers[i % once], out);
    Reading reading;
    reading.steps = {{block.first, block.first + block.count - 1, 0}};
    std::uint64_t wrong = 0;
    std::uint64_t unwritten = 0;
    std::uint64_t first_wrong = 0;
    for (std::uint64_t at = 0; at < block.count; at += at_once * once) {
        const std::uint64_t count = std::min(at_once * once, block.count - at);
        if (std::memcmp(outputs + at * out, turns.data(), count * out) == 0) continue;
        for (std::uint64_t i = at; i < at + count; ++i) {
            const Code answer = frames::load(outputs + i * out, out);
            if (answer == ring.answers[i % once]) continue;
            if (wrong++ == 0) first_wrong = i;
            unwritten += answer == inputs::poison_code(block.poison[0], to()) ? 1 : 0;
        }
    }
    if (wrong == 0) return reading;
    const Code observed_answer = frames::load(outputs + first_wrong * out, out);
    const std::uint64_t call = first_wrong / place_request.batch * place_request.batch;
    const bool left = unwritten == wrong;
    reading.flaw_status = left ? Status::mistrusted : Status::fail;
    const std::string word =
        has_words() ? " with random bits " + code_text(formats::fp32, ring.randoms[first_wrong % once]) : "";
    reading.flaw = "input " + code_text(from(), ring.inputs[first_wrong % once]) + word +
                   (left ? " still has the poison " + code_text(to(), observed_answer)
                         : " gave " + code_text(to(), observed_answer)) +
                   ", at index " + std::to_string(first_wrong - call) + " of a call of " +
                   std::to_string(std::min(place_request.batch, block.count - call)) + " values, and " +
                   code_text(to(), ring.answers[first_wrong % once]) + " elsewhere; " + print::grouped(wrong) + " of " +
                   print::counted(block.count, "value") +
                   (ring.alike.empty() ? std::string() : ", all of them " + ring.alike + ",") +
                   (wrong == 1 ? " differs" : " differ");
    return reading;
}

std::string PlaceExchange::far_writes(const WorkerClient& worker) const {
    std::uint64_t largest = 0;
    for (const PlaceRequest& request : requests_)
        if (request.count <= process::layout::max_points) largest = std::max(largest, request.count);
    const process::UsedParts used{largest * frames::bytes_of(from()), has_words() ? largest * sizeof(std::uint32_t) : 0,
                                  largest * frames::bytes_of(to())};
    return process::backdrop_intact(worker.memory(), used) ? "" : "wrote far outside its output buffer";
}

} // namespace mxcert::observe

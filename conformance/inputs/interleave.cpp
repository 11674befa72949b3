// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/interleave.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "conformance/frames/words.hpp"
#include "conformance/inputs/run_length.hpp"

namespace mxcert::inputs {
namespace {

/// Codes of a chunk: enough for long streams, few enough that a group does not have every answer there is.
std::uint64_t chunk_of(std::uint64_t unit) {
    if (unit > std::uint64_t{1} << 16) return std::min<std::uint64_t>(unit >> 10, 1 << 16);
    return std::max<std::uint64_t>(1, unit >> 10);
}

} // namespace

std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& classes) {
    std::uint32_t largest = 0;
    for (const std::uint32_t of_item : classes) largest = std::max(largest, of_item);
    std::vector<std::uint64_t> count(classes.empty() ? 0 : largest + 1, 0);
    for (const std::uint32_t of_item : classes) ++count[of_item];

    // The j-th of n items of a class belongs at (2 j + 1) / 2 n of the whole.
    std::vector<std::uint64_t> seen(count.size(), 0);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
    keys.reserve(classes.size());
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
        const std::uint32_t of_item = classes[i];
        keys.emplace_back(((2 * seen[of_item]++ + 1) << 31U) / count[of_item], i);
    }
    std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        return classes[a.second] != classes[b.second] ? classes[a.second] < classes[b.second] : a.second < b.second;
    });
    std::vector<std::uint32_t> order;
    order.reserve(keys.size());
    for (const auto& [key, item] : keys) order.push_back(item);

    // Where two of a class still meet, the nearest later one that parts them comes between, if those beside it differ.
    constexpr std::size_t reach = 512;
    const auto of = [&](std::size_t at) { return classes[order[at]]; };
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (of(i - 1) != of(i)) continue;
        const std::size_t end = std::min(order.size(), i + reach);
        for (std::size_t j = i + 1; j < end; ++j) {
            if (of(j) == of(i)) continue;
            if (j + 1 < order.size() && of(j - 1) == of(j + 1)) continue;
            const auto begin = order.begin();
            std::rotate(begin + static_cast<std::ptrdiff_t>(i), begin + static_cast<std::ptrdiff_t>(j),
                        begin + static_cast<std::ptrdiff_t>(j + 1));
            break;
        }
    }
    return order;
}

std::uint64_t walk_of(std::uint64_t n) {
    if (n <= 3) return 1;
    std::uint64_t walk = std::max<std::uint64_t>(2, n * 38 / 100);
    while (std::gcd(walk, n) != 1) ++walk; // n - 1 at the latest
    return walk;
}

std::vector<std::uint32_t> spread_binades(std::span<const Code> codes, const Format& format) {
    const auto binade_of = [&](Code code) { return code >> static_cast<unsigned>(format.fraction_bits); };
    Code binades = 0;
    for (const Code code : codes) binades = std::max(binades, binade_of(code) + 1);
    // Classes that follow each other are taken in turn.
    std::vector<std::uint32_t> class_of(binades);
    for (Code i = 0; i < binades; ++i) class_of[far_apart(i, binades)] = static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> classes;
    classes.reserve(codes.size());
    for (const Code code : codes) classes.push_back(class_of[binade_of(code)]);
    return spread(classes);
}

Interleaving::Interleaving(const PermitTable& expected, Code low, Code high, unsigned lanes)
    : low_(low), size_(high - low + 1), lanes_(lanes) {
    const Format& from = *expected.from;
    const std::uint64_t of_scale = from.value_mask() + 1;
    const std::uint64_t unit = size_ % of_scale == 0 ? of_scale : size_;
    rows_ = std::gcd(chunk_of(unit), unit);
    unit_ = unit / rows_;
    order_.resize(size_ / rows_);
    for (std::size_t begin = 0; begin < order_.size(); begin += unit_)
        arrange(expected, low + begin * rows_, begin, begin + unit_);
}

void Interleaving::arrange(const PermitTable& expected, Code low, std::size_t begin, std::size_t end) {
    // A chunk is known by what is expected of its first code.
    std::map<Permit, std::uint32_t> known;
    std::vector<std::uint32_t> classes;
    classes.reserve(end - begin);
    std::size_t at = find_step(expected, low);
    std::size_t last_at = ~std::size_t{0};
    for (std::size_t chunk = 0; chunk < end - begin; ++chunk) {
        while (expected.steps[at].last < low + chunk * rows_) ++at;
        if (at == last_at)
            classes.push_back(classes.back());
        else
            classes.push_back(known.emplace(expected.steps[at].permit, known.size()).first->second);
        last_at = at;
    }
    std::vector<std::uint32_t> order = spread(classes);
    // In a group the first stream follows the last one.
    const auto of = [&](std::size_t i) { return classes[order[i]]; };
    for (std::size_t first = 0; first < order.size(); first += lanes_) {
        const std::size_t last = std::min<std::size_t>(order.size(), first + lanes_) - 1;
        if (last < first + 3 || of(first) != of(last)) continue;
        for (std::size_t j = first + 1; j + 1 < last; ++j) {
            const std::uint32_t here = of(j);
            const std::uint32_t there = of(last);
            if (here == there || here == of(last - 1) || of(j - 1) == there || of(j + 1) == there) continue;
            std::swap(order[j], order[last]);
            break;
        }
    }
    for (std::size_t i = 0; i < order.size(); ++i) order_[begin + i] = static_cast<std::uint32_t>(begin) + order[i];
}

Interleaving::Group Interleaving::group_of(std::uint64_t position) const {
    const std::uint64_t of_unit = unit_ * rows_;
    const std::uint64_t unit = position / of_unit;
    const std::uint64_t group = position % of_unit / (lanes_ * rows_);
    const std::uint64_t chunk = group * lanes_;
    return {unit * of_unit + chunk * rows_, unit * unit_ + chunk,
            static_cast<unsigned>(std::min<std::uint64_t>(lanes_, unit_ - chunk))};
}

Code Interleaving::input_at(std::uint64_t position) const {
    const Group group = group_of(position);
    const std::uint64_t within = position - group.first;
    return low_ + order_[group.chunk + within % group.lanes] * rows_ + within / group.lanes;
}

Interleaving::Part Interleaving::part_at(std::uint64_t position) const {
    const Group group = group_of(position);
    Part part;
    part.first = position - group.first;
    part.streams.length = rows_;
    part.streams.firsts.reserve(group.lanes);
    for (unsigned lane = 0; lane < group.lanes; ++lane)
        part.streams.firsts.push_back(low_ + order_[group.chunk + lane] * rows_);
    return part;
}

std::vector<CodeRange> Interleaving::inputs_of(std::uint64_t position, std::uint64_t count) const {
    return inputs::inputs_of(part_at(position), count);
}

std::vector<CodeRange> inputs_of(const Interleaving::Part& part, std::uint64_t count) {
    const std::uint64_t lanes = part.streams.firsts.size();
    std::vector<CodeRange> ranges;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        // The first position of this stream that is not before the part, and the last one within it.
        const std::uint64_t begin = part.first + (lane + lanes - part.first % lanes) % lanes;
        const std::uint64_t end = part.first + count;
        if (begin >= end) continue;
        const std::uint64_t last = begin + (end - 1 - begin) / lanes * lanes;
        ranges.push_back({part.streams.firsts[lane] + begin / lanes, part.streams.firsts[lane] + last / lanes});
    }
    std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.first < b.first; });
    return ranges;
}

std::uint64_t Interleaving::end_of_group(std::uint64_t position) const {
    const Group group = group_of(position);
    return group.first + group.lanes * rows_;
}

namespace {

/// The answers of one request on their way to steps.
template <class Word> class Taker {
  public:
    Taker(std::span<const std::byte> outputs, const Interleaving::Part& part, std::uint64_t count)
        : data_(outputs.data()), part_(part), lanes_(part.streams.firsts.size()), count_(count) {}

    [[nodiscard]] StreamAnswers run() {
        open_.resize(lanes_, Step{1, 0, 0}); // first > last: nothing yet
        std::uint64_t at = 0;
        while (at < count_) {
            const std::uint64_t same = at >= lanes_ ? repeated_rows(at) : 0;
            if (same != 0) {
                skip(at, same);
                at += same * lanes_;
                continue;
            }
            const std::uint64_t end = std::min(at + lanes_ - (part_.first + at) % lanes_, count_);
            take_row(at, end);
            at = end;
        }
        for (const Step& step : open_)
            if (step.first <= step.last) steps_.push_back(step);
        std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.first < b.first; });
        for (const Step& step : steps_) append_step(answers_.steps, step);
        answers_.neighbours = count_ - 1;
        return std::move(answers_);
    }

  private:
    [[nodiscard]] Word load_at(std::uint64_t at) const {
        Word word; // NOLINT(cppcoreguidelines-pro-type-member-init): memcpy fills it
        std::memcpy(&word, data_ + at * sizeof(Word), sizeof word);
        return word;
    }

    /// How many whole rows from `at` on, the start of one, have the answers of the row before.
    [[nodiscard]] std::uint64_t repeated_rows(std::uint64_t at) const {
        constexpr std::uint64_t rows_at_once = 16;
        const std::uint64_t row = lanes_ * sizeof(Word);
        const std::uint64_t rows = (count_ - at) / lanes_;
        const std::byte* here = data_ + at * sizeof(Word);
        std::uint64_t done = 0;
        while (rows - done >= rows_at_once && same_bytes(here + done * row, row, rows_at_once * row))
            done += rows_at_once;
        while (done < rows && same_bytes(here + done * row, row, row)) ++done;
        return done;
    }
    /// Whether `bytes` bytes are those `back` bytes before them.
    [[nodiscard]] static bool same_bytes(const std::byte* here, std::uint64_t back, std::uint64_t bytes) {
        return std::memcmp(here, here - back, bytes) == 0;
    }

    void take(std::uint64_t lane, Code input, Code code) {
        Step& step = open_[lane];
        if (step.first <= step.last && step.code == code) {
            step.last = input;
            return;
        }
        if (step.first <= step.last) steps_.push_back(step);
        step = {input, input, code};
    }

    void take_row(std::uint64_t at, std::uint64_t end) {
        const std::uint64_t row = (part_.first + at) / lanes_;
        for (std::uint64_t i = at; i < end; ++i) {
            const std::uint64_t lane = (part_.first + i) % lanes_;
            const Word code = load_at(i);
            take(lane, part_.streams.firsts[lane] + row, code);
            if (i != 0) answers_.differing += last_ != code ? 1 : 0;
            last_ = code;
        }
    }

    /// Rows like the one before them, from `at` on: the inputs go on, and so does what differs.
    void skip(std::uint64_t at, std::uint64_t rows) {
        for (std::uint64_t lane = 0; lane < lanes_; ++lane) open_[lane].last += rows;
        // The row before may be the first, which has nothing before it.
        std::uint64_t in_row = 0;
        Word last = load_at(at - 1);
        for (std::uint64_t i = 0; i < lanes_; ++i) {
            const Word code = load_at(at + i);
            in_row += last != code ? 1 : 0;
            last = code;
        }
        answers_.differing += rows * in_row;
        last_ = last;
    }

    const std::byte* data_;
    const Interleaving::Part& part_;
    std::uint64_t lanes_;
    std::uint64_t count_;
    std::vector<Step> open_; ///< of each stream
    std::vector<Step> steps_;
    Word last_{};
    StreamAnswers answers_;
};

} // namespace

StreamAnswers take_apart(std::span<const std::byte> outputs, unsigned width, const Interleaving::Part& part,
                         std::uint64_t count) {
    return frames::with_word(width, [&](auto word) { return Taker<decltype(word)>(outputs, part, count).run(); });
}

} // namespace mxcert::inputs

// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/given_bits/certify_random.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/given_bits/readings.hpp"
#include "conformance/verdict/value_judge.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/tables/walk.hpp"

namespace mxcert::suites {
namespace {

constexpr Code around = 2; ///< ulp

std::vector<std::uint32_t> words_of(unsigned bits, unsigned most, std::uint64_t seed) {
    const std::uint64_t all = std::uint64_t{1} << bits;
    std::vector<std::uint32_t> words;
    const auto add = [&](std::uint64_t word) { words.push_back(static_cast<std::uint32_t>(word & (all - 1))); };
    if (all <= most) {
        for (std::uint64_t word = 0; word < all; ++word) add(word);
        return words;
    }
    for (unsigned bit = 0; bit <= bits; ++bit) { // 2^bits - 1 is the largest, 2^bits is 0
        add(std::uint64_t{1} << bit);
        add((std::uint64_t{1} << bit) - 1);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (std::uint64_t drawn = 0; words.size() < most; ++drawn) add(SplitMix64::at(seed, drawn) >> 16U);
    return words;
}

/// Finds where a rounding with one random word leads from one code to another.
class Boundaries {
  public:
    Boundaries(const Conversion& conversion, std::uint32_t random, std::vector<inputs::Point>& points)
        : conversion_(conversion), choices_(choices_of(conversion)), random_(random), points_(points) {}

    /// Of inputs from first to last, in which the code only rises or only falls.
    void search(Code first, Code last) {
        add(first);
        add(last);
        between(first, code(first), last, code(last));
    }
    /// Of every range of a format's numbers and of its NaNs, with either sign.
    void search() {
        const Format& from = *conversion_.from;
        const Code largest = from.has_inf() ? from.inf_code() : from.max_code();
        for (const Code sign : {Code{0}, from.sign_bit()}) {
            search(sign, sign | largest);
            if (largest < from.magnitude_mask()) search(sign | (largest + 1), sign | from.magnitude_mask());
        }
    }

  private:
    [[nodiscard]] Code code(Code input) const {
        return fast::convert(*conversion_.from, *conversion_.to, choices_, input, random_, conversion_.random_bits);
    }
    void add(Code input) { points_.push_back({input, random_, 0}); }
    // A neighbour of the boundary, of another kind and another bit than the one of the boundary before: one bit of the
    // fraction set above it, set below it, or clear below it.
    void add_single_bit(Code boundary) {
        const Format& from = *conversion_.from;
        const Code bit = Code{1} << (turn_ / 3 % static_cast<unsigned>(from.fraction_bits));
        const Code below = boundary & from.magnitude_mask();
        const unsigned kind = turn_++ % 3;
        if (kind == 0 && bit <= from.magnitude_mask() - below) add(boundary + bit);
        if (kind == 1 && bit <= below) add(boundary - bit);
        if (kind == 2 && bit + 1 <= below) add(boundary - 1 - bit);
    }
    void between(Code a, Code code_of_a, Code b, Code code_of_b) {
        if (code_of_a == code_of_b) return;
        if (b - a == 1) {
            const Code last = conversion_.from->last_code();
            for (Code at = a - std::min(a, around - 1); at <= std::min(last, b + around - 1); ++at) add(at);
            add_single_bit(std::countr_zero(a) > std::countr_zero(b) ? a : b);
            return;
        }
        const Code middle = a + (b - a) / 2;
        const Code of_middle = code(middle);
        between(a, code_of_a, middle, of_middle);
        between(middle, of_middle, b, code_of_b);
    }

    const Conversion& conversion_;
    Choices choices_;
    std::uint32_t random_;
    std::vector<inputs::Point>& points_;
    unsigned turn_ = random_;
};

/// The words at which the answer to an input changes, and those one and one bit away from them.
void add_thresholds(const Conversion& conversion, Code input, std::vector<inputs::Point>& points) {
    const Choices choices = choices_of(conversion);
    const auto code = [&](std::uint64_t word) {
        return fast::convert(*conversion.from, *conversion.to, choices, input, static_cast<std::uint32_t>(word),
                             conversion.random_bits);
    };
    const std::uint64_t last = (std::uint64_t{1} << conversion.random_bits) - 1;
    if (code(0) == code(last)) return;
    std::uint64_t low = 0; // the answer is that to word 0
    std::uint64_t high = last;
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (code(middle) == code(0) ? low : high) = middle;
    }
    const auto add = [&](std::uint64_t word) {
        if (word <= last) points.push_back({input, static_cast<std::uint32_t>(word), 0});
    };
    add(low);
    add(high);
    add(high + 1);
    for (unsigned bit = 0; bit < conversion.random_bits; ++bit) {
        const std::uint64_t one = std::uint64_t{1} << bit;
        add(high + one);
        add(high ^ one);
        if (high >= one) add(high - one);
        if (low >= one) add(low - one);
    }
}

/// The fast model as the second judge: with NaN codes that the profile permits, where it has such.
class OtherModel {
  public:
    OtherModel(const Conversion& conversion, const Profile& profile)
        : conversion_(conversion), choices_(choices_of(conversion)) {
        take(profile, Choice::overflow_nan);
        has_nan_ = take(profile, Choice::nan);
    }
    /// Nothing for a NaN whose code this model does not make.
    [[nodiscard]] std::optional<Code> code_of(const inputs::Point& point) const {
        if (!has_nan_ && conversion_.from->is_nan(point.input)) return std::nullopt;
        return fast::convert(*conversion_.from, *conversion_.to, choices_, point.input, point.random,
                             conversion_.random_bits);
    }

  private:
    /// Sets a choice to the first value that is permitted and offered. False if there is none.
    bool take(const Profile& profile, Choice choice) {
        for (const std::string_view value : permitted_values(profile, conversion_, choice)) {
            if (value == any_nan_code) return true;
            Choices choices = choices_;
            set(choices, info(choice).name, value);
            if (!fast::offers(*conversion_.from, *conversion_.to, choices)) continue;
            choices_ = choices;
            return true;
        }
        return false;
    }

    const Conversion& conversion_;
    Choices choices_;
    bool has_nan_ = false;
};

/// What one profile has to say of the answers.
verdict::Row judge_points(const GivenBits& planned, const Profile& profile, const std::vector<inputs::Point>& points,
                          const verdict::CertifyOptions& options) {
    const Conversion& conversion = planned.conversion;
    const verdict::ValueJudge judge(conversion, {&profile});
    const OtherModel other(conversion, profile);
    verdict::Row row;
    verdict::PointFindings& found = row.found.emplace<verdict::PointFindings>();
    row.status = Status::pass;
    for (const inputs::Point& point : points) {
        // The other model has a say wherever it is asked: the exact one must permit what it gives.
        const std::optional<Code> other_code = other.code_of(point);
        const auto wrong = judge.forbids(point.input, point.random, point.got);
        if (other_code &&
            (*other_code == point.got ? wrong.has_value()
                                      : judge.forbids(point.input, point.random, *other_code).has_value()))
            throw std::logic_error(fmt::format("the two models differ: {} of {} with random bits {}",
                                               to_string(conversion), code_text(*conversion.from, point.input),
                                               code_text(cases::random_format, point.random)));
        if (!wrong) continue;
        ++row.differing;
        if (found.wrong.size() == options.max_failures) continue;
        found.wrong.push_back(
            fmt::format("{} with random bits {} gives {}, not {} [{}]", code_text(*conversion.from, point.input),
                        code_text(cases::random_format, point.random), code_text(*conversion.to, point.got),
                        shown(wrong->permit, *conversion.to), wrong->clause));
        found.points.push_back(point);
    }
    if (row.differing != 0) row.status = Status::fail;
    // A judge that finds nothing must find a wrong code: a verdict is only given by one that can fail.
    if (!points.empty() && row.differing == 0) {
        // Of a NaN any other may be as good: then a number is wrong.
        const inputs::Point& point = points.front();
        const Code other_sign = point.got ^ conversion.to->sign_bit() ^ 1;
        const Code planted[] = {other_sign, 0, conversion.to->max_code()};
        if (std::none_of(std::begin(planted), std::end(planted),
                         [&](Code code) { return judge.forbids(point.input, point.random, code).has_value(); }))
            throw std::logic_error("a wrong code that was planted was not found");
    }
    return row;
}

/// The class of a rounding that takes so many random bits where another was asked for. As many bits, by the same
/// law, have the same distribution.
const BugClass* class_of(const Conversion& conversion, const BitReading& reading) {
    if (!is_stochastic(reading.rounding)) return find_bug_class("STOCHASTIC_NOT");
    const auto law = [](Rounding named, unsigned bits) {
        return is_ptx_rs(named) ? std::pair(Rounding::stochastic_a, 16U) : std::pair(named, bits);
    };
    const unsigned used = reading.keeps_law ? reading.used : 0;
    const bool alike = law(reading.rounding, used) == law(conversion.rounding, conversion.random_bits);
    return find_bug_class(alike ? "STOCHASTIC_WRONG_BITS" : "STOCHASTIC_BIAS");
}

/// The readings that gave every answer.
std::vector<KnownFault> known_as(const Conversion& conversion, const std::vector<inputs::Point>& points) {
    std::vector<KnownFault> known;
    for (const BitReading& reading : readings_of(conversion, points))
        known.push_back({class_of(conversion, reading), reading.text});
    return known;
}

/// What any random word may lead to: the codes on both sides, or any NaN.
PermitTable permitted_by_any_word(const Conversion& conversion) {
    const Format& to = *conversion.to;
    const auto rounded = [&](Rounding rounding) {
        Choices choices = choices_of(conversion);
        choices.rounding = rounding;
        return tabulate(*conversion.from, to, choices).steps;
    };
    const auto permit = [&](Code code) { return to.is_nan(code) ? permit_any_nan() : permit_code(code); };
    PermitTable either{conversion.from, conversion.to, {}};
    walk(rounded(Rounding::toward_zero), rounded(Rounding::away_from_zero),
         [&](Code first, Code last, const Step& toward, const Step& away) {
             either.steps.push_back({first, last, unite(permit(toward.code), permit(away.code), to), {}});
         });
    return either;
}

std::string digest_of(const Conversion& conversion, const std::vector<inputs::Point>& points) {
    std::string text;
    for (const inputs::Point& point : points) text += hex(point.got, *conversion.to);
    return sha256(text);
}

} // namespace

std::vector<inputs::Point> random_points(const Conversion& conversion, unsigned randoms, std::uint64_t seed) {
    if (!is_stochastic(conversion.rounding)) throw std::invalid_argument(to_string(conversion) + " has no random bits");
    std::vector<inputs::Point> points;
    const std::vector<std::uint32_t> words = words_of(conversion.random_bits, randoms, seed);
    // The boundaries of word 0 are the values that are codes: no word may move them, and the last one before is the
    // first that any word moves.
    Boundaries(conversion, 0, points).search();
    const std::vector<inputs::Point> of_zero = points;
    for (const std::uint32_t word : words) {
        Boundaries(conversion, word, points).search();
        for (const inputs::Point& point : of_zero) points.push_back({point.input, word, 0});
    }
    // Inside every step of word 0 an input of which some words decide.
    if (words.size() < std::uint64_t{1} << conversion.random_bits) {
        std::vector<Code> inputs;
        for (const inputs::Point& point : of_zero) inputs.push_back(point.input);
        std::sort(inputs.begin(), inputs.end());
        for (std::size_t i = 1; i < inputs.size(); ++i)
            if (inputs[i] - inputs[i - 1] > 2)
                add_thresholds(conversion,
                               inputs[i - 1] + 1 + SplitMix64::at(seed, i) % (inputs[i] - inputs[i - 1] - 1), points);
    }
    const auto key = [](const inputs::Point& point) { return std::tuple(point.input, point.random); };
    std::sort(points.begin(), points.end(),
              [&](const inputs::Point& a, const inputs::Point& b) { return key(a) < key(b); });
    points.erase(std::unique(points.begin(), points.end(),
                             [&](const inputs::Point& a, const inputs::Point& b) { return key(a) == key(b); }),
                 points.end());
    return points;
}

std::vector<verdict::Row> certify_random(observe::Subject& subject, const GivenBits& planned,
                                         const verdict::CertifyOptions& options) {
    std::vector<verdict::Row> rows;
    const bool is_whole = planned.points.empty(); // one that is reproduced is not asked in other places
    const std::vector<inputs::Point> points =
        is_whole ? random_points(planned.conversion, random_words, options.seed) : planned.points;
    const PermitTable permitted = is_whole ? permitted_by_any_word(planned.conversion) : PermitTable{};
    const observe::Observation seen =
        subject.observe_points(planned.conversion, points, is_whole ? &permitted : nullptr);
    for (const Profile* profile : planned.profiles) {
        verdict::Row row;
        try {
            row = judge_points(planned, *profile, seen.points, options);
        } catch (const std::exception& error) {
            row = {};
            row.found = verdict::PointFindings();
            row.reason = error.what();
        }
        if (row.status == Status::pass && seen.points.empty()) {
            row.status = Status::untested;
            row.reason = "nothing was compared";
        }
        // Wrong answers among those that came are a FAIL, however it ended.
        if (seen.status != Status::pass && row.status != Status::fail) {
            row.status = seen.status;
            row.reason = seen.reason;
            row.detail = seen.detail;
            if (seen.known_as) row.known_as.push_back(*seen.known_as);
        } else if (row.status == Status::fail) {
            // One answer alone has many explanations.
            if (is_whole) row.known_as = known_as(planned.conversion, seen.points);
            if (row.known_as.empty() && seen.known_as) row.known_as.push_back(*seen.known_as);
            row.reason = fmt::format("{} not permitted", print::counted(row.differing, "answer"));
            row.reason += it_is(row.known_as);
        } else if (row.status == Status::pass && seen.points.size() != points.size()) {
            row.status = Status::incomplete;
            row.reason = fmt::format("{} of {} came back", print::grouped(seen.points.size()),
                                     print::counted(points.size(), "input"));
        }
        if (seen.status == Status::pass && seen.points.size() == points.size())
            row.observed_sha256 = digest_of(planned.conversion, seen.points);
        row.id = to_string(planned.conversion);
        auto& found = std::get<verdict::PointFindings>(row.found);
        found.conversion = planned.conversion;
        found.culprits = seen.culprits;
        found.places = seen.places;
        row.profile = profile->name;
        row.sample = true;
        row.total = verdict::inputs_in_all(planned.conversion);
        row.required = planned.required;
        row.compared = seen.points.size();
        row.repeated = seen.repeated;
        row.unstable = seen.unstable;
        row.seconds = seen.seconds;
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace mxcert::suites

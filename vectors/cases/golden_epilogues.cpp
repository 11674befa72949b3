// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/golden_epilogues.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "reference/base/random.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/arithmetic.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/epilogue.hpp"
#include "reference/fast/sum/epilogue.hpp"
#include "vectors/cases/golden_products.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

using formats::fp32;

constexpr std::size_t products = 4;     ///< of a sum
constexpr std::size_t nvfp4_block = 16; ///< elements that share a scale
constexpr int drawn = 1500;             ///< cases to choose from
constexpr std::size_t times_told = 8;   ///< rows that tell each wrong way
constexpr Code one = fp32.one_code();
constexpr Code inf = fp32.inf_code();
constexpr Code nan = 0x7FC00000;
constexpr std::array outputs{&formats::fp16, &formats::bf16, &formats::e4m3, &formats::e5m2};

/// One element of D.
struct EpilogueCase {
    std::string about;
    DotCase product;
    EpilogueOperands operands; ///< with the sum
    Code d_scale = one;
};

/// How an element is made: right, or with one step otherwise.
struct Way {
    const Epilogue* epilogue = nullptr;
    bool without_bias = false;
    bool bias_first = false;
    bool without_d = false;
    bool inverse_d = false;
    bool through_bf16 = false; ///< the value, before it is rounded to D
    bool d_at_once = false;    ///< value x d_scale is rounded to D once, not to FP32 first
};

struct Answer {
    Code value = 0;
    std::array<Code, outputs.size()> d{};

    friend bool operator==(const Answer&, const Answer&) = default;
};

bool takes_d_scale(const Format& output) { return output.width() == 8; }

/// Rounded to FP8 once, saturating.
Code at_once(const Format& output, Code value, Code d_scale) {
    Choices saturating;
    return exact::result(output, saturating, exact::times(exact::decode(fp32, value), exact::decode(fp32, d_scale)));
}

Answer answer_of(const EpilogueCase& epilogue_case, const Way& way) {
    EpilogueOperands operands = epilogue_case.operands;
    if (way.bias_first && operands.bias) operands.sum = exact::add(fp32, operands.sum, *operands.bias);
    if (way.without_bias || way.bias_first) operands.bias.reset();
    const Code d_scale = way.without_d   ? one
                         : way.inverse_d ? exact::divide(fp32, one, epilogue_case.d_scale)
                                         : epilogue_case.d_scale;
    Answer answer;
    answer.value = exact::after_sum(*way.epilogue, operands);
    const Code value = way.through_bf16
                           ? exact::converted(formats::bf16, fp32, exact::converted(fp32, formats::bf16, answer.value))
                           : answer.value;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Format& output = *outputs[i];
        const bool scaled = takes_d_scale(output);
        answer.d[i] = scaled && way.d_at_once
                          ? at_once(output, value, d_scale)
                          : exact::as_element(output, scaled ? exact::multiply(fp32, value, d_scale) : value);
    }
    return answer;
}

/// The fast models give the right answer too.
void must_agree(const Epilogue& epilogue, const EpilogueCase& epilogue_case, const Answer& answer) {
    bool agree = same(fp32, fast::after_sum(epilogue, epilogue_case.operands), answer.value);
    const Code scaled = fast::after_sum(mxcert::epilogue("in_turn"), {answer.value, epilogue_case.d_scale, one, {}});
    for (std::size_t i = 0; i < outputs.size(); ++i)
        agree = agree &&
                same(*outputs[i], fast::as_element(*outputs[i], takes_d_scale(*outputs[i]) ? scaled : answer.value),
                     answer.d[i]);
    if (!agree)
        throw std::logic_error("the two models of the epilogue " + std::string(epilogue.name) +
                               " disagree: " + epilogue_case.about);
}

/// Makes the cases of an epilogue.
class EpilogueMaker {
  public:
    explicit EpilogueMaker(const Epilogue& epilogue) : epilogue_(epilogue), nvfp4_(epilogue.factor != 0) {
        const Accumulator& exact = accumulator("exact");
        const Format& element = nvfp4_ ? formats::e2m1 : formats::e4m3;
        asked_.format = dot_format(exact, element, element, nvfp4_ ? &formats::ue4m3 : nullptr);
        if (nvfp4_) asked_.block_a = asked_.block_b = nvfp4_block;
    }

    /// Ordinary ones first, in which no value is NaN.
    [[nodiscard]] std::vector<EpilogueCase> take() {
        for (int i = 0; i < drawn; ++i) {
            EpilogueCase scales = make("scales and no bias", 3);
            add(scales);
            EpilogueCase bias = make("scales and a bias", 3);
            const Code magnitude = number(0);
            bias.operands.bias = magnitude | sign();
            add(bias);
            EpilogueCase cancels = make("a bias that cancels the product but for what is rounded", 3);
            cancels.operands.bias = exact::after_sum(epilogue_, cancels.operands) ^ fp32.sign_bit();
            add(cancels);
            EpilogueCase powers = make("scales that are powers of two", 2);
            for (Code* scale : {&powers.operands.scale_a, &powers.operands.scale_b, &powers.d_scale})
                *scale &= ~fp32.fraction_mask();
            add(powers);
            add(near("D near its largest value", i % 2 == 0 ? 0x43E80000 : 0x47700000, i % 3 - 1)); // 464, 61440
            add(near("D near its smallest value", i % 2 == 0 ? 0x3A800000 : 0x37000000, i % 3 - 1));
            // 2 k + 1 of the 16 steps of a binade and a half.
            add(near("value x scale of D rounded to a tie", 0x3F880000 + (random_.below(8) << 20U), 0));
        }
        // Specials once each.
        special("a scale of zero", 0);
        special("a scale of -0", fp32.sign_bit());
        special("a negative scale", 0xBFC00001);
        special("a subnormal scale", 0x00345678);
        special("the largest scale", fp32.max_code());
        EpilogueCase minus_zero = make("a bias of -0 and a sum of zero", 1);
        for (Code& code : minus_zero.product.a) code = 0;
        minus_zero.operands.bias = fp32.sign_bit();
        add(minus_zero);
        special("a scale of Inf", inf);
        EpilogueCase bias = make("a bias of -Inf", 1);
        bias.operands.bias = inf | fp32.sign_bit();
        add(bias);
        special("a scale of NaN", nan);
        return std::move(cases_);
    }

    [[nodiscard]] const DotCases& asked() const { return asked_; }

  private:
    [[nodiscard]] Code sign() { return random_.below(2) == 0 ? fp32.sign_bit() : 0; }
    /// A number of FP32 near 2^exponent, with all bits of its fraction.
    [[nodiscard]] Code number(int exponent, int spread = 0) {
        const auto of = static_cast<int>(random_.below(static_cast<std::uint64_t>(2 * spread + 1)));
        return static_cast<Code>(exponent + of - spread + fp32.bias) << static_cast<unsigned>(fp32.fraction_bits) |
               (random_() & fp32.fraction_mask());
    }
    /// Whole and half numbers up to 3: each sum of their products has 7 bits.
    [[nodiscard]] DotCase product() {
        const Format& element = *asked_.format.a;
        DotCase dot_case;
        for (std::vector<Code>* codes : {&dot_case.a, &dot_case.b}) {
            codes->assign(nvfp4_ ? nvfp4_block : products, 0);
            for (std::size_t i = 0; i < products; ++i) {
                const exact::Rational half_numbers[] = {{1, 2}, {1}, {3, 2}, {2}, {3}};
                const Code magnitude = exact::encode(element, half_numbers[random_.below(5)]);
                (*codes)[i] = magnitude | (random_.below(3) == 0 ? element.sign_bit() : 0);
            }
        }
        if (nvfp4_) {
            dot_case.scales_a.assign(1, exact::encode(formats::ue4m3, exact::Rational(2)));
            dot_case.scales_b.assign(1, formats::ue4m3.one_code());
        }
        return dot_case;
    }
    [[nodiscard]] EpilogueCase make(std::string about, int spread) {
        EpilogueCase epilogue_case;
        epilogue_case.about = std::move(about);
        epilogue_case.product = product();
        // Of amaxes near 2688 the scale is near 1.
        const int exponent = nvfp4_ ? 11 : 0;
        epilogue_case.operands.scale_a = number(exponent, spread);
        epilogue_case.operands.scale_b = number(exponent, spread);
        epilogue_case.d_scale = number(0, spread);
        sum(epilogue_case);
        return epilogue_case;
    }
    void sum(EpilogueCase& epilogue_case) const {
        epilogue_case.operands.sum =
            exact::accumulate(accumulator("exact"), asked_.format, asked_.operands(epilogue_case.product));
    }
    /// The scale of D is that which takes the value to a number, or the next but so many.
    [[nodiscard]] EpilogueCase near(std::string about, Code target, int next) {
        EpilogueCase epilogue_case = make(std::move(about), 1);
        const Code value = exact::after_sum(epilogue_, epilogue_case.operands) & fp32.magnitude_mask();
        if (value != 0) epilogue_case.d_scale = exact::divide(fp32, target, value) + static_cast<Code>(next);
        return epilogue_case;
    }
    void special(const std::string& about, Code scale) {
        EpilogueCase epilogue_case = make(about, 1);
        epilogue_case.operands.scale_b = scale;
        add(epilogue_case);
    }
    void add(EpilogueCase epilogue_case) {
        sum(epilogue_case);
        cases_.push_back(std::move(epilogue_case));
    }

    const Epilogue& epilogue_;
    bool nvfp4_;
    DotCases asked_;
    SplitMix64 random_{31};
    std::vector<EpilogueCase> cases_;
};

/// The wrong ways that the golden cases of an epilogue must tell from it.
std::vector<Way> wrong_ways(const Epilogue& right) {
    std::vector<Way> ways;
    for (const Epilogue& epilogue : epilogues())
        if (epilogue.name != right.name) ways.push_back({&epilogue});
    for (const auto member :
         {&Way::without_bias, &Way::bias_first, &Way::without_d, &Way::inverse_d, &Way::through_bf16, &Way::d_at_once})
        ways.emplace_back(Way{&right}).*member = true;
    return ways;
}

/// The first case of each kind, and of the others those that tell a way that few before them do.
std::vector<bool> chosen(const Epilogue& epilogue, const std::vector<EpilogueCase>& cases,
                         const std::vector<Answer>& answers) {
    std::vector<bool> kept(cases.size(), false);
    std::set<std::string_view> kinds;
    for (std::size_t i = 0; i < cases.size(); ++i) kept[i] = kinds.insert(cases[i].about).second;
    for (const Way& way : wrong_ways(epilogue)) {
        std::size_t told = 0;
        for (const bool already : {true, false})
            for (std::size_t i = 0; i < cases.size() && told < times_told; ++i) {
                if (kept[i] != already || answer_of(cases[i], way) == answers[i]) continue;
                kept[i] = true;
                ++told;
            }
        if (told < times_told)
            throw std::logic_error("a way of the epilogue " + std::string(epilogue.name) + " is not told");
    }
    return kept;
}

} // namespace

std::string epilogue_file(const Epilogue& epilogue) { return "epilogue-" + std::string(epilogue.name) + ".csv"; }

std::string golden_epilogue(const Epilogue& epilogue) {
    EpilogueMaker maker(epilogue);
    const std::vector<EpilogueCase> cases = maker.take();
    std::vector<Answer> answers;
    for (const EpilogueCase& epilogue_case : cases) answers.push_back(answer_of(epilogue_case, {&epilogue}));
    const std::vector<bool> kept = chosen(epilogue, cases, answers);

    GoldenProducts sums{maker.asked(), {}};
    std::vector<std::string> rest; // of each row
    std::optional<Code> amax = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!kept[i]) continue;
        const auto& [about, product, operands, d_scale] = cases[i];
        must_agree(epilogue, cases[i], answers[i]);
        sums.asked.cases.push_back(product);
        sums.asked.cases.back().about = about;
        sums.answers.push_back(operands.sum);
        if (fp32.is_nan(answers[i].value)) amax.reset();
        if (amax) amax = std::max(*amax, answers[i].value & fp32.magnitude_mask());
        std::string& row = rest.emplace_back();
        const auto field = [&](const std::optional<Code>& code, const Format& format) {
            row += "," + (code ? hex(*code, format) : std::string());
        };
        field(operands.scale_a, fp32);
        field(operands.scale_b, fp32);
        field(operands.bias, fp32);
        field(answers[i].value, fp32);
        field(amax, fp32);
        field(d_scale, fp32);
        for (std::size_t of = 0; of < outputs.size(); ++of) field(answers[i].d[of], *outputs[of]);
    }

    std::istringstream lines(write_products(sums));
    std::string text;
    std::string line;
    std::getline(lines, line);
    text = line + ",scale_a,scale_b,bias,value,amax,d_scale";
    for (const Format* output : outputs) text += "," + std::string(output->name);
    text += "\n";
    for (const std::string& row : rest) {
        std::getline(lines, line);
        text += line + row + "\n";
    }
    return text;
}

} // namespace mxcert

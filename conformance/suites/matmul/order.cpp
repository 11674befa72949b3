// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/order.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/suites/matmul/ask_sums.hpp"
#include "conformance/suites/matmul/cases.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/cases/dot_cases.hpp"

namespace mxcert::suites {
namespace {

using Terms = std::vector<std::size_t>;

std::size_t count_of(const SumNode& node) {
    if (node.parts.empty()) return 1;
    std::size_t count = 0;
    for (const SumNode& part : node.parts) count += count_of(part);
    return count;
}
std::size_t first_of(const SumNode& node) { return node.parts.empty() ? node.product : first_of(node.parts.front()); }

/// Answers that no tree gives.
struct NoTree {};

class TreeFinder {
  public:
    TreeFinder(std::size_t terms, const AskPairs& ask) : terms_(terms), ask_(ask) {}

    /// The tree above these terms, which are all that is below one node.
    [[nodiscard]] SumNode tree_of(const Terms& terms) {
        SumNode node{terms.front(), {}};
        // From the first term upward: what comes to it at each node, by how many terms that has.
        std::map<std::size_t, Terms> above;
        const std::vector<std::size_t> sizes = sizes_of(terms);
        for (std::size_t i = 1; i < terms.size(); ++i) above[sizes[i - 1]].push_back(terms[i]);
        for (auto& [size, others] : above) {
            SumNode parent;
            parent.parts.push_back(std::move(node));
            while (!others.empty()) parent.parts.push_back(tree_of(take_child(others, size)));
            node = std::move(parent);
            if (count_of(node) != size) throw NoTree();
        }
        return node;
    }

  private:
    /// How many terms the smallest node has that has the first term and each of the others.
    [[nodiscard]] std::vector<std::size_t> sizes_of(const Terms& terms) {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 1; i < terms.size(); ++i) pairs.emplace_back(terms.front(), terms[i]);
        if (pairs.empty()) return {};
        std::vector<std::size_t> sizes;
        for (const std::optional<std::size_t> units : ask_(pairs)) {
            if (!units || *units + 2 > terms_) throw NoTree();
            sizes.push_back(terms_ - *units);
        }
        return sizes;
    }
    /// Takes the terms away that are below one child of the node of that size.
    [[nodiscard]] Terms take_child(Terms& terms, std::size_t size) {
        const std::vector<std::size_t> sizes = sizes_of(terms);
        Terms child{terms.front()};
        Terms left;
        for (std::size_t i = 1; i < terms.size(); ++i) (sizes[i - 1] < size ? child : left).push_back(terms[i]);
        terms = std::move(left);
        return child;
    }

    std::size_t terms_;
    const AskPairs& ask_;
};

/// A large number and a small one that a format has, as products of A and B, and as values of c.
struct Probes {
    Code large_a = 0;
    Code large_b = 0;
    Code small_a = 0;
    Code small_b = 0;
    int large = 0; ///< exponents of the products
    int small = 0;
};

int exponent(const Format& format, Code code) { return exact::floor_log2(exact::decode(format, code).magnitude); }

Probes probes_of(const Matmul& matmul) {
    const auto smallest = [](const Format& format) { return format.has_subnormals ? Code{1} : Code{0}; };
    // A partial sum in the format of D must not overflow.
    const int most = matmul.output->emax() - 1;
    Probes probes;
    const auto power = [](const Format& format, int exponent) {
        return exact::encode(format, exact::power_of_two(exponent));
    };
    const Format& a = *matmul.format.a;
    const Format& b = *matmul.format.b;
    const int of_a = std::min(exponent(a, a.max_code()), most / 2);
    const int of_b = std::min(exponent(b, b.max_code()), most - of_a);
    probes.large_a = power(a, of_a);
    probes.large_b = power(b, of_b);
    probes.large = of_a + of_b;
    probes.small_a = smallest(a);
    // D must have a code for the unit.
    const int lowest = matmul.output->emin() - matmul.output->fraction_bits;
    const int small_of_a = exponent(a, probes.small_a);
    const int small_of_b = std::max(exponent(b, smallest(b)), lowest - small_of_a);
    probes.small_b = power(b, small_of_b);
    probes.small = small_of_a + small_of_b;
    return probes;
}

/// Sums of FP32 keep 24 bits: so much larger than all units together the large number must be.
constexpr int kept_bits = 25;

class Asker {
  public:
    Asker(observe::Subject& subject, const Operation& operation, SumOrder& order)
        : subject_(subject), operation_(operation), matmul_(as_matmul(operation)), probes_(probes_of(matmul_)),
          order_(order) {}

    void find() {
        if (!choose_terms()) return;
        if (const std::string reason = unfit(); !reason.empty()) {
            order_.reason = reason;
            return;
        }
        const AskPairs ask = [this](const auto& pairs) { return units_of(pairs); };
        order_.tree = find_tree(terms_, ask);
        if (!order_.tree) {
            order_.of_first = true;
            order_.tree = find_tree(terms_, ask);
        }
        if (order_.tree) {
            number(*order_.tree);
            return;
        }
        order_.of_first = false;
        order_.reason = "no fixed order gives these answers";
    }

  private:
    /// Which products are looked at.
    bool choose_terms() {
        const int spare = probes_.large - probes_.small - kept_bits;
        const bool has_scales = matmul_.format.scale_a != nullptr;
        if (spare < 3) {
            order_.reason =
                fmt::format("{} and {} have too few binades to tell products apart{}", matmul_.format.a->name,
                            matmul_.format.b->name, has_scales ? " under one scale" : "");
            return false;
        }
        const std::size_t most =
            std::min<std::size_t>(256, std::size_t{1} << static_cast<unsigned>(std::min(spare, 10)));
        order_.every = (order_.products + most - 1) / most;
        terms_ = (order_.products + order_.every - 1) / order_.every;
        if (has_c_term()) ++terms_;
        return true;
    }
    [[nodiscard]] bool has_c_term() const {
        if (!matmul_.has_c) return false;
        const Format& c = *matmul_.format.c;
        return exponent(c, c.max_code()) >= probes_.large &&
               exact::floor_log2(exact::decode(c, c.has_subnormals ? 1 : 0).magnitude) <= probes_.small;
    }
    [[nodiscard]] bool is_c(std::size_t term) const { return term * order_.every >= order_.products; }

    /// A sum whose terms are units but for those that are large or their negative.
    [[nodiscard]] DotCase sum_of(std::optional<std::size_t> large, std::optional<std::size_t> negative) const {
        DotCase sum;
        sum.about = "the order of a sum";
        sum.a.assign(order_.products, code_of(*matmul_.format.a, 0));
        sum.b.assign(order_.products, code_of(*matmul_.format.b, 0));
        for (std::size_t term = 0; term < terms_; ++term) {
            const bool is_large = term == large || term == negative;
            if (is_c(term)) {
                const Format& c = *matmul_.format.c;
                sum.c = exact::encode(c, exact::power_of_two(is_large ? probes_.large : probes_.small));
                if (term == negative) sum.c |= c.sign_bit();
                continue;
            }
            Code& a = sum.a[term * order_.every];
            a = is_large ? probes_.large_a : probes_.small_a;
            sum.b[term * order_.every] = is_large ? probes_.large_b : probes_.small_b;
            if (term == negative) a |= matmul_.format.a->sign_bit();
        }
        return sum;
    }
    [[nodiscard]] std::vector<Code> answers_of(std::vector<DotCase> sums) {
        order_.asked += sums.size();
        DotCases cases{matmul_.format, matmul_.a_scale.along, matmul_.b_scale.along, std::move(sums)};
        AskedSums asked = ask_sums(subject_, operation_, matmul_, cases, order_.of_first);
        if (asked.failed.status != Status::pass) throw std::runtime_error(asked.failed.reason);
        return asked.answers;
    }
    /// How many units an answer is.
    [[nodiscard]] std::optional<std::size_t> units(Code answer) const {
        const exact::Value value = exact::decode(*matmul_.output, answer);
        if (value.kind != exact::Kind::finite || value.negative) return std::nullopt;
        for (std::size_t count = 0; count <= terms_; ++count)
            if (value.magnitude == exact::times_power_of_two(exact::Integer(count), probes_.small)) return count;
        return std::nullopt;
    }
    [[nodiscard]] std::vector<std::optional<std::size_t>>
    units_of(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
        std::vector<DotCase> sums;
        sums.reserve(pairs.size());
        for (const auto& [large, negative] : pairs) sums.push_back(sum_of(large, negative));
        std::vector<std::optional<std::size_t>> all;
        for (const Code answer : answers_of(std::move(sums))) all.push_back(units(answer));
        return all;
    }
    /// Why the order does not show: small numbers are lost where there is nothing large, or kept beside it.
    [[nodiscard]] std::string unfit() {
        const std::vector<Code> answers =
            answers_of({sum_of({}, {}), sum_of(0, {}), sum_of(terms_ - 1, {}), sum_of(0, 1), sum_of(0, terms_ - 1)});
        if (units(answers[0]) != terms_) return "the smallest numbers are lost, so nothing is left to count";
        const auto is_large = [&](Code answer) {
            const exact::Value value = exact::decode(*matmul_.output, answer);
            return value.kind == exact::Kind::finite && value.magnitude == exact::power_of_two(probes_.large);
        };
        // A product is added to one other at once, not to two.
        const bool both_alone = terms_ > 2 && units(answers[3]) == terms_ - 2 && units(answers[4]) == terms_ - 2;
        if (!is_large(answers[1]) || !is_large(answers[2]) || both_alone)
            return "no product is lost beside a large one: sums are exact, or have more bits than FP32";
        return {};
    }
    /// The numbers of the products for those of the terms.
    void number(SumNode& node) const {
        if (node.parts.empty()) node.product = is_c(node.product) ? order_.products : node.product * order_.every;
        for (SumNode& part : node.parts) number(part);
    }

    observe::Subject& subject_;
    const Operation& operation_;
    Matmul matmul_;
    Probes probes_;
    SumOrder& order_;
    std::size_t terms_ = 0;
};

/// Whether a part is another one with all its products so much further.
bool is_alike(const SumNode& part, const SumNode& other_part, std::size_t distance) {
    if (part.parts.size() != other_part.parts.size()) return false;
    if (part.parts.empty()) return part.product + distance == other_part.product;
    for (std::size_t i = 0; i < part.parts.size(); ++i)
        if (!is_alike(part.parts[i], other_part.parts[i], distance)) return false;
    return true;
}

/// The first part of a sum, and the parts that each step adds.
struct Chain {
    const SumNode* begin = nullptr;
    std::vector<std::vector<const SumNode*>> steps;
};
Chain chain_of(const SumNode& tree) {
    Chain chain{&tree, {}};
    const auto is_sum = [](const SumNode& node) { return !node.parts.empty(); };
    while (std::count_if(chain.begin->parts.begin(), chain.begin->parts.end(), is_sum) == 1) {
        const auto sum = std::find_if(chain.begin->parts.begin(), chain.begin->parts.end(), is_sum);
        std::vector<const SumNode*>& step = chain.steps.emplace_back();
        for (const SumNode& part : chain.begin->parts)
            if (&part != &*sum) step.push_back(&part);
        chain.begin = &*sum;
    }
    std::reverse(chain.steps.begin(), chain.steps.end());
    return chain;
}

class Words {
  public:
    explicit Words(std::size_t products) : products_(products) {}

    [[nodiscard]] std::string of(const SumNode& tree) const {
        if (tree.parts.empty()) return name(tree);
        const Chain chain = chain_of(tree);
        if (count_of(tree) > 2 && is_in_pairs(tree))
            return list(leaves_of(tree)) + " in pairs, their sums in pairs, and so on";
        if (const std::vector<const SumNode*> sums = equal_sums(tree); !sums.empty())
            return (sums.size() == 2 ? "sums added: " : "sums added one after the other: ") + repeated(sums);
        if (chain.steps.empty()) return of_parts(tree);
        const bool one_each =
            std::all_of(chain.steps.begin(), chain.steps.end(), [](const auto& step) { return step.size() == 1; });
        // Products alone, from the first two on; c before the other one.
        if (one_each && chain.begin->parts.size() == 2 && is_flat(*chain.begin)) {
            std::vector<const SumNode*> all{&chain.begin->parts[0], &chain.begin->parts[1]};
            const std::size_t next = chain.steps.front().front()->product;
            const bool falls = next < all[0]->product && all[0]->product < all[1]->product;
            if (all[1]->product == products_ || falls) std::swap(all[0], all[1]);
            for (const auto& step : chain.steps) all.push_back(step.front());
            return list(all) + " one after the other";
        }
        std::vector<SumNode> steps;
        for (const auto& step : chain.steps) {
            SumNode& together = steps.emplace_back();
            for (const SumNode* part : step) together.parts.push_back(*part);
        }
        std::vector<const SumNode*> all;
        for (const SumNode& step : steps) all.push_back(&step);
        return of(*chain.begin) + ", then with the sum so far: " + repeated(all);
    }

  private:
    [[nodiscard]] static bool is_in_pairs(const SumNode& node) {
        return node.parts.empty() || (node.parts.size() == 2 && is_in_pairs(node.parts[0]) &&
                                      is_in_pairs(node.parts[1]) && count_of(node.parts[0]) == count_of(node.parts[1]));
    }
    [[nodiscard]] static std::vector<const SumNode*> leaves_of(const SumNode& node) {
        if (node.parts.empty()) return {&node};
        std::vector<const SumNode*> leaves;
        for (const SumNode& part : node.parts) std::ranges::copy(leaves_of(part), std::back_inserter(leaves));
        return leaves;
    }
    /// The sums of which a tree is made one after the other, if the first two of them are alike.
    [[nodiscard]] static std::vector<const SumNode*> equal_sums(const SumNode& tree) {
        std::vector<const SumNode*> later;
        for (const SumNode* node = &tree; node->parts.size() == 2 && !node->parts[0].parts.empty();) {
            const SumNode& first = node->parts[0];
            const SumNode& second = node->parts[1];
            later.push_back(&second);
            if (is_alike(first, second, first_of(second) - first_of(first))) {
                later.push_back(&first);
                std::reverse(later.begin(), later.end());
                return later;
            }
            node = &first;
        }
        return {};
    }
    [[nodiscard]] std::string name(const SumNode& product) const {
        return product.product == products_ ? "c" : std::to_string(product.product);
    }
    [[nodiscard]] static bool is_flat(const SumNode& node) {
        return std::all_of(node.parts.begin(), node.parts.end(),
                           [](const SumNode& part) { return part.parts.empty(); });
    }
    [[nodiscard]] std::string of_parts(const SumNode& node) const {
        std::vector<const SumNode*> all;
        for (const SumNode& part : node.parts) all.push_back(&part);
        if (is_flat(node)) return all.size() == 1 ? name(*all[0]) : list(all) + (all.size() == 2 ? "" : " at once");
        return "sums added" + std::string(all.size() == 2 ? "" : " at once") + ": " + repeated(all);
    }
    /// Parts as "A, B", those at one distance as "A ... Z (26)".
    [[nodiscard]] std::string repeated(const std::vector<const SumNode*>& all) const {
        std::string words;
        for (std::size_t first = 0; first < all.size();) {
            std::size_t end = first + 1;
            if (end < all.size() && first_of(*all[end]) > first_of(*all[first])) {
                const std::size_t distance = first_of(*all[end]) - first_of(*all[first]);
                while (end < all.size() && is_alike(*all[end - 1], *all[end], distance)) ++end;
            }
            if (end - first < 3) end = first + 1;
            words += (words.empty() ? "" : "; ") + part(*all[first]);
            if (end - first > 1) words += fmt::format(" ... {} ({})", part(*all[end - 1]), end - first);
            first = end;
        }
        return words;
    }
    [[nodiscard]] std::string part(const SumNode& node) const {
        if (node.parts.empty()) return name(node);
        const SumNode& only = node.parts.size() == 1 ? node.parts.front() : node;
        if (only.parts.empty()) return name(only);
        if (is_flat(only)) {
            std::vector<const SumNode*> all;
            for (const SumNode& leaf : only.parts) all.push_back(&leaf);
            return list(all);
        }
        return "[" + of(only) + "]";
    }
    /// Products at one distance as "0 to 31", "31 to 0" or "0, 2 to 30".
    [[nodiscard]] std::string list(const std::vector<const SumNode*>& products) const {
        std::string words;
        for (std::size_t first = 0; first < products.size();) {
            const auto step = [&](std::size_t i) {
                return static_cast<std::int64_t>(products[i]->product) -
                       static_cast<std::int64_t>(products[i - 1]->product);
            };
            const auto is_named = [&](std::size_t i) { return products[i]->product == products_; };
            std::size_t end = first + 1;
            if (end < products.size() && !is_named(first) && !is_named(end)) {
                const std::int64_t distance = step(end++);
                while (end < products.size() && !is_named(end) && step(end) == distance) ++end;
                if (end - first < 3) end = first + 1;
            }
            const bool is_range = end - first > 1;
            words += (words.empty() ? "" : ", ") + name(*products[first]);
            if (is_range && std::abs(step(first + 1)) != 1) words += ", " + name(*products[first + 1]);
            if (is_range) words += " to " + name(*products[end - 1]);
            first = end;
        }
        return words;
    }

    std::size_t products_;
};

} // namespace

std::optional<SumNode> find_tree(std::size_t terms, const AskPairs& ask) {
    Terms all(terms);
    for (std::size_t i = 0; i < terms; ++i) all[i] = i;
    try {
        SumNode tree = TreeFinder(terms, ask).tree_of(all);
        return count_of(tree) == terms ? std::optional(std::move(tree)) : std::nullopt;
    } catch (const NoTree&) {
        return std::nullopt;
    }
}

SumOrder find_order(observe::Subject& subject, const Operation& operation, std::size_t products) {
    SumOrder order;
    order.products = products;
    try {
        Asker(subject, operation, order).find();
    } catch (const std::runtime_error& error) {
        order.tree.reset();
        order.reason = error.what();
    }
    return order;
}

std::string text(const SumNode& tree, std::size_t products) { return Words(products).of(tree); }

std::string plan(const SumNode& tree, std::size_t products) {
    if (tree.parts.empty()) return tree.product == products ? "\"c\"" : std::to_string(tree.product);
    std::string all;
    for (const SumNode& part : tree.parts) all += (all.empty() ? "" : ",") + plan(part, products);
    return "[" + all + "]";
}

} // namespace mxcert::suites

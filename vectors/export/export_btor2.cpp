// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "vectors/export/decision_tree.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/export/permit_conditions.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert {
namespace {

/// The lines of a model. Each defines a node, whose number the lines after it name.
class Model {
  public:
    explicit Model(std::string head) : text_(std::move(head)) {}

    /// A line that defines a node: its number.
    std::string add(const std::string& line) {
        const std::string node = std::to_string(++nodes_);
        text_ += node + ' ' + line + '\n';
        return node;
    }
    /// The number of a node that is defined by its first use.
    std::string once(const std::string& line) {
        std::string& node = known_[line];
        if (node.empty()) node = add(line);
        return node;
    }
    std::string bits(int width) { return once(fmt::format("sort bitvec {}", width)); }
    std::string constant(Code code, int width) {
        return once(fmt::format("const {} {:0{}b}", bits(width), code, width));
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
    std::size_t nodes_ = 0;
    std::map<std::string, std::string> known_; ///< node by line
};

} // namespace

std::string export_btor2(const PermitTable& table, const ExportOptions& options) {
    const decision_tree::Rows rows = decision_tree::rows_of(table);
    const int width = table.from->width();
    Model model(fmt::format("; {}, {}\n; Whether a code is right for an input: {} steps, {} different ones.\n",
                            options.name, options.note, rows.rows.size(), rows.permits.size()));
    const std::string truth = model.bits(1);
    const std::string x = model.add(fmt::format("input {} x", model.bits(width)));
    const std::string code = model.add(fmt::format("input {} code", model.bits(table.to->width())));
    const ConditionWords conditions{[&](Code constant) {
                                        const std::string node = model.constant(constant, table.to->width());
                                        return model.once(fmt::format("eq {} {} {}", truth, code, node));
                                    },
                                    [&](int bits, Code constant) {
                                        const std::string part = model.once(
                                            fmt::format("slice {} {} {} 0", model.bits(bits), code, bits - 1));
                                        const std::string node = model.constant(constant, bits);
                                        return model.once(fmt::format("ugt {} {} {}", truth, part, node));
                                    }};
    std::vector<std::string> permits;
    for (const Permit& permit : rows.permits) {
        std::string any = model.constant(0, 1);
        for (const std::string& condition : conditions_of(permit, *table.to, conditions))
            any = model.once(fmt::format("or {} {} {}", truth, any, condition));
        permits.push_back(any);
    }
    const decision_tree::Words words{[&](Code last, const std::string& low, const std::string& high) {
                                         const std::string end = model.constant(last, width);
                                         const std::string is_low =
                                             model.add(fmt::format("ulte {} {} {}", truth, x, end));
                                         return model.add(fmt::format("ite {} {} {} {}", truth, is_low, low, high));
                                     },
                                     [&](std::size_t permit) { return permits[permit]; }};
    const std::string root = tree_of(rows, words);
    model.add(fmt::format("output {} permitted", root));
    return model.text();
}

} // namespace mxcert

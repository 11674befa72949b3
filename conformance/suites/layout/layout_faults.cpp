// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/layout/layout_faults.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace mxcert::suites {
namespace {

/// The offset in a padded matrix that is stored row by row, and back.
std::uint64_t in_rows(const ScaleMap& map, const Place& place) {
    return place.row * map.padded().columns + place.column;
}
Place from_rows(const ScaleMap& map, std::uint64_t offset) {
    return {offset / map.padded().columns, offset % map.padded().columns};
}

/// Scales in the digits of a layout that have a radix of their own: a tile of 128x4 has 512.
std::uint64_t tile_size(const ScaleMap& map) {
    std::uint64_t size = 1;
    for (const Digit& digit : map.layout().digits)
        if (digit.radix != Digit::rest) size *= digit.radix;
    return size;
}
std::uint64_t tile_side(const ScaleMap& map, Axis axis) {
    const auto& digits = map.layout().digits;
    return std::find_if(digits.begin(), digits.end(),
                        [&](const Digit& digit) { return digit.axis == axis && digit.radix == Digit::rest; })
        ->step;
}

/// What the first digit of an offset counts: scales in a row of tiles, or in a row; and what it would without padding.
struct Stride {
    std::uint64_t right;
    std::uint64_t unpadded;
};
Stride first_stride(const ScaleMap& map) {
    const Digit& first = map.layout().digits.front();
    const bool rows = first.axis == Axis::row;
    return {(rows ? map.padded().columns : map.padded().rows) * first.step,
            (rows ? map.scales().columns : map.scales().rows) * first.step};
}

/// The same layout with neighbouring digits that are one written as one.
ScaleLayout merged(ScaleLayout layout) {
    auto& digits = layout.digits;
    for (std::size_t i = digits.size() - 1; i-- > 0;) {
        const Digit& low = digits[i + 1];
        if (low.radix == Digit::rest || digits[i].axis != low.axis || digits[i].step != low.step * low.radix) continue;
        digits[i] = {low.axis, low.step, digits[i].radix == Digit::rest ? Digit::rest : digits[i].radix * low.radix};
        std::move(digits.begin() + static_cast<std::ptrdiff_t>(i) + 2, digits.end(),
                  digits.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        digits.back() = {};
    }
    return layout;
}

/// A wrong layout that is no other list of digits. Both functions are those of ScaleMap as the wrong one has them, in
/// the padded matrix; one that only shows in one direction lacks the other.
struct Fault {
    std::string_view name;
    std::string_view bug_class;
    std::string_view says;
    Place (*place_of)(const ScaleMap&, std::uint64_t offset);
    std::uint64_t (*offset_of)(const ScaleMap&, const Place&);
};

constexpr Fault faults[] = {
    {"inverse", "LAYOUT_MISMATCH", "the inverse of the layout, on the padded matrix",
     [](const ScaleMap& m, std::uint64_t o) { return from_rows(m, m.offset_of(from_rows(m, o))); },
     [](const ScaleMap& m, const Place& p) { return in_rows(m, m.padded_place_of(in_rows(m, p))); }},
    {"twice", "LAYOUT_MISMATCH", "the layout of what is in the layout already",
     [](const ScaleMap& m, std::uint64_t o) { return m.padded_place_of(in_rows(m, m.padded_place_of(o))); },
     [](const ScaleMap& m, const Place& p) { return m.offset_of(from_rows(m, m.offset_of(p))); }},
    {"words_reversed", "LAYOUT_MISMATCH", "the four bytes of each word in reverse",
     [](const ScaleMap& m, std::uint64_t o) { return m.padded_place_of((o ^ 3U) < m.size() ? o ^ 3U : o); },
     [](const ScaleMap& m, const Place& p) {
         const std::uint64_t o = m.offset_of(p);
         return (o ^ 3U) < m.size() ? o ^ 3U : o;
     }},
    {"first_tile_repeated", "SCALE_REUSED_ACROSS_TILES", "the first tile in the place of every tile",
     [](const ScaleMap& m, std::uint64_t o) { return m.padded_place_of(o % tile_size(m)); },
     [](const ScaleMap& m, const Place& p) { return m.offset_of(p) % tile_size(m); }},
    {"row_tiles_repeated", "SCALE_REUSED_ACROSS_TILES", "the first row of tiles in the place of every row of tiles",
     [](const ScaleMap& m, std::uint64_t o) {
         const Place p = m.padded_place_of(o);
         return Place{p.row % tile_side(m, Axis::row), p.column};
     },
     [](const ScaleMap& m, const Place& p) {
         return m.offset_of({p.row % tile_side(m, Axis::row), p.column});
     }},
    {"column_tiles_repeated", "SCALE_REUSED_ACROSS_TILES",
     "the first column of tiles in the place of every column of tiles",
     [](const ScaleMap& m, std::uint64_t o) {
         const Place p = m.padded_place_of(o);
         return Place{p.row, p.column % tile_side(m, Axis::column)};
     },
     [](const ScaleMap& m, const Place& p) {
         return m.offset_of({p.row, p.column % tile_side(m, Axis::column)});
     }},
    {"unpadded_stride", "SWIZZLE_PAD_AXIS",
     "tiles or rows as far apart as without padding, later ones over earlier ones",
     [](const ScaleMap& m, std::uint64_t o) {
         const Stride stride = first_stride(m);
         const std::uint64_t first = std::min(o / stride.unpadded, m.size() / stride.right - 1);
         const std::uint64_t in_first = o - first * stride.unpadded;
         return in_first < stride.right ? m.padded_place_of(first * stride.right + in_first)
                                        : Place{m.padded().rows, 0};
     },
     [](const ScaleMap& m, const Place& p) {
         const Stride stride = first_stride(m);
         const std::uint64_t o = m.offset_of(p);
         return o / stride.right * stride.unpadded + o % stride.right;
     }},
    {"edge_padding", "PADDED_SCALES_GARBAGE", "padded with the last row and column",
     [](const ScaleMap& m, std::uint64_t o) {
         const Place p = m.padded_place_of(o);
         return Place{std::min(p.row, m.scales().rows - 1), std::min(p.column, m.scales().columns - 1)};
     },
     nullptr},
    {"wrapped_padding", "PADDED_SCALES_GARBAGE", "padded with the rows and columns from the first on",
     [](const ScaleMap& m, std::uint64_t o) {
         const Place p = m.padded_place_of(o);
         return Place{p.row % m.scales().rows, p.column % m.scales().columns};
     },
     nullptr},
};

/// A case as the makers see it.
struct Frame {
    bool arranges;
    ScaleMap map;
    std::uint64_t operand;

    [[nodiscard]] Origin of_scale(const Place& place) const {
        const Extent& scales = map.scales();
        if (place.row >= scales.rows || place.column >= scales.columns) return {Origin::padding};
        return {Origin::operand, place.row * scales.columns + place.column};
    }
    [[nodiscard]] Origin of_buffer(std::uint64_t offset) const {
        return offset < operand ? Origin{Origin::operand, offset} : Origin{Origin::unknown};
    }
    [[nodiscard]] Place answer_place(std::uint64_t index) const {
        return {index / map.scales().columns, index % map.scales().columns};
    }
};

class Makers {
  public:
    explicit Makers(const LayoutCase& layout_case)
        : frame_{layout_case.direction == LayoutDirection::arrange, layout_case.map(), layout_case.operand_size()},
          map_(frame_.map) {}

    void add_all() {
        add_digits();
        for (const Fault& fault : faults) add_fault(fault);
        add_transposed();
        makers.push_back({"constant", "one byte everywhere", "CONSTANT_ANSWER",
                          [](std::uint64_t) { return Origin{Origin::padding}; }});
    }

    std::vector<LayoutMaker> makers;

  private:
    /// A layout in the place of the right one.
    void add(std::string name, std::string says, std::string_view bug_class, const ScaleLayout& layout) {
        const ScaleLayout one_way = merged(layout);
        const auto same = [&](const ScaleLayout& other_layout) {
            return other_layout.digits == one_way.digits && other_layout.multiple == one_way.multiple;
        };
        if (std::any_of(added_.begin(), added_.end(), same)) return;
        added_.push_back(one_way);
        const auto of_table = std::find_if(all_layouts().begin(), all_layouts().end(),
                                           [&](const ScaleLayout& known) { return same(merged(known)); });
        const std::string_view known = of_table == all_layouts().end() ? std::string_view{} : of_table->name;
        const ScaleMap map(layout, map_.scales());
        std::function<Origin(std::uint64_t)> origin;
        if (frame_.arranges)
            origin = [f = frame_, map](std::uint64_t offset) {
                if (offset >= map.size()) return Origin{Origin::padding};
                return f.of_scale(map.padded_place_of(offset));
            };
        else
            origin = [f = frame_, map](std::uint64_t index) {
                return f.of_buffer(map.offset_of(f.answer_place(index)));
            };
        makers.push_back({std::move(name), std::move(says), bug_class, std::move(origin), known});
    }

    void add_digits() {
        const ScaleLayout& right = map_.layout();
        add("right", "as it should be", "", right);
        const ScaleLayout& linear = find_layout("linear");
        ScaleLayout padded = linear;
        padded.multiple = right.multiple;
        add("not_arranged", "padded, and left row by row", "ROWMAJOR_VS_SWIZZLED", padded);
        add("not_padded", "left row by row without padding", "ROWMAJOR_VS_SWIZZLED", linear);
        ScaleLayout other_axis = right;
        other_axis.multiple = {right.multiple.columns, right.multiple.rows};
        for (Digit& digit : other_axis.digits) digit.axis = digit.axis == Axis::row ? Axis::column : Axis::row;
        add("other_axis", "rows taken for columns: the layout of blocks along the other axis", "WRONG_AXIS",
            other_axis);
        for (std::size_t i = 0; i < right.digits.size(); ++i)
            for (std::size_t j = i + 1; j < right.digits.size(); ++j) add_exchanged(i, j);
        for (const ScaleLayout& layout : all_layouts())
            add("layout " + std::string(layout.name), "the layout " + std::string(layout.name), "LAYOUT_MISMATCH",
                layout);
    }

    void add_exchanged(std::size_t i, std::size_t j) {
        ScaleLayout exchanged = map_.layout();
        std::swap(exchanged.digits[i], exchanged.digits[j]);
        const Digit& a = map_.layout().digits[i];
        const Digit& b = map_.layout().digits[j];
        if (a.radix == 1 || b.radix == 1) return;
        if (a.radix == Digit::rest && b.radix == Digit::rest)
            add("tile_order", "tiles in the order of the other axis", "LAYOUT_MISMATCH", exchanged);
        else
            add("exchanged " + digit_text(a) + " " + digit_text(b), "these two digits of the offset exchanged",
                "LAYOUT_MISMATCH", exchanged);
    }
    static std::string digit_text(const Digit& digit) {
        return std::string(digit.axis == Axis::row ? "row" : "column") +
               (digit.step == 1 ? "" : "/" + std::to_string(digit.step)) +
               (digit.radix == Digit::rest ? "" : "%" + std::to_string(digit.radix));
    }

    void add_fault(const Fault& fault) {
        if (frame_.arranges)
            makers.push_back(
                {std::string(fault.name), std::string(fault.says), fault.bug_class,
                 [f = frame_, &fault](std::uint64_t offset) { return f.of_scale(fault.place_of(f.map, offset)); }});
        else if (fault.offset_of != nullptr)
            makers.push_back({std::string(fault.name), std::string(fault.says), fault.bug_class,
                              [f = frame_, &fault](std::uint64_t index) {
                                  return f.of_buffer(fault.offset_of(f.map, f.answer_place(index)));
                              }});
    }

    /// The scales row by row taken to be column by column; and taken to have as many rows as they have columns.
    void add_transposed() {
        const Extent scales = map_.scales();
        const ScaleMap turned(map_.layout(), {scales.columns, scales.rows});
        const std::string transposed_says = "the scales read or written column by column";
        const std::string extent_says = "rows and columns of the scales confused";
        if (frame_.arranges) {
            makers.push_back({"transposed", transposed_says, "WRONG_AXIS", [f = frame_, scales](std::uint64_t offset) {
                                  const auto place = f.map.place_of(offset);
                                  if (!place) return Origin{Origin::padding};
                                  return Origin{Origin::operand, place->column * scales.rows + place->row};
                              }});
            makers.push_back({"extent_confused", extent_says, "WRONG_AXIS", [scales, turned](std::uint64_t offset) {
                                  if (offset >= turned.size()) return Origin{Origin::padding};
                                  const auto place = turned.place_of(offset);
                                  if (!place) return Origin{Origin::padding};
                                  return Origin{Origin::operand, place->row * scales.rows + place->column};
                              }});
        } else {
            makers.push_back({"transposed", transposed_says, "WRONG_AXIS", [f = frame_, scales](std::uint64_t index) {
                                  return f.of_buffer(f.map.offset_of({index % scales.rows, index / scales.rows}));
                              }});
            makers.push_back(
                {"extent_confused", extent_says, "WRONG_AXIS", [f = frame_, scales, turned](std::uint64_t index) {
                     return f.of_buffer(turned.offset_of({index / scales.rows, index % scales.rows}));
                 }});
        }
    }

    Frame frame_;
    ScaleMap map_;
    std::vector<ScaleLayout> added_;
};

} // namespace

std::vector<LayoutMaker> layout_makers(const LayoutCase& layout_case) {
    Makers makers(layout_case);
    makers.add_all();
    return std::move(makers.makers);
}

std::vector<std::uint8_t> made_answer(const LayoutCase& layout_case, const LayoutMaker& maker,
                                      const std::vector<std::uint8_t>& operand, std::uint8_t padding) {
    std::vector<std::uint8_t> answer(static_cast<std::size_t>(layout_case.answer_size()), padding);
    for (std::size_t i = 0; i < answer.size(); ++i) {
        const Origin origin = maker.origin(i);
        if (origin.kind == Origin::operand) answer[i] = operand[static_cast<std::size_t>(origin.index)];
    }
    return answer;
}

} // namespace mxcert::suites

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/suites/blocks/join_fault.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "conformance/suites/nvfp4/way.hpp"

namespace mxcert::suites {

/// What was seen, block by block, and each tensor's scale.
class SeenTensors {
  public:
    /// It refers to the cases that were asked.
    SeenTensors(const QuantizeNvfp4& quantize, const std::vector<JoinSeen<TileCase>>& all) {
        for (const JoinSeen<TileCase>& seen : all) {
            seen_.emplace_back(quantize, *seen.asked, seen.outputs);
            for (std::uint64_t block = 0; block < seen_.back().blocks(); ++block) {
                places_.push_back({seen_.size() - 1, block});
                titles_.push_back(seen.asked);
            }
        }
    }
    [[nodiscard]] std::uint64_t count() const { return places_.size(); }
    [[nodiscard]] std::string title(std::uint64_t at) const {
        return fmt::format("{}, block {}", titles_[at]->title(places_[at].block), places_[at].block);
    }
    /// Whether a way gives a block and the scale of its tensor.
    [[nodiscard]] auto explains(const Nvfp4Way& way) const {
        return [this, way, matrix = seen_.size(), tensor = Nvfp4Tensor{}, gives = false](std::uint64_t at) mutable {
            const Place& place = places_[at];
            if (place.matrix != matrix) {
                matrix = place.matrix;
                tensor = seen_[matrix].tensor_of(way);
                gives = seen_[matrix].gives_tensor(way, tensor);
            }
            return gives && seen_[matrix].gives_block(way, tensor, place.block);
        };
    }

  private:
    struct Place {
        std::size_t matrix;
        std::uint64_t block;
    };
    std::vector<Nvfp4Seen> seen_;
    std::vector<Place> places_;
    std::vector<const TileCase*> titles_;
};

} // namespace mxcert::suites

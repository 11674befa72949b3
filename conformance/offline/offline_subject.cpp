// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "conformance/offline/offline_source.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::offline {
namespace {

class OfflineDevice final : public observe::Subject {
  public:
    OfflineDevice(OfflineIndex index, std::unique_ptr<OfflineSource> source)
        : index_(std::move(index)), source_(std::move(source)) {}

    [[nodiscard]] const observe::BackendInfo& info() const override { return source_->info(); }
    [[nodiscard]] bool is_record() const override { return true; }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return !asks_all(index_.inputs, conversion);
    }

    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                        std::vector<inputs::Point> wanted) const override {
        if (!holds_points(conversion) || !knows(conversion)) return wanted;
        std::vector<inputs::Point> points;
        for (const Code input : source_->inputs(conversion)) points.push_back({input, 0, 0});
        return points;
    }

    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        return source_->run(operation, run_case);
    }
    [[nodiscard]] std::optional<Suite> stored_suite() const override {
        return Suite{index_.seed, index_.samples_per_step};
    }

    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& /*permitted*/) override {
        if (!knows(conversion)) return absent(conversion);
        const auto began = std::chrono::steady_clock::now();
        observe::Observation seen = source_->read(conversion);
        seen.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        return seen;
    }

    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override {
        observe::Observation seen = observe(conversion, permitted);
        if (seen.status == Status::unsupported) return seen;
        std::vector<inputs::Point> picked;
        for (inputs::Point point : inputs) {
            if (answer(seen, point)) {
                picked.push_back(point);
            } else if (seen.status == Status::pass) {
                seen.status = Status::incomplete;
                seen.reason = fmt::format("input {} was not asked", code_text(*conversion.from, point.input));
            }
        }
        seen.table = {};
        seen.partial.clear();
        seen.points = std::move(picked);
        seen.inputs = seen.points.size();
        seen.repeated = std::min<std::uint64_t>(seen.repeated, seen.inputs);
        return seen;
    }

    [[nodiscard]] std::vector<std::string> filters() const override { return index_.filters; }
    [[nodiscard]] std::string selection() const override {
        std::string text;
        if (index_.inputs == OfflineInputs::boundaries) text = "--points boundaries";
        for (const std::string& filter : index_.filters) text += (text.empty() ? "--filter " : " --filter ") + filter;
        return text;
    }

  private:
    [[nodiscard]] bool knows(const Conversion& conversion) const {
        const auto& all = info().conversions;
        return std::find(all.begin(), all.end(), conversion) != all.end();
    }

    static observe::Observation absent(const Conversion& conversion) {
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = Status::unsupported;
        seen.reason = "not asked of the device, or not offered by it";
        return seen;
    }

    static bool answer(const observe::Observation& seen, inputs::Point& point) {
        if (!seen.points.empty()) {
            const auto at = std::lower_bound(seen.points.begin(), seen.points.end(), point.input,
                                             [](const inputs::Point& p, Code input) { return p.input < input; });
            if (at == seen.points.end() || at->input != point.input) return false;
            point.got = at->got;
            return true;
        }
        const std::vector<Step>& steps = seen.table.steps.empty() ? seen.partial : seen.table.steps;
        const auto at = std::lower_bound(steps.begin(), steps.end(), point.input,
                                         [](const Step& step, Code input) { return step.last < input; });
        if (at == steps.end() || at->first > point.input) return false;
        point.got = at->code;
        return true;
    }

    OfflineIndex index_;
    std::unique_ptr<OfflineSource> source_;
};

} // namespace

std::unique_ptr<observe::Subject> open_offline(const std::filesystem::path& folder,
                                               const observe::ObserveOptions& options) {
    OfflineIndex index = read_offline_index(folder);
    auto source = index.format == OfflineFormat::hex ? read_offline_hex(folder, index)
                                                     : read_offline_frames(folder, index, options);
    return std::make_unique<OfflineDevice>(std::move(index), std::move(source));
}

} // namespace mxcert::offline

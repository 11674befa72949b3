// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/edited_json.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/gate/baseline.hpp"
#include "conformance/print/text.hpp"
#include "conformance/samples.hpp"
#include "reference/bug_class.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::gate {
namespace {

constexpr std::array acknowledged{Status::fail, Status::mistrusted, Status::unsupported, Status::error};

/// Reads one file. Every error names it and the place.
class Reader {
  public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    Baseline read(const files::Json& json) {
        const files::Members top(json, file_);
        // First what the file is: of another kind every member would be unknown.
        if (top.text("schema") != baseline_schema)
            top.fail("schema", fmt::format("is not \"{}\", the one this version reads", baseline_schema));
        files::allow_members(json, file_,
                             {"schema", "tool", "vectors", "backend", "seed", "samples_per_step", "level", "profiles",
                              "deviations", "passes", "unsupported"});
        const files::Members tool = part(top, "tool", {"name", "version"});
        if (tool.text("name") != "mxcert") tool.fail("name", "is not \"mxcert\"");
        baseline_.tool_version = tool.text("version");
        const files::Members vectors = part(top, "vectors", {"version", "manifest_sha256"});
        baseline_.vectors = {vectors.text("version"), vectors.text("manifest_sha256")};
        const files::Members backend = part(top, "backend", {"name", "options"});
        baseline_.backend = backend.text("name");
        baseline_.backend_options = backend.text("options");
        baseline_.seed = top.number("seed");
        const std::uint64_t samples = top.number("samples_per_step");
        if (samples > most_samples_per_step) top.fail("samples_per_step", "is too large");
        baseline_.samples_per_step = static_cast<unsigned>(samples);
        try {
            baseline_.level = parse_level(top.text("level"));
        } catch (const std::invalid_argument& error) {
            top.fail("level", error.what());
        }
        read_profiles(top);
        read_settled(top, "passes", Status::pass);
        if (top.has("unsupported")) read_settled(top, "unsupported", Status::unsupported);
        for (const files::Json& deviation : top.array("deviations")) read_deviation(deviation);
        if (baseline_.rows.empty()) throw std::runtime_error(file_ + ": there is no row to compare with");
        return std::move(baseline_);
    }

  private:
    files::Members part(const files::Members& its_members, const char* name,
                        const std::vector<std::string_view>& members) const {
        const files::Members part = its_members.object(name);
        files::allow_members(its_members.member(name), file_ + ": " + name, members);
        return part;
    }

    void read_profiles(const files::Members& top) {
        for (const std::string& profile : top.texts("profiles")) {
            try {
                (void)find_profile(profile);
            } catch (const std::invalid_argument& error) {
                top.fail("profiles", "has an " + std::string(error.what()));
            }
            if (has_profile(profile)) top.fail("profiles", "has " + profile + " twice");
            baseline_.profiles.push_back(profile);
        }
    }

    [[nodiscard]] bool has_profile(const std::string& name) const {
        return std::find(baseline_.profiles.begin(), baseline_.profiles.end(), name) != baseline_.profiles.end();
    }

    void read_settled(const files::Members& top, const char* member, Status status) {
        const files::Members by_profile = top.object(member);
        for (const auto& [profile, rows] : top.member(member).items()) {
            const std::string where = fmt::format("{}: {}: {}", file_, member, print::printable(profile));
            for (const std::string& id : by_profile.texts(profile.c_str())) {
                (void)table(where, id);
                add(where, {profile, id}, {status, {}, {}});
            }
        }
    }

    void add(const std::string& where, const RowName& name, BaselineRow row) {
        if (!has_profile(name.first))
            throw std::runtime_error(
                fmt::format("{}: '{}' is none of 'profiles'", where, print::printable(name.first)));
        if (!baseline_.rows.emplace(name, std::move(row)).second)
            throw std::runtime_error(
                fmt::format("{}: the row {} of {} is there twice", where, print::printable(name.second), name.first));
    }

    static std::optional<Conversion> table(const std::string& where, const std::string& id) {
        try {
            return table_of_row(id);
        } catch (const std::invalid_argument& error) {
            throw std::runtime_error(
                fmt::format("{}: the row '{}': {}", where, print::printable(id), print::printable(error.what())));
        }
    }

    void read_deviation(const files::Json& json) {
        const std::string place = fmt::format("{}: deviations[{}]", file_, number_++);
        const files::Members unnamed(json, place);
        const RowName name{unnamed.text("profile"), unnamed.text("row")};
        const std::string where = fmt::format("{} ({})", place, print::printable(name.second));
        files::allow_members(json, where,
                             {"row", "profile", "reason", "owner", "expires", "status", "bugs", "differing", "ranges",
                              "answers_sha256", "ends", "says"});
        const files::Members members(json, where);
        BaselineRow row;
        row.status = status(members);
        row.by.reason = not_empty(members, "reason");
        row.by.owner = not_empty(members, "owner");
        try {
            row.by.expires = files::parse_date(members.text("expires"));
        } catch (const std::invalid_argument& error) {
            members.fail("expires", error.what());
        }
        Deviation& deviation = row.deviation.emplace();
        deviation.status = row.status;
        if (members.has("bugs")) deviation.bugs = bugs(members);
        if (members.has("differing")) deviation.differing = members.number("differing");
        if (members.has("ranges")) read_ranges(members, table(where, name.second), deviation);
        (void)table(where, name.second);
        if (members.has("answers_sha256")) {
            deviation.answers_sha256 = members.text("answers_sha256");
            if (!is_digest(deviation.answers_sha256))
                members.fail("answers_sha256", "is no SHA-256: 64 lower-case hexadecimal digits");
        }
        if (members.has("ends")) deviation.ends = members.texts("ends");
        if (members.has("says")) deviation.says = not_empty(members, "says");
        if (deviation.ranges.empty() && deviation.answers_sha256.empty() && deviation.ends.empty() &&
            deviation.says.empty())
            throw std::runtime_error(where + ": nothing says what the deviation is: 'ranges', 'answers_sha256', "
                                             "'ends' or 'says'");
        add(where, name, std::move(row));
    }

    static Status status(const files::Members& members) {
        const std::string text = members.text("status");
        for (const Status status : acknowledged)
            if (to_string(status) == text) return status;
        members.fail("status", "is none that can be acknowledged: FAIL, MISTRUSTED, UNSUPPORTED or ERROR");
    }

    static std::string not_empty(const files::Members& members, const char* name) {
        std::string text = members.text(name);
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) members.fail(name, "is empty");
        return text;
    }

    static bool is_digest(std::string_view text) {
        constexpr std::size_t digits = 64;
        return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    }

    static std::vector<std::string> bugs(const files::Members& members) {
        std::vector<std::string> ids = members.texts("bugs");
        for (const std::string& id : ids)
            if (find_bug_class(id) == nullptr)
                members.fail("bugs", fmt::format("has '{}', which is no bug class: mxcert bugs lists them",
                                                 print::printable(id)));
        return ids;
    }

    static void read_ranges(const files::Members& members, const std::optional<Conversion>& table,
                            Deviation& deviation) {
        if (!table) members.fail("ranges", "stands at a row that is no table: it has 'answers_sha256'");
        std::uint64_t inputs = 0;
        for (const std::string& text : members.texts("ranges")) {
            const Step range = parse_range(members, text, *table);
            if (!deviation.ranges.empty() && deviation.ranges.back().last >= range.first)
                members.fail("ranges",
                             fmt::format("has '{}', which does not lie behind the one before", print::printable(text)));
            inputs += range.last - range.first + 1;
            deviation.ranges.push_back(range);
        }
        if (inputs != deviation.differing)
            members.fail("differing", fmt::format("is {}, and 'ranges' has {}", print::grouped(deviation.differing),
                                                  print::counted(inputs, "input")));
    }

    static Step parse_range(const files::Members& members, const std::string& text, const Conversion& table) {
        const std::size_t space = text.find(' ');
        const std::string inputs = text.substr(0, space);
        const std::size_t dash = inputs.find('-');
        try {
            if (space == std::string::npos) throw std::invalid_argument("there is no code behind a space");
            const Code first = parse_code(inputs.substr(0, dash), *table.from);
            const Code last =
                dash == std::string::npos ? first : parse_code(std::string_view(inputs).substr(dash + 1), *table.from);
            if (last < first || (dash != std::string::npos && last == first))
                throw std::invalid_argument("the last input does not lie behind the first");
            return {first, last, parse_code(std::string_view(text).substr(space + 1), *table.to)};
        } catch (const std::invalid_argument& error) {
            members.fail("ranges", fmt::format("has '{}': {}", print::printable(text), print::printable(error.what())));
        }
    }

    std::string file_;
    Baseline baseline_;
    std::size_t number_ = 0; ///< of the deviation that is read
};

} // namespace

Baseline read_baseline(const std::filesystem::path& path) {
    return Reader(path.string()).read(files::read_edited_json(path));
}

} // namespace mxcert::gate

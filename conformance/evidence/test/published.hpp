// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/evidence/statement.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/print/version.hpp"
#include "conformance/report/stored_report.hpp"
#include "conformance/shards/ask_part.hpp"
#include "conformance/shards/json.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"

namespace mxcert::evidence {

/// A folder as it is published: out/ with a report of step tables, and the answers it rests on in out/answers/, two
/// parts. Edits are made as a forger makes them, with every checksum right that one can make right.
class Published {
  public:
    explicit Published(const std::vector<std::string>& offers, const std::vector<std::string>& filters = {},
                       std::uint64_t seed = 1) {
        test::FakeSubject subject;
        subject.info().build_id = std::string(64, 'a');
        for (const std::string& id : offers) subject.offer(id);
        verdict::CertifyOptions options;
        options.profiles = {"ocp-sat"};
        options.filters = filters;
        options.samples_per_step = 4;
        options.seed = seed;
        options.level = Level::quick;
        static verdict::GoldenSource golden;
        const certify::Plan plan = certify::make_plan(subject, options, golden);
        const std::uint64_t parts = plan.conversions.size() < 2 ? 1 : 2;
        const std::vector<shards::Unit> units = shards::units_of(plan, subject.info(), options, parts);
        shards::Shard shard;
        shard.run = shards::run_of(subject.info(), options, units, parts);
        shard.argument = "./fake.so";
        for (shard.part = 0; shard.part < parts; ++shard.part)
            (void)shards::ask_part(subject, plan, units, shard, options,
                                   out() / "answers" / std::to_string(shard.part + 1), {});
        const test::Result merged =
            test::shell(folder.path(), "mxcert merge out/answers/* -o out --no-backend --quiet");
        INFO(merged.out << merged.err);
        REQUIRE(merged.code < 2);
    }

    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }
    /// The certificate; of a report that is none, the report.
    [[nodiscard]] std::filesystem::path file() const {
        const std::filesystem::path certificate = out() / "certificate.json";
        return std::filesystem::exists(certificate) ? certificate : out() / "report.json";
    }
    [[nodiscard]] std::filesystem::path statement() const { return out() / statement_file; }
    [[nodiscard]] test::Result verify(const std::string& arguments = "") const {
        return test::shell(folder.path(), "mxcert verify " + file().string() + " --quiet " + arguments);
    }

    void edit(const std::function<void(files::Json&)>& forge) const {
        files::Json json = files::read_json(file());
        forge(json);
        json["sha256"] = report::report_checksum(json);
        files::OutputFile(file()).write(files::json_text(json));
        std::filesystem::remove(statement()); // it would tell
    }
    void edit_text(const std::function<void(std::string&)>& forge) const {
        std::string text = content(file().string());
        forge(text);
        std::ofstream(file(), std::ios::binary) << text;
    }

    /// The file of a unit, whichever part has it.
    [[nodiscard]] std::filesystem::path unit(const std::string& name) const {
        for (const auto& part : std::filesystem::directory_iterator(out() / "answers"))
            if (const auto path = shards::unit_path(part.path(), name); std::filesystem::exists(path)) return path;
        throw std::logic_error("no unit " + name);
    }
    void edit_unit(const std::string& name, const std::function<void(files::Json&)>& forge) const {
        const std::filesystem::path path = unit(name);
        files::Json json = files::read_json(path);
        forge(json);
        files::OutputFile(path).write(files::json_text(shards::with_checksums(std::move(json))));
    }

    TemporaryFolder folder;
};

} // namespace mxcert::evidence

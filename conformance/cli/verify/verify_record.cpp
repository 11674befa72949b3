// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/verify/verify_record.hpp"

#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/results/run_report.hpp"
#include "conformance/evidence/verification.hpp"
#include "conformance/print/text.hpp"
#include "conformance/shards/parts.hpp"

namespace mxcert::cli {
namespace {

BackendOptions run_of(const report::StoredReport& stored, BackendOptions run) {
    run.backend_option = stored.invocation.backend_options;
    run.seed = stored.seed;
    run.set_level(stored.level);
    return run;
}

verdict::CertifyOptions options_of(const report::StoredReport& stored) {
    verdict::CertifyOptions options;
    options.profiles = stored.invocation.profiles;
    options.filters = stored.filters;
    options.required = stored.required;
    options.leave_out = stored.leave_out;
    options.samples_per_step = stored.samples_per_step;
    options.max_failures = stored.max_failures;
    if (!stored.reproduce.empty()) options.reproduce = cases::parse_reproduction(stored.reproduce);
    return options;
}

/// A run as certify makes it, up to the rows.
class Judged {
  public:
    Judged(observe::Subject& subject, Running& running, const std::string& backend, const BackendOptions& run,
           const verdict::CertifyOptions& options, const std::string& reproduce)
        : subject_(subject), running_(running), report_(begun_report(backend, run, options)) {
        report_.reproduce = reproduce;
        if (!reproduce.empty()) report_.selection = "--reproduce " + reproduce;
        certifying_ = run_options(options, subject, running, report_);
        plan_ = planned_run(subject, certifying_, golden_, report_);
    }

    [[nodiscard]] const certify::Plan& plan() const { return plan_; }
    [[nodiscard]] const verdict::CertifyOptions& options() const { return certifying_; }

    [[nodiscard]] report::Report judge() {
        running_.expect(plan_.inputs());
        certify::CertifyEvents events;
        // Of an operation nobody knows the inputs before, and several may be asked at the same time.
        events.started = [this](const std::string& name, std::uint64_t inputs) {
            if (inputs != 0) running_.progress().start(name, inputs);
        };
        report_.rows = certify::certify(subject_, plan_, certifying_, events);
        running_.progress().clear();
        report_.interrupted = running_.stop().load();
        report_.jobs = 1;
        return std::move(report_);
    }

  private:
    observe::Subject& subject_;
    Running& running_;
    report::Report report_;
    verdict::CertifyOptions certifying_;
    verdict::GoldenSource golden_;
    certify::Plan plan_;
};

/// Stored answers, asked again of a backend if there is one.
class Compared {
  public:
    Compared(observe::Subject& stored, const AskAgainOptions& again) : stored_(stored) {
        if (again.backend != nullptr) slices_.emplace(stored, *again.backend, again.slices, again.seed);
    }
    [[nodiscard]] observe::Subject& subject() { return slices_ ? *slices_ : stored_; }
    void finish(DerivedReport& derived) const {
        if (!slices_) return;
        derived.asked_again = slices_->rows();
        derived.differences = slices_->differences();
    }

  private:
    observe::Subject& stored_;
    std::optional<evidence::Slices> slices_;
};

DerivedReport derive_from_parts(const std::vector<std::filesystem::path>& folders, const report::StoredReport& stored,
                                const BackendOptions& asked, const AskAgainOptions& again) {
    shards::Parts parts(folders);
    const shards::Run& run = parts.run();
    if (run.recorded) throw evidence::Refused("these are parts of mxcert record, which a certificate does not rest on");
    BackendOptions options = asked;
    options.seed = run.seed;
    options.set_level(run.level);
    options.backend_option = run.backend_options;
    Running running(shards::open_stored(parts.store()), options);
    Compared compared(*running.subject(), again);
    // How the record was asked decides, not what the certificate says of it.
    Judged judged(compared.subject(), running, stored.invocation.backend, options, run.options(), "");
    parts.read(judged.plan(), judged.options());
    if (!parts.missing().empty())
        throw evidence::Refused(fmt::format("its record has a hole: {} of part {} of {}, {} for one",
                                            print::counted(parts.missing().front().units.size(), "unit") + " missing",
                                            parts.missing().front().part + 1, run.parts,
                                            parts.missing().front().units.front()));
    DerivedReport derived;
    derived.report = judged.judge();
    derived.description =
        fmt::format("{} of {}", print::counted(parts.units(), "unit"), print::counted(run.parts, "part"));
    compared.finish(derived);
    return derived;
}

DerivedReport derive_from_record(const std::filesystem::path& folder, const report::StoredReport& stored,
                                 const BackendOptions& asked, const AskAgainOptions& again) {
    const BackendOptions options = run_of(stored, asked);
    Running running({observe::BackendSpec::Kind::record, folder.stem().string(), folder, {}}, options);
    Compared compared(*running.subject(), again);
    Judged judged(compared.subject(), running, stored.invocation.backend, options, options_of(stored),
                  stored.reproduce);
    DerivedReport derived;
    derived.report = judged.judge();
    derived.description =
        fmt::format("{} and {} of '{}'", print::counted(running.subject()->info().conversions.size(), "conversion"),
                    print::counted(running.subject()->info().operations.size(), "operation"), folder.string());
    compared.finish(derived);
    return derived;
}

} // namespace

report::Report run_again(observe::Subject& subject, Running& running, const report::StoredReport& stored,
                         const std::string& backend) {
    return Judged(subject, running, backend, run_of(stored, {}), options_of(stored), stored.reproduce).judge();
}

DerivedReport derive_report(const evidence::RecordFiles& record, const report::StoredReport& stored,
                            const BackendOptions& run, const AskAgainOptions& again) {
    try {
        return record.parts.empty() ? derive_from_record(record.record, stored, run, again)
                                    : derive_from_parts(record.parts, stored, run, again);
    } catch (const evidence::Refused&) {
        throw;
    } catch (const std::exception& error) { // of files that may hold anything, and of what they make of a run
        throw evidence::Refused(error.what());
    }
}

} // namespace mxcert::cli

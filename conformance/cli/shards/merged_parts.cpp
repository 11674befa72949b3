// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/merged_parts.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {
namespace {

void check_machines(const std::vector<report::Host>& hosts, bool mixed) {
    if (hosts.size() < 2 || mixed) return;
    std::string list;
    for (const report::Host& host : hosts) list += "\n  " + text_of(host);
    throw std::runtime_error(
        fmt::format("the parts were asked on {}:{}\n--mixed merges them, and the report names them",
                    print::counted(hosts.size(), "kind") + " of machines", list));
}

} // namespace

BackendOptions options_of(const shards::Run& run, const MergeOptions& options) {
    BackendOptions all;
    all.seed = run.seed;
    all.set_level(run.level);
    all.backend_option = run.backend_options;
    all.color = options.color;
    all.quiet = options.quiet;
    all.sandbox = options.sandbox;
    return all;
}

std::string text_of(const report::Host& host) {
    return print::printable(fmt::format("{} {}{}", host.system, host.machine, host.cpu.empty() ? "" : ", " + host.cpu));
}

std::optional<int> refuse_parts(const shards::Parts& parts, const MergeOptions& options, std::FILE* people) {
    check_machines(parts.hosts(), options.mixed);
    if (parts.missing().empty()) return std::nullopt;
    const std::uint64_t count = parts.run().parts;
    for (const shards::Parts::Missing& part : parts.missing())
        fmt::print(people, "part {} of {} is without {}, {} for one:\n    {}\n", part.part + 1, count,
                   print::counted(part.units.size(), "unit"), part.units.front(), part.command);
    fmt::print(people, "NOT FINISHED: {} of {} not whole; each command asks what is missing\n",
               print::counted(parts.missing().size(), "part"), count);
    return exit_unfinished;
}

SecondLook::SecondLook(shards::Parts& parts, const MergeOptions& options, const BackendOptions& run) : parts_(parts) {
    if (options.no_backend) {
        reason_ = "--no-backend";
        return;
    }
    try {
        const std::string& argument = options.backend.empty() ? parts.argument() : options.backend;
        BackendOptions silent = run;
        silent.quiet = true;
        running_ = std::make_unique<Running>(observe::resolve_backend(argument), silent);
        if (running_->subject() == nullptr)
            reason_ = running_->reason();
        else if (running_->subject()->info().build_id != parts.run().info.build_id)
            reason_ = fmt::format("'{}' is another build than that of the parts", argument);
    } catch (const std::exception& error) {
        reason_ = error.what();
    }
    if (reason_.empty())
        parts.store().compare_with(&again_.emplace(*running_->subject(), parts.drawn()));
    else if (!options.backend.empty())
        throw std::runtime_error("--backend: " + reason_);
}

std::string SecondLook::text() const {
    const std::uint64_t count = parts_.run().parts;
    std::string text =
        fmt::format("Merged: {} of {}, asked in {:.0f} seconds in all.\n", print::counted(parts_.units(), "unit"),
                    print::counted(count, "part"), parts_.seconds());
    if (!again_) return text + fmt::format("Nothing was asked again: {}.\n", print::printable(reason_));
    text += fmt::format("Asked again: {} in slices of {} of {}, drawn with the seed 0x{:016X}",
                        print::counted(again_->values(), "value"), again_->units(), print::counted(count, "part"),
                        parts_.seed());
    if (again_->units() < count)
        text += fmt::format("; of the other {} nothing was asked again", count - again_->units());
    return text + ".\n";
}

} // namespace mxcert::cli

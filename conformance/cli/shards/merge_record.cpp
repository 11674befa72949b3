// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/merge_record.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/results/record_result.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/record/record_ask.hpp"

namespace mxcert::cli {

int merge_record(shards::Parts& parts, const MergeOptions& options, const std::string& folder,
                 const std::string& json) {
    if (folder.empty()) throw std::invalid_argument("-o is missing: the folder of the record that is merged");
    JsonOutput output(json);
    const RecordLines lines{output.people(), print::use_color(print::parse_color_mode(options.color), output.people()),
                            options.quiet};
    const shards::Run& run = parts.run();
    const BackendOptions asked = options_of(run, options);
    Running running(shards::open_stored(parts.store()), asked);
    verdict::CertifyOptions asking = run.options();
    asking.stop = &running.stop();
    verdict::GoldenSource golden;
    parts.read(record::plan_record(*running.subject(), asking, golden), asking);
    if (const std::optional<int> code = refuse_parts(parts, options, lines.people)) return *code;
    record::check_record_folder(folder);

    const SecondLook again(parts, options, asked);
    record::RecordOptions taking;
    taking.seed = run.seed;
    taking.samples_per_step = run.samples_per_step;
    taking.level = run.level;
    taking.backend_options = run.backend_options;
    taking.filters = run.filters;
    record::Record record = take_record(running, taking, lines);
    if (parts.hosts().size() > 1)
        for (const report::Host& host : parts.hosts()) record.machines.push_back(text_of(host));
    fmt::print(lines.people, "\n{}", again.text());
    if (!record.machines.empty())
        fmt::print(lines.people, "Asked on {} kinds of machines: {}.\n", record.machines.size(),
                   fmt::join(record.machines, "; "));
    return write_record(record, parts.argument(), folder, lines, output);
}

} // namespace mxcert::cli

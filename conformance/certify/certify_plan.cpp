// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/certify.hpp"
#include "conformance/certify/leave_out.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/parallel.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::certify {
namespace {

/// What a built-in backend claims to conform to.
struct Claim {
    std::string_view backend;
    std::vector<std::string> profiles;
};

const std::vector<Claim>& claims() {
    static const std::vector<Claim> all{
        {"portable",
         {"ocp", "nvidia-te", "torchao-float8", "tensor-scaling", "deepseek", "nexus", "absmax", "products",
          "torchao-nvfp4", "modelopt", "compressed-tensors", "autoround-nvfp4", "unsigned-scales"}},
        {"cuda_fp8", {"nvidia-cuda-host", "ocp"}},
        {"apfloat", {"llvm", "ocp-nosat"}},
        {"openblas", {"products"}},
        {"tensor_cores", {"products"}},
        {"kernels_host", {"ocp", "nvidia-te", "products"}},
        {"opencl", {"ocp", "nvidia-te", "products"}},
        {"hip", {"ocp", "nvidia-te", "products"}},
        {"cuda", {"ocp", "nvidia-te", "products"}},
        {"cublaslt", {"products"}},
        {"ml_dtypes", {"ml_dtypes", "ocp-nosat"}},
        {"gfloat", {"gfloat", "ocp"}},
        {"gfloat_blocks", {"gfloat-blocks", "ocp-sat"}},
        {"gguf", {"ocp-sat"}},
        {"jax", {"ocp-nosat", "products"}},
        {"torchao",
         {"torchao-floor", "torchao-ceil", "torchao-even", "torchao-rceil", "torchao-rceil-eager", "torchao-nvfp4"}},
        {"modelopt", {"modelopt"}},
        {"compressed_tensors", {"compressed-tensors"}},
    };
    return all;
}

// Whether there can be a conversion or an operation of such a name.
bool can_match(const std::string& pattern) {
    if (names_operation(pattern)) {
        if (!print::is_glob(pattern)) (void)parse_operation(pattern); // throws with the part that is wrong
        return true;
    }
    if (!print::is_glob(pattern)) {
        (void)parse_conversion(pattern);
        return true;
    }
    // What stands before the first * or ? is cheap to compare, and there are many names.
    const std::string_view start = std::string_view(pattern).substr(0, pattern.find_first_of("*?"));
    const auto begins = [&](const std::string& name) { return name.starts_with(start) || start.starts_with(name); };
    for (const Format& from : all_formats()) {
        if (!begins(fmt::format("{}-", from.name))) continue;
        for (const Format& to : all_formats()) {
            if (!begins(fmt::format("{}-{}-", from.name, to.name))) continue;
            for (const std::string_view how : info(rounding_or_rule(to)).values)
                for (const std::string_view overflow : info(Choice::overflow).values) {
                    const std::string_view bits = how.starts_with("ptx_rs")       ? "32"
                                                  : how.starts_with("stochastic") ? "8"
                                                                                  : "";
                    if (print::glob_matches(pattern,
                                            fmt::format("{}-{}-{}{}-{}", from.name, to.name, how, bits, overflow)))
                        return true;
                }
        }
    }
    // Of operations the first word: which values their attributes may have together is not listed anywhere.
    return !start.empty() &&
           std::any_of(all_operations().begin(), all_operations().end(),
                       [&](const OperationInfo& operation) { return operation.name.starts_with(start); });
}

verdict::Row required_row(const std::string& id, Status status, std::string reason) {
    verdict::Row row;
    row.id = id;
    row.status = status;
    row.required = true;
    row.reason = std::move(reason);
    return row;
}

// Marks the planned conversions and operations that a pattern names. A pattern that names none leaves a row that fails.
void require(const std::string& pattern, const observe::BackendInfo& info, Plan& plan) {
    bool found = false;
    for (suites::PlannedConversion& planned : plan.conversions)
        if (print::glob_matches(pattern, to_string(planned.conversion))) found = planned.required = true;
    for (suites::GivenBits& bits : plan.given_bits)
        if (print::glob_matches(pattern, to_string(bits.conversion))) found = bits.required = true;
    for (PlannedOperation& planned : plan.operations)
        if (print::glob_matches(pattern, to_string(planned.operation))) found = planned.required = true;
    if (found) return;
    const auto matches = [&](const auto& offer) { return print::glob_matches(pattern, to_string(offer)); };
    const bool offered = std::any_of(info.conversions.begin(), info.conversions.end(), matches) ||
                         std::any_of(info.operations.begin(), info.operations.end(), matches);
    plan.fixed.push_back(
        offered ? required_row(pattern, Status::untested, "required, but left out by the profile or --filter")
                : required_row(pattern, Status::unsupported, "required, and not offered"));
}

void plan_operation_reproduction(const observe::Subject& subject, const cases::Reproduction& wanted, Plan& plan) {
    const Operation& operation = *wanted.operation;
    const std::string id = to_string(operation) + '/' + wanted.part;
    const std::vector<std::string> rows = suites::row_ids(operation);
    if (std::find(rows.begin(), rows.end(), id) == rows.end())
        throw std::invalid_argument(fmt::format("--reproduce '{}': {} has no row '{}', there are {}",
                                                cases::to_string(wanted), to_string(operation), wanted.part,
                                                fmt::join(rows, ", ")));
    const std::vector<Operation>& offers = subject.info().operations;
    if (std::find(offers.begin(), offers.end(), operation) == offers.end()) {
        plan.fixed.push_back(required_row(to_string(operation), Status::unsupported, "not offered"));
        return;
    }
    const bool covered = std::any_of(plan.profiles.begin(), plan.profiles.end(),
                                     [&](const Profile* profile) { return covers(*profile, operation); });
    if (covered)
        plan.operations.push_back({operation, false});
    else
        plan.fixed.push_back(required_row(to_string(operation), Status::untested, "no profile judges it"));
}

void plan_reproduction(const observe::Subject& subject, const verdict::CertifyOptions& options,
                       verdict::GoldenSource& golden, Plan& plan) {
    const cases::Reproduction& wanted = *options.reproduce;
    if (wanted.operation) return plan_operation_reproduction(subject, wanted, plan);
    const std::vector<Conversion>& offers = subject.info().conversions;
    if (std::find(offers.begin(), offers.end(), wanted.conversion) == offers.end()) {
        plan.fixed.push_back(required_row(to_string(wanted.conversion), Status::unsupported, "not offered"));
        return;
    }
    if (wanted.random) {
        suites::GivenBits bits{wanted.conversion, {}, false, {{wanted.input, *wanted.random, 0}}};
        std::copy_if(plan.profiles.begin(), plan.profiles.end(), std::back_inserter(bits.profiles),
                     [&](const Profile* profile) { return covers(*profile, bits.conversion); });
        if (!bits.profiles.empty()) {
            plan.given_bits.push_back(std::move(bits));
            return;
        }
        plan.fixed.push_back(required_row(to_string(wanted.conversion), Status::untested, "no profile judges it"));
        return;
    }
    suites::PlannedConversion planned = suites::plan_conversion(wanted.conversion, plan.profiles, golden);
    if (planned.judges.empty()) {
        plan.fixed.push_back(required_row(to_string(wanted.conversion), Status::untested, "no profile judges it"));
        return;
    }
    planned.points = {{wanted.input, 0, 0}};
    plan.conversions.push_back(std::move(planned));
}

} // namespace

std::vector<std::string> default_profiles(const observe::BackendInfo& info) {
    if (!info.profiles.empty()) return info.profiles;
    for (const Claim& claim : claims())
        if (claim.backend == info.name) return claim.profiles;
    const auto offers = [&](std::string_view profile) {
        return std::any_of(info.conversions.begin(), info.conversions.end(), [&](const Conversion& c) {
            const bool has_modes = c.to->name == "e4m3" || c.to->name == "e5m2";
            return has_modes && covers(find_profile(profile), c);
        });
    };
    const bool sat = offers("ocp-sat");
    const bool nosat = offers("ocp-nosat");
    const auto is_sat_finite = [](const Conversion& c) { return c.overflow == Overflow::sat_finite; };
    const auto only_sat_finite = [](const Operation& operation) {
        return covers(find_profile("ocp-sat-finite"), operation) && !covers(find_profile("ocp"), operation);
    };
    const bool sat_finite = std::any_of(info.conversions.begin(), info.conversions.end(), is_sat_finite) ||
                            std::any_of(info.operations.begin(), info.operations.end(), only_sat_finite);
    std::vector<std::string> profiles;
    if (sat || nosat || !sat_finite) profiles.emplace_back(sat == nosat ? "ocp" : sat ? "ocp-sat" : "ocp-nosat");
    if (sat_finite) profiles.emplace_back("ocp-sat-finite");
    // A product is held to what it declares, whoever made it.
    if (std::any_of(info.operations.begin(), info.operations.end(),
                    [](const Operation& operation) { return covers(find_profile("products"), operation); }))
        profiles.emplace_back("products");
    // Scales without sign are no formats of OCP.
    const Profile& unsigned_scales = find_profile("unsigned-scales");
    if (std::any_of(info.conversions.begin(), info.conversions.end(),
                    [&](const Conversion& c) { return covers(unsigned_scales, c); }))
        profiles.emplace_back("unsigned-scales");
    return profiles;
}

std::uint64_t Plan::inputs() const {
    std::uint64_t total = 0;
    for (const suites::PlannedConversion& planned : conversions) total += planned.inputs();
    return total;
}

Plan make_plan(const observe::Subject& subject, const verdict::CertifyOptions& options, verdict::GoldenSource& golden) {
    Plan plan;
    plan.golden = &golden;
    for (const std::string& name : options.profiles.empty() ? default_profiles(subject.info()) : options.profiles) {
        const Profile& profile = find_profile(name);
        if (std::find(plan.profiles.begin(), plan.profiles.end(), &profile) == plan.profiles.end())
            plan.profiles.push_back(&profile);
    }
    if (options.reproduce) {
        plan_reproduction(subject, options, golden, plan);
        return plan;
    }
    // A slip is said at once: what is planned below takes seconds.
    for (const std::string& pattern : options.required)
        if (!can_match(pattern))
            throw std::invalid_argument(
                fmt::format("--require '{}' matches no conversion or operation there can be", pattern));
    for (const Conversion& conversion : subject.info().conversions) {
        const std::string id = to_string(conversion);
        const bool covered = std::any_of(plan.profiles.begin(), plan.profiles.end(),
                                         [&](const Profile* profile) { return covers(*profile, conversion); });
        if (!covered) plan.outside.push_back(id);
        if (covered && is_left_out(options.leave_out, id)) {
            plan.left_out.push_back(id);
            continue;
        }
        if (!covered || !print::selected(options.filters, id)) continue;
        if (is_stochastic(conversion.rounding)) {
            // No table of permitted outputs describes it: the models are asked, answer by answer.
            suites::GivenBits& bits = plan.given_bits.emplace_back();
            bits.conversion = conversion;
            std::copy_if(plan.profiles.begin(), plan.profiles.end(), std::back_inserter(bits.profiles),
                         [&](const Profile* profile) { return covers(*profile, conversion); });
            continue;
        }
        plan.conversions.emplace_back().conversion = conversion;
    }
    // Samples under given scales take most of the time.
    in_parallel(plan.conversions.size(), 0, [&](std::size_t i) {
        suites::PlannedConversion& planned = plan.conversions[i];
        planned = suites::plan_conversion(planned.conversion, plan.profiles, golden);
        if (subject.holds_points(planned.conversion)) suites::plan_points(subject, options, planned);
    });
    for (const Operation& operation : subject.info().operations) {
        const bool covered = std::any_of(plan.profiles.begin(), plan.profiles.end(),
                                         [&](const Profile* profile) { return covers(*profile, operation); });
        if (!covered) plan.outside.push_back(to_string(operation));
        if (covered && is_left_out(options.leave_out, to_string(operation))) {
            plan.left_out.push_back(to_string(operation));
            continue;
        }
        const std::vector<std::string> rows = suites::row_ids(operation);
        if (covered && std::any_of(rows.begin(), rows.end(),
                                   [&](const std::string& id) { return print::selected(options.filters, id); }))
            plan.operations.push_back({operation, false});
    }
    std::vector<const Profile*> idle;
    for (const Profile* profile : plan.profiles) {
        const bool judges =
            std::any_of(plan.conversions.begin(), plan.conversions.end(),
                        [&](const suites::PlannedConversion& planned) {
                            return std::any_of(planned.judges.begin(), planned.judges.end(),
                                               [&](const verdict::Judge& judge) { return judge.profile == profile; });
                        }) ||
            std::any_of(plan.given_bits.begin(), plan.given_bits.end(),
                        [&](const suites::GivenBits& bits) { return covers(*profile, bits.conversion); }) ||
            std::any_of(plan.operations.begin(), plan.operations.end(),
                        [&](const PlannedOperation& planned) { return covers(*profile, planned.operation); });
        // The other profiles must not pass for this one too. (If none judges anything, nothing passes anyway.)
        if (judges || (plan.conversions.empty() && plan.given_bits.empty() && plan.operations.empty())) continue;
        // What a backend claims beyond the rows that --filter names was not asked for.
        const bool provides =
            std::any_of(profile->provisions.begin(), profile->provisions.end(), [&](const Provision& p) {
                return print::selected(options.filters, "provision " + std::string(p.clause));
            });
        if (options.profiles.empty() && !options.filters.empty() && !provides) {
            idle.push_back(profile);
            continue;
        }
        plan.fixed.push_back(required_row("profile " + std::string(profile->name), Status::untested,
                                          "it judges none of the conversions"));
        plan.fixed.back().profile = profile->name;
    }
    std::erase_if(plan.profiles,
                  [&](const Profile* profile) { return std::find(idle.begin(), idle.end(), profile) != idle.end(); });
    for (const std::string& pattern : options.required) require(pattern, subject.info(), plan);
    return plan;
}

} // namespace mxcert::certify

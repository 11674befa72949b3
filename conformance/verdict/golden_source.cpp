// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/golden_source.hpp"

#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_files.hpp"

namespace mxcert::verdict {

const GoldenUsed& GoldenSource::of_formats(const Format& from, const Format& to) {
    const auto [at, fresh] = used_.try_emplace({&from, &to});
    GoldenUsed& used = at->second;
    if (!fresh) return used;
    try {
        if (auto loaded = load_golden(from, to)) {
            used.golden = std::move(loaded->golden);
            used.name = "vectors/golden/" + loaded->path.filename().string();
            used.sha256 = loaded->sha256;
        } else {
            used.golden = generate_golden(from, to);
            used.name = "tabulated";
            used.sha256 = sha256(write_golden(used.golden));
        }
    } catch (...) {
        used_.erase(at);
        throw;
    }
    return used;
}

const GoldenUsed& GoldenSource::get(const Format& from, const Format& to) {
    const std::lock_guard<std::mutex> held(lock_);
    return of_formats(from, to);
}

const GoldenUsed& GoldenSource::get(const Profile& profile, const Conversion& conversion) {
    const std::lock_guard<std::mutex> held(lock_);
    if (golden_names(profile, conversion)) return of_formats(*conversion.from, *conversion.to);
    const std::string key = std::string(profile.name) + ' ' + to_string(conversion);
    const auto found = own_.find(key);
    if (found != own_.end()) return found->second;
    GoldenUsed used{generate_golden(profile, conversion), "tabulated", {}};
    used.sha256 = sha256(write_golden(used.golden));
    return own_.emplace(key, std::move(used)).first->second;
}

} // namespace mxcert::verdict

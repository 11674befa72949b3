// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_all.hpp"

#include <mutex>

#include "vectors/base/parallel.hpp"
#include "vectors/golden_store/golden_csv.hpp"

namespace mxcert {

std::string golden_file_name(const Format& from, const Format& to) {
    return std::string(from.name) + "-" + std::string(to.name) + ".csv";
}

// Nothing but the standard library here: it is part of the generator that is cross-compiled by one command.
std::vector<GoldenText> generate_all_golden(unsigned threads, const std::function<void(const GoldenText&)>& done,
                                            const std::vector<GoldenPair>& pairs) {
    std::vector<GoldenText> all(pairs.size());
    std::mutex lock;
    in_parallel(pairs.size(), threads, [&](std::size_t i) {
        GoldenText& text = all[i];
        text.name = golden_file_name(*pairs[i].from, *pairs[i].to);
        text.golden = generate_golden(*pairs[i].from, *pairs[i].to);
        text.text = write_golden(text.golden);
        const std::lock_guard<std::mutex> held(lock);
        if (done) done(text);
    });
    return all;
}

} // namespace mxcert

// SPDX-License-Identifier: Apache-2.0
// Reads which mutant this process is, or records which sites it reaches.
//
//   MXCERT_MUTANT=NUMBER,FIRST   the mutant NUMBER of the site whose first mutant is FIRST
//   MXCERT_REACHED=FILE          at exit: the numbers of the first mutants of all sites that were evaluated, a line
//   each
#include "conformance/mutants/model.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mxcert::mutants {

unsigned char watched[most];

namespace {
unsigned active = 0;
const char* record = nullptr;
unsigned char reached[most];
} // namespace

unsigned visit(unsigned first) noexcept {
    if (record == nullptr) return active - first;
    reached[first] = 1;
    watched[first] = 0;
    return most;
}

void absent() noexcept { _exit(absent_code); }

namespace {

// Before any constructor of static data, which may evaluate sites. A mutant that cannot be read ends the process: it
// would count as one that survived.
[[gnu::constructor(101)]] void choose() {
    record = std::getenv("MXCERT_REACHED");
    if (record != nullptr) std::memset(watched, 1, sizeof watched);
    const char* given = std::getenv("MXCERT_MUTANT");
    if (given == nullptr) return;
    unsigned first = 0;
    char rest = 0;
    if (std::sscanf(given, "%u,%u%c", &active, &first, &rest) != 2 || first == 0 || active < first || first >= most)
        std::abort();
    watched[first] = 1;
}

[[gnu::destructor(101)]] void write() {
    if (record == nullptr) return;
    std::FILE* file = std::fopen(record, "w");
    if (file == nullptr) std::abort();
    for (unsigned first = 0; first < most; ++first)
        if (reached[first] != 0) std::fprintf(file, "%u\n", first);
    if (std::fclose(file) != 0) std::abort();
}

} // namespace
} // namespace mxcert::mutants

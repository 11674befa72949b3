// SPDX-License-Identifier: Apache-2.0
#include "conformance/diff/diff.hpp"

#include <atomic>
#include <memory>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/verdict/canary.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::diff;
using mxcert::test::FakeSubject;

namespace {

std::unique_ptr<observe::Subject> open_record(const std::filesystem::path& path) {
    return subjects::open_subject({observe::BackendSpec::Kind::record, "record", path, {}}, {});
}

} // namespace

TEST_CASE("a record and what it recorded do not differ, a changed answer does") {
    const TemporaryFolder folder;
    FakeSubject recorded;
    recorded.offer("fp16-e4m3-nearest_even-sat");
    recorded.offer("fp64-e4m3-nearest_even-sat");
    record::write_record(record::take_record(recorded, {}), folder.path() / "record");
    const std::unique_ptr<observe::Subject> record = open_record(folder.path() / "record");
    FakeSubject live;
    StepTable& fp16 = live.offer("fp16-e4m3-nearest_even-sat");
    StepTable& fp64 = live.offer("fp64-e4m3-nearest_even-sat");
    live.offer("bf16-e4m3-nearest_even-sat");
    Diff same = diff::diff(*record, live, {});
    CHECK(exit_code(same) == 0);
    CHECK(same.rows.size() == 2);
    CHECK(same.only_a.empty());
    CHECK(same.only_b == std::vector<std::string>{"bf16-e4m3-nearest_even-sat"});
    CHECK(exit_code(diff::diff(*record, *open_record(folder.path() / "record"), {})) == 0);

    fp16.steps = verdict::plant(fp16.steps, 0x1234, 0x77);
    Diff other_diff = diff::diff(*record, live, {});
    CHECK(exit_code(other_diff) == 1);
    REQUIRE(other_diff.rows[0].differences.size() == 1);
    CHECK(other_diff.rows[0].differences[0].first == 0x1234);
    CHECK(other_diff.rows[0].differences[0].expected == permit_code(0x77));

    DiffOptions options;
    options.filters = {"fp64-*"};
    CHECK(exit_code(diff::diff(*record, live, options)) == 0);
    fp64.steps = verdict::plant(fp64.steps, 0x3F50000000000001, 0x00);
    CHECK(exit_code(diff::diff(*record, live, options)) == 1);
    options.filters = {"bf16-*"};
    CHECK(exit_code(diff::diff(*record, live, options)) == 4);
    options.filters = {"fp16-*"};
    live.status = Status::error;
    CHECK(exit_code(diff::diff(*record, live, options)) == 3);
    std::atomic<bool> stop{true};
    options.stop = &stop;
    live.status = Status::pass;
    CHECK(exit_code(diff::diff(*record, live, options)) == 3);
}

// SPDX-License-Identifier: Apache-2.0
// A signature that is missing, stripped, of another file or of another key is refused.
#include "catch.hpp"
#include "conformance/evidence/test/published.hpp"

using Catch::Matchers::Contains;

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;

/// A published certificate, and shell commands beside it.
struct Signed {
    Published published{{"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat"}};

    [[nodiscard]] test::Result run(const std::string& commands) const {
        return test::shell(published.folder.path(), commands);
    }
    [[nodiscard]] test::Result verify(const std::string& key) const {
        test::Result result = run("mxcert verify out --public-key " + key);
        UNSCOPED_INFO(result.out << result.err);
        return result;
    }
};

void check_signatures(const Signed& folder, const std::string& suffix, const std::string& tool) {
    const test::Result good = folder.verify("maker.pub");
    CHECK(good.code == 0);
    CHECK_THAT(good.out, Contains("Signature    of 'certificate.json' by " + tool + ", of the key 'maker.pub'"));
    const test::Result other = folder.verify("other.pub");
    CHECK(other.code == 1);
    CHECK_THAT(other.out, Contains("REFUSED: ") && Contains("is not the signature of the file by 'other.pub'"));
    CHECK_THAT(folder.run("mxcert verify out").out, Contains("Not checked  who made it: give --public-key"));
    // The report changed after it was signed, though nothing else would show it.
    folder.published.edit([](files::Json& json) { json["started"] = "2020-01-01T00:00:00Z"; });
    CHECK(folder.verify("maker.pub").code == 1);
    fs::remove(folder.published.file().string() + suffix);
    const test::Result stripped = folder.verify("maker.pub");
    CHECK(stripped.code == 1);
    CHECK_THAT(stripped.out, Contains("REFUSED: it is not signed"));
    CHECK_THAT(folder.run("mxcert verify out").out, Contains("Not checked  who made it: it is not signed"));
    CHECK(folder.verify("no-such-key").code == 2);
}

TEST_CASE("a certificate that minisign signed", "[evidence][signature]") {
    const Signed folder;
    if (folder.run("command -v minisign").code != 0) {
        WARN("UNTESTED: minisign is not installed");
        return;
    }
    REQUIRE(folder
                .run("for key in maker other; do minisign -G -W -p $key.pub -s $key.sec > /dev/null; done; "
                     "minisign -S -s maker.sec -m out/certificate.json > /dev/null")
                .code == 0);
    check_signatures(folder, ".minisig", "minisign");
}

TEST_CASE("a certificate that signify signed", "[evidence][signature]") {
    const Signed folder;
    if (folder.run("command -v signify-openbsd").code != 0) {
        WARN("UNTESTED: signify is not installed");
        return;
    }
    REQUIRE(folder
                .run("for key in maker other; do signify-openbsd -G -n -p $key.pub -s $key.sec; done; "
                     "signify-openbsd -S -s maker.sec -m out/certificate.json")
                .code == 0);
    check_signatures(folder, ".sig", "signify");
}

TEST_CASE("a signature that nothing can check is not verified", "[evidence][signature]") {
    const Signed folder;
    std::ofstream(folder.published.file().string() + ".minisig") << "a signature\n";
    std::ofstream(folder.published.folder.path() / "maker.pub") << "a key\n";
    const std::string program = (test::program_folder() / "mxcert").string();
    const test::Result result = folder.run("PATH=/nowhere " + program + " verify out --public-key maker.pub");
    INFO(result.out << result.err);
    CHECK(result.code == 3);
    CHECK_THAT(result.out, Contains("NOT VERIFIED: minisign is not installed"));
}

} // namespace
} // namespace mxcert::evidence

// SPDX-License-Identifier: Apache-2.0
#include "vectors/base/sha256.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>

namespace mxcert {
namespace {

class Hash {
  public:
    Hash() : context_(EVP_MD_CTX_new()) {
        check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }

    void add(const char* data, std::size_t bytes) { check(EVP_DigestUpdate(context_.get(), data, bytes) == 1); }

    std::string text() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned length = 0;
        check(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1 && length == 32);
        std::string out;
        for (unsigned i = 0; i < length; ++i) {
            out += "0123456789abcdef"[digest[i] >> 4];
            out += "0123456789abcdef"[digest[i] & 15];
        }
        return out;
    }

  private:
    static void check(bool done) {
        if (!done) throw std::runtime_error("libcrypto cannot compute SHA-256");
    }
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context_;
};

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

std::string sha256(std::string_view bytes) {
    Hash hash;
    hash.add(bytes.data(), bytes.size());
    return hash.text();
}

std::string sha256_file(const std::filesystem::path& file) {
    const std::string name = file.string();
    std::error_code error;
    // Opening a pipe or a device could wait for ever.
    if (!std::filesystem::is_regular_file(file, error)) throw std::runtime_error(name + ": not a regular file");
    const std::unique_ptr<std::FILE, Close> in(std::fopen(name.c_str(), "rb"));
    if (!in) throw std::runtime_error(name + ": cannot be opened: " + std::strerror(errno));
    Hash hash;
    std::array<char, 65536> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), in.get())) hash.add(part.data(), size);
    if (std::ferror(in.get()) != 0) throw std::runtime_error(name + ": cannot be read to its end");
    return hash.text();
}

} // namespace mxcert

#include "config/m_keys_file.h"

#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/ids.h"
#include "config/text_check.h"

namespace weft::config {
namespace {

constexpr std::string_view kSpaces = " \t\r";
constexpr std::string_view kNoKey = "none";

std::string_view word_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t begin = line.find_first_not_of(kSpaces);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpaces) - begin + 1);
}

}  // namespace

std::vector<std::uint64_t> read_m_keys(std::string_view text, Report& report) {
  const Remarks remarks = check_text(text);
  for (const Remark& remark : remarks) report.problem(remark.place, remark.text);
  std::vector<std::uint64_t> keys;
  if (!remarks.empty()) return keys;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view word = word_in(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (word.empty()) continue;
    const std::optional<Guid> key = guid_from(word);  // the same shape: 64 bits, hexadecimal
    const bool is_none = word == kNoKey;
    if (!is_none && (!key || raw(*key) == 0)) {
      report.problem({number, 1}, "expects a key such as 0x0123456789abcdef, not 0; or none");
      continue;
    }
    const std::uint64_t value = is_none ? 0 : raw(*key);
    if (std::ranges::find(keys, value) != keys.end())
      report.problem({number, 1}, "this key stands here twice");
    else
      keys.push_back(value);
  }
  if (keys.empty() && report.problem_count == 0)
    report.problem({1, 1}, "there is no key in it; one that holds none alone takes the keys from devices");
  return keys;
}

std::optional<std::uint64_t> read_one_key(std::string_view text, Report& report) {
  std::optional<std::uint64_t> key;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view word = word_in(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (word.empty()) continue;
    const std::optional<Guid> read = guid_from(word);
    if (!read || key) {
      report.problem({number, 1}, "expects one key such as 0x0123456789abcdef, and nothing else");
      return std::nullopt;
    }
    key = raw(*read);
  }
  if (!key) report.problem({1, 1}, "there is no key in it");
  return key;
}

std::string why_not_private(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};  // reading it tells more
  if ((status.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) == 0) return {};
  return fmt::format("{}: others can get at it (mode {:03o}); keys are secret: chmod 600 {}", path,
                     status.st_mode & 0777, path);
}

}  // namespace weft::config

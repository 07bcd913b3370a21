#pragma once
// Params: the parts of a blueprint, "family:4,4:key=value,other=1,2". Colons and commas both separate; a
// value without a key belongs to the key before it within its colons, or to the key "" (the sizes).
//
// Readers ask for each parameter once and go on with a harmless value when it is wrong; the first error, and
// every parameter that nobody asked for, comes out of `done`.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/link.h"
#include "base/result.h"
#include "topology/holes.h"

namespace weft::topology {

/// Allowed values, both ends included.
struct Range {
  std::uint32_t low = 1;
  std::uint32_t high = 49151;
};

class Params {
 public:
  /// Errors: `invalid` for an empty family, a key given twice or without a value.
  static Result<Params> from(std::string_view text);

  const std::string& family() const { return family_; }
  bool has(std::string_view key) const { return values_.contains(key); }

  /// A number that must be given; the key "" is the size after the first colon.
  std::uint32_t number(std::string_view key, Range range);
  std::uint32_t number(std::string_view key, Range range, std::uint32_t fallback);
  /// A list of 1 to `longest` numbers; empty only where it is missing or wrong, which `done` will tell.
  std::vector<std::uint32_t> list(std::string_view key, Range range, std::size_t longest);
  std::uint64_t seed();
  /// 0 or 1.
  bool flag(std::string_view key);
  /// "3" or "1%" or "0.5%".
  Amount amount(std::string_view key);
  /// The index of the word in `allowed`; 0 where it is not given.
  std::size_t word(std::string_view key, std::initializer_list<std::string_view> allowed);
  LinkSpeed speed(LinkSpeed fallback);
  LinkWidth width(LinkWidth fallback);

  /// Errors: `invalid`, with the parameter concerned and `usage`.
  Result<void> done(std::string_view usage) const;
  /// The same, but says nothing of parameters that were not asked for (yet).
  bool good() const { return error_.empty(); }

 private:
  /// The single value of a key; empty and an error if there are several.
  std::optional<std::string_view> single(std::string_view key);
  const std::vector<std::string>* take(std::string_view key);
  std::uint32_t parse(std::string_view key, std::string_view text, Range range);
  void note(std::string error);

  std::string family_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::map<std::string, bool, std::less<>> asked_;
  std::string error_;
};

}  // namespace weft::topology

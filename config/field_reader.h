#pragma once
// FieldReader: goes through a map of fields inside a value, each read by the type it has; unknown and
// repeated ones are problems.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "base/words.h"
#include "config/once.h"
#include "config/types.h"

namespace weft::config {

class FieldReader {
 public:
  /// `what` for messages: "a partition".
  explicit FieldReader(std::string_view what) : what_(what) {}

  /// A field whose value is put into `target` when it fits.
  template <typename T, typename M>
  FieldReader& field(std::string name, const Type<T>& type, M& target) {
    return raw(std::move(name), [&type, &target](const Value& value, Report& report) {
      if (auto found = type.read(value, report)) target = static_cast<M>(std::move(*found));
    });
  }
  template <typename T, typename M>
  FieldReader& field(std::string name, const Type<T>& type, std::optional<M>& target) {
    return raw(std::move(name), [&type, &target](const Value& value, Report& report) {
      if (auto found = type.read(value, report)) target = static_cast<M>(std::move(*found));
    });
  }
  FieldReader& raw(std::string name, std::function<void(const Value&, Report&)> read) {
    names_.push_back(name);
    reads_.emplace(std::move(name), std::move(read));
    return *this;
  }

  void read(const Value& map, Report& report) const {
    if (map.kind != Value::Kind::map)
      return report.problem(map.place,
                            fmt::format("expects {}, a map of {}, not {}", what_, listed(), describe(map)));
    Once once;
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const Value& name = map.children[i];
      const auto found = name.kind == Value::Kind::text ? reads_.find(name.text) : reads_.end();
      if (found == reads_.end()) {
        const std::string_view near = name.kind == Value::Kind::text ? nearest(name.text, names_) : "";
        report.problem(name.place, fmt::format("{} has no {}; it has {}{}", what_, describe(name), listed(),
                                               near.empty() ? "" : fmt::format("; did you mean {}?", near)));
        continue;
      }
      if (once.take(name.text, name.place, report, in_quotes(name.text)))
        found->second(map.children[i + 1], report);
    }
  }

 private:
  std::string listed() const {
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i)
      text += (i == 0 ? "" : i + 1 == names_.size() ? " and " : ", ") + names_[i];
    return text;
  }

  std::string_view what_;
  std::vector<std::string> names_;
  std::map<std::string, std::function<void(const Value&, Report&)>, std::less<>> reads_;
};

}  // namespace weft::config

#pragma once
// Report: everything found while one configuration is read, in order, so that a person sees all of it at
// once.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/value.h"

namespace weft::config {

struct Report {
  static constexpr std::size_t kMost = 100;  ///< Problems and notes kept; more problems are only counted.

  std::string source;                 ///< Where what is read now stands: a file's name, "command line".
  std::string subject;                ///< Begins every remark: "sweep.interval"; may be empty.
  std::vector<std::string> problems;  ///< "weft.yaml:3:7: sweep.interval: why".
  std::vector<std::string> notes;     ///< Nothing wrong, but worth saying.
  std::size_t problem_count = 0;

  /// A name of something that is defined elsewhere; whether it is, is seen when all is read.
  struct Mention {
    enum class What { level, partition };
    What what = What::level;
    std::string name;
    Place place;
    std::string source;
    std::string subject;
  };
  std::vector<Mention> mentions;
  void mention(Mention::What what, Place place, std::string name) {
    mentions.push_back({what, std::move(name), place, source, subject});
  }

  void problem(Place place, std::string text) {
    if (++problem_count <= kMost) problems.push_back(line(place, std::move(text)));
  }
  void note(Place place, std::string text) {
    if (notes.size() < kMost) notes.push_back(line(place, std::move(text)));
  }

 private:
  std::string line(Place place, std::string text) const {
    return to_string({place, subject.empty() ? std::move(text) : subject + ": " + text}, source);
  }
};

}  // namespace weft::config

#include "config/opensm_partitions.h"

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/rate.h"
#include "base/units.h"
#include "base/words.h"
#include "config/text_check.h"
#include "config/types.h"

namespace weft::config {
namespace {

using partitions::GroupOptions;
using partitions::Membership;
using partitions::Partition;
using partitions::Who;

constexpr std::uint16_t kDefaultKey = 0x7fff;

struct Word {
  std::string text;
  Place place;
};

/// One item of a list: NAME or NAME=VALUE.
struct Item {
  Word name;
  std::optional<Word> value;
};

class OpensmPartitions {
 public:
  OpensmPartitions(std::string_view text, Report& report) : rest_(text), report_(report) {}

  std::vector<ReadPartition> read() {
    const std::size_t before = report_.problem_count;
    for (skip(); !rest_.empty() && report_.problem_count == before; skip()) read_statement();
    if (all_.empty() && report_.problem_count == before)
      report_.problem({}, "defines no partition; write for example: Default=0x7fff,ipoib : ALL=full;");
    return std::move(all_);
  }

 private:
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  void advance() {
    if (rest_.front() == '\n') {
      ++place_.line;
      place_.column = 0;
    }
    ++place_.column;
    rest_.remove_prefix(1);
  }
  /// Blanks, comments and, but for `in_line`, ends of lines.
  void skip(bool in_line = false) {
    while (!rest_.empty()) {
      const char c = peek();
      if (c == '#') {
        while (!rest_.empty() && peek() != '\n') advance();
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && !in_line)) {
        advance();
      } else {
        return;
      }
    }
  }
  Word word(std::string_view ends) {
    Word word{{}, place_};
    while (!rest_.empty() && ends.find(peek()) == ends.npos && static_cast<unsigned char>(peek()) > ' ') {
      word.text += peek();
      advance();
    }
    return word;
  }
  void problem(const Place& place, std::string text) { report_.problem(place, std::move(text)); }
  std::string here() const {
    return rest_.empty() ? std::string("the end of the file")
                         : in_quotes(rest_.substr(0, std::min<std::size_t>(rest_.find('\n'), 20)));
  }
  std::size_t problems() const { return report_.problem_count; }

  void read_statement();
  void read_flag(const Item& flag, ReadPartition& read);
  bool read_group_flag(const Item& flag, GroupOptions& options);
  void read_members(ReadPartition& read);
  void read_member(const Item& item, Partition& partition);
  void read_group(ReadPartition& read);
  void finish(ReadPartition read);
  Item item(std::string_view ends, bool in_line = false);
  std::optional<std::uint64_t> number(const Item& item, std::uint64_t most);
  std::optional<Membership> membership(const Word& word);

  std::string_view rest_;
  Report& report_;
  Place place_{1, 1};
  std::vector<ReadPartition> all_;
  std::map<std::uint16_t, std::size_t> by_key_;
  std::vector<std::uint8_t> scopes_;  // of the statement under way
  std::optional<GroupOptions> broadcast_;
};

Item OpensmPartitions::item(std::string_view ends, bool in_line) {
  Item item{word(ends), std::nullopt};
  skip(in_line);
  if (peek() != '=') return item;
  advance();
  skip(in_line);
  // A value may hold colons: a GID.
  item.value = word(item.name.text == "mgid" ? ",;=" : ends);
  skip(in_line);
  return item;
}

std::optional<std::uint64_t> OpensmPartitions::number(const Item& item, std::uint64_t most) {
  const auto value = item.value ? number_from(item.value->text) : std::nullopt;
  if (value && *value <= most) return value;
  problem(item.value ? item.value->place : item.name.place,
          fmt::format("{}= expects a number up to 0x{:x}", item.name.text, most));
  return std::nullopt;
}

std::optional<Membership> OpensmPartitions::membership(const Word& word) {
  if (word.text == "full") return Membership::full;
  if (word.text == "limited") return Membership::limited;
  if (word.text == "both") return Membership::both;
  problem(word.place, fmt::format("expects full, limited or both, not {}", in_quotes(word.text)));
  return std::nullopt;
}

/// Flags of multicast groups. True when it is one.
bool OpensmPartitions::read_group_flag(const Item& flag, GroupOptions& options) {
  const std::string& name = flag.name.text;
  if (name == "rate") {
    if (const auto code = number(flag, 63)) {
      const int speed = rate_speed(static_cast<std::uint8_t>(*code));
      if (speed == 0) problem(flag.value->place, fmt::format("{} is no rate code", *code));
      options.rate = speed;
    }
  } else if (name == "mtu") {
    if (const auto code = number(flag, 5); code && *code >= 1)
      options.mtu = static_cast<Mtu>(*code);
    else if (code)
      problem(flag.value->place, "0 is no MTU code; 1 to 5 stand for 256 to 4096 bytes");
  } else if (name == "sl") {
    if (const auto sl = number(flag, 15)) options.sl = static_cast<Sl>(*sl);
  } else if (name == "scope") {
    if (const auto scope = number(flag, 14)) options.scope = static_cast<std::uint8_t>(*scope);
    scopes_.push_back(options.scope);
  } else if (name == "Q_Key") {
    if (const auto key = number(flag, 0xffffffff)) options.q_key = static_cast<std::uint32_t>(*key);
  } else if (name == "TClass") {
    if (const auto tclass = number(flag, 255)) options.traffic_class = static_cast<std::uint8_t>(*tclass);
  } else if (name == "FlowLabel") {
    if (const auto label = number(flag, 0xfffff)) options.flow_label = static_cast<std::uint32_t>(*label);
  } else {
    return false;
  }
  return true;
}

void OpensmPartitions::read_flag(const Item& flag, ReadPartition& read) {
  static const std::vector<std::string> kFlags{"ipoib", "indx0", "defmember", "rate",   "mtu",
                                               "sl",    "scope", "Q_Key",     "TClass", "FlowLabel"};
  const std::string& name = flag.name.text;
  if (name == "ipoib" && !flag.value) {
    read.partition.ipoib = true;
  } else if (name == "indx0" && !flag.value) {
    read.partition.at_index0 = true;
  } else if (name == "defmember" && flag.value) {
    if (const auto as = membership(*flag.value)) read.partition.default_membership = *as;
  } else {
    if (!broadcast_) broadcast_.emplace();
    if (read_group_flag(flag, *broadcast_)) return;
    const std::string_view near = nearest(name, kFlags);
    problem(flag.name.place,
            fmt::format("unknown flag {}{}", in_quotes(name),
                        near.empty() || near == name ? "" : fmt::format("; did you mean {}?", near)));
  }
}

void OpensmPartitions::read_statement() {
  const std::size_t before = problems();
  ReadPartition read{.partition = {.last_counts = true}, .place = place_};
  scopes_.clear();
  broadcast_.reset();
  const Item definition = item(",:;=");
  read.partition.name = definition.name.text;
  if (definition.value) {
    const auto key = number_from(definition.value->text);
    if (!key || *key > 0xffff || (*key & 0x7fff) == 0)
      return problem(definition.value->place, fmt::format("expects a P_Key from 0x0001 to 0x7fff, not {}",
                                                          in_quotes(definition.value->text)));
    read.partition.key = static_cast<std::uint16_t>(*key & 0x7fff);
  } else if (read.partition.name == "Default") {
    read.partition.key = kDefaultKey;
  }
  if (read.partition.name.empty()) {
    if (!read.partition.key) return problem(read.place, fmt::format("expects NAME=PKEY, not {}", here()));
    read.partition.name = fmt::format("0x{:04x}", *read.partition.key);
  }
  if (!is_name(read.partition.name))
    return problem(read.place, "a name has at most 255 bytes, none of them a control character");
  while (peek() == ',' && problems() == before) {
    advance();
    skip();
    const Item flag = item(",:;=");
    if (flag.name.text.empty())
      return problem(flag.name.place, fmt::format("expects a flag, not {}", here()));
    read_flag(flag, read);
  }
  if (problems() != before) return;
  if (peek() != ':') return problem(place_, fmt::format("expects a comma or a colon, not {}", here()));
  advance();
  read_members(read);
  if (problems() == before) finish(std::move(read));
}

void OpensmPartitions::read_members(ReadPartition& read) {
  const std::size_t before = problems();
  for (skip(); problems() == before; skip()) {
    if (peek() == ';') return advance();
    if (rest_.empty())
      return problem(read.place, fmt::format("partition {} does not end with a semicolon",
                                             in_quotes(read.partition.name)));
    if (peek() == ',') {
      advance();
      continue;
    }
    if (rest_.starts_with("mgid")) {
      read_group(read);
      continue;
    }
    const Item member = item(",;=");
    read_member(member, read.partition);
    if (problems() == before && !rest_.empty() && peek() != ',' && peek() != ';' &&
        !rest_.starts_with("mgid"))
      return problem(place_, fmt::format("expects a comma or a semicolon, not {}", here()));
  }
}

void OpensmPartitions::read_member(const Item& item, Partition& partition) {
  static const std::vector<std::string> kKeywords{"ALL",         "ALL_CAS", "ALL_SWITCHES",
                                                  "ALL_ROUTERS", "SELF",    "NONE"};
  constexpr std::array kKinds{Who::Kind::all,     Who::Kind::hosts, Who::Kind::switches,
                              Who::Kind::routers, Who::Kind::self,  Who::Kind::all};
  Membership as = Membership::none;
  if (item.value) {
    const auto said = membership(*item.value);
    if (!said) return;
    as = *said;
  }
  const std::string& name = item.name.text;
  for (std::size_t i = 0; i < kKeywords.size(); ++i) {
    if (name != kKeywords[i]) continue;
    if (name != "NONE") partition.members.push_back({{.kind = kKinds[i]}, as});
    return;
  }
  const auto digits = number_from(name);
  const auto guid = digits && *digits != 0 ? std::optional(static_cast<Guid>(*digits)) : guid_from(name);
  if (guid) {
    partition.members.push_back({{.kind = Who::Kind::guid, .guid = *guid}, as});
    return;
  }
  const std::string_view near = nearest(name, kKeywords);
  problem(item.name.place,
          fmt::format("expects a port GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS or SELF, not {}{}",
                      in_quotes(name), near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

/// mgid=GID,flags up to the end of the line.
void OpensmPartitions::read_group(ReadPartition& read) {
  const std::size_t before = problems();
  const Item definition = item(",;=", true);
  const auto mgid = definition.value ? gid_from(definition.value->text) : std::nullopt;
  if (!mgid || !is_multicast(*mgid))
    return problem(definition.name.place, "expects mgid= and a multicast GID such as ff12:401b:ffff::1");
  partitions::ExtraGroup group{*mgid, {}};
  const std::vector<std::uint8_t> scopes = scopes_;
  while (peek() == ',' && problems() == before) {
    advance();
    skip(true);
    if (peek() == '\n') break;
    const Item flag = item(",;=", true);
    if (!read_group_flag(flag, group.options))
      problem(flag.name.place, fmt::format("unknown flag of a group: {}", in_quotes(flag.name.text)));
  }
  scopes_ = scopes;
  skip(true);
  if (problems() == before && !rest_.empty() && peek() != '\n' && peek() != ';')
    return problem(place_, fmt::format("a group ends with its line; expects a comma before {}", here()));
  read.partition.groups.push_back(group);
}

void OpensmPartitions::finish(ReadPartition read) {
  Partition& partition = read.partition;
  if (partition.ipoib && broadcast_) {
    if (scopes_.empty()) scopes_.push_back(broadcast_->scope);
    for (const std::uint8_t scope : scopes_) {
      GroupOptions options = *broadcast_;
      options.scope = scope;
      partition.broadcast.push_back(options);
    }
  }
  for (partitions::Member& member : partition.members)
    if (member.as == Membership::none) member.as = partition.default_membership;
  if (partition.key) {
    const auto [there, fresh] = by_key_.emplace(*partition.key, all_.size());
    if (!fresh) {
      Partition& first = all_[there->second].partition;
      first.members.insert(first.members.end(), partition.members.begin(), partition.members.end());
      first.groups.insert(first.groups.end(), partition.groups.begin(), partition.groups.end());
      if (!first.ipoib) first.broadcast = partition.broadcast;
      first.ipoib = first.ipoib || partition.ipoib;
      first.at_index0 = first.at_index0 || partition.at_index0;
      read.merged = true;
    }
  }
  all_.push_back(std::move(read));
}

}  // namespace

std::vector<ReadPartition> merged(std::vector<ReadPartition> all) {
  std::erase_if(all, [](const ReadPartition& one) { return one.merged; });
  return all;
}

std::vector<ReadPartition> read_opensm_partitions(std::string_view text, Report& report) {
  const Remarks remarks = check_text(text);
  for (const Remark& remark : remarks) report.problem(remark.place, remark.text);
  if (!remarks.empty()) return {};
  return OpensmPartitions(text, report).read();
}

}  // namespace weft::config

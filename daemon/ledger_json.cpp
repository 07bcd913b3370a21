#include "daemon/ledger_json.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "plan/registrations_json.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

constexpr std::size_t kPiece = 64u << 10;
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostBlocks = 768;  // 49,152 LIDs
constexpr std::size_t kDigestDigits = 16;
constexpr std::string_view kRegistrations = "registrations";

// --- reading

/// A value and how to name it: "lids[3].lid".
struct At {
  const json::value& value;
  std::string place;
};

Result<const json::object*> object_at(const At& at, std::set<std::string_view> keys,
                                      std::string_view may_have = {}) {
  const json::object* object = at.value.if_object();
  if (object == nullptr) return fail(Errc::malformed, "{}: an object is wanted", at.place);
  for (const auto& member : *object) {
    if (!may_have.empty() && member.key() == may_have) continue;
    if (keys.erase(std::string_view(member.key().data(), member.key().size())) == 0) {
      return fail(Errc::malformed, "{}: unknown key \"{}\"", at.place, std::string_view(member.key()));
    }
  }
  if (!keys.empty()) return fail(Errc::malformed, "{}: \"{}\" is missing", at.place, *keys.begin());
  return object;
}

Result<std::int64_t> number_in(const json::object& object, std::string_view key, std::int64_t low,
                               std::int64_t high, const std::string& place) {
  const json::value& value = object.at(key);
  const bool is_number = value.is_int64() || value.is_uint64();
  if (!is_number) return fail(Errc::malformed, "{}.{}: a whole number is wanted", place, key);
  const bool fits = value.is_int64() && value.get_int64() >= low && value.get_int64() <= high;
  if (!fits) return fail(Errc::invalid, "{}.{}: must be {} to {}", place, key, low, high);
  return value.get_int64();
}

Result<Guid> guid_in(const json::object& object, std::string_view key, const std::string& place) {
  const json::string* text = object.at(key).if_string();
  const auto guid = text != nullptr ? guid_from({text->data(), text->size()}) : std::nullopt;
  if (!guid)
    return fail(Errc::malformed, "{}.{}: a GUID such as \"0x0002c90300000001\" is wanted", place, key);
  return *guid;
}

/// Who owns which LIDs, by base.
using Owners = std::map<unsigned, std::pair<Guid, unsigned>>;

Result<void> claim(Owners& owners, Guid port, plan::LidRange range, const std::string& place) {
  const unsigned first = raw(range.base);
  const unsigned last = first + static_cast<unsigned>(range.size()) - 1;
  auto next = owners.upper_bound(last);
  if (next != owners.begin()) {
    const auto& [base, owner] = *std::prev(next);
    if (base + owner.second > first) {
      return fail(Errc::invalid, "{}: LID {} belongs to port {} already", place, std::max(first, base),
                  to_string(owner.first));
    }
  }
  owners.emplace(first, std::pair(port, static_cast<unsigned>(range.size())));
  return {};
}

Result<std::shared_ptr<const plan::LidMap>> lids_from(const At& at) {
  const json::array* array = at.value.if_array();
  if (array == nullptr) return fail(Errc::malformed, "{}: an array is wanted", at.place);
  auto lids = std::make_shared<plan::LidMap>();
  Owners owners;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string place = fmt::format("{}[{}]", at.place, i);
    const auto object = object_at({(*array)[i], place}, {"port", "lid", "lmc"});
    if (!object) return fail(object.error());
    const auto port = guid_in(**object, "port", place);
    if (!port) return fail(port.error());
    const auto lmc = number_in(**object, "lmc", 0, 7, place);
    if (!lmc) return fail(lmc.error());
    const auto lid = number_in(**object, "lid", 1, raw(kLidLastUnicast), place);
    if (!lid) return fail(lid.error());
    const plan::LidRange range{static_cast<Lid>(*lid), static_cast<std::uint8_t>(*lmc)};
    if (*lid % range.size() != 0 || *lid + range.size() - 1 > raw(kLidLastUnicast)) {
      return fail(Errc::invalid, "{}: LID {} does not begin {} aligned LIDs below {}", place, *lid,
                  range.size(), raw(kLidLastUnicast) + 1);
    }
    auto claimed = claim(owners, *port, range, place);
    if (!claimed) return fail(claimed.error());
    if (!lids->emplace(*port, range).second) {
      return fail(Errc::invalid, "{}: port {} stands there twice", place, to_string(*port));
    }
  }
  return lids;
}

Result<std::vector<std::uint64_t>> digests_in(const json::object& object, const std::string& place) {
  const json::string* text = object.at("lft_digests").if_string();
  if (text == nullptr || text->size() % kDigestDigits != 0 || text->size() / kDigestDigits > kMostBlocks) {
    return fail(Errc::malformed, "{}.lft_digests: {} digits for each of at most {} blocks are wanted", place,
                kDigestDigits, kMostBlocks);
  }
  std::vector<std::uint64_t> digests(text->size() / kDigestDigits);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const char* begin = text->data() + i * kDigestDigits;
    const auto [end, error] = std::from_chars(begin, begin + kDigestDigits, digests[i], 16);
    if (error != std::errc() || end != begin + kDigestDigits) {
      return fail(Errc::malformed, "{}.lft_digests: block {} is not hexadecimal", place, i);
    }
  }
  return digests;
}

Result<std::shared_ptr<const plan::DeviceMap>> devices_from(const At& at) {
  const json::array* array = at.value.if_array();
  if (array == nullptr) return fail(Errc::malformed, "{}: an array is wanted", at.place);
  auto devices = std::make_shared<plan::DeviceMap>();
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string place = fmt::format("{}[{}]", at.place, i);
    const auto object = object_at({(*array)[i], place}, {"node", "unkept_fields", "lft_digests"});
    if (!object) return fail(object.error());
    const auto node = guid_in(**object, "node", place);
    if (!node) return fail(node.error());
    const auto unkept = number_in(**object, "unkept_fields", 0, 0xffffffff, place);
    if (!unkept) return fail(unkept.error());
    auto digests = digests_in(**object, place);
    if (!digests) return fail(digests.error());
    auto record = std::make_shared<plan::DeviceRecord>();
    record->unkept_fields = static_cast<std::uint32_t>(*unkept);
    record->lft_digests = std::move(*digests);
    if (!devices->emplace(*node, std::move(record)).second) {
      return fail(Errc::invalid, "{}: node {} stands there twice", place, to_string(*node));
    }
  }
  return devices;
}

Result<void> check_head(const json::object& object) {
  if (object.at("format") != "weft-state") return fail(Errc::malformed, "format: \"weft-state\" is wanted");
  const json::value& version = object.at("version");
  if (version.is_int64() && version.get_int64() == kVersion) return {};
  return fail(Errc::invalid, "version: this weftd reads version {} only", kVersion);
}

}  // namespace

Result<plan::Ledger> ledger_from_json(std::string_view text) {
  json::error_code error;
  const json::value root = json::parse({text.data(), text.size()}, error);
  if (error) return fail(Errc::malformed, "no JSON: {}", error.message());
  const auto object = object_at({root, "state"}, {"format", "version", "lids", "devices"}, kRegistrations);
  if (!object) return fail(object.error());
  auto head = check_head(**object);
  if (!head) return fail(head.error());
  auto lids = lids_from({(*object)->at("lids"), "lids"});
  if (!lids) return fail(lids.error());
  auto devices = devices_from({(*object)->at("devices"), "devices"});
  if (!devices) return fail(devices.error());
  plan::Ledger ledger{std::move(*lids), std::move(*devices)};
  if (const json::value* told = (*object)->if_contains(kRegistrations); told != nullptr && !told->is_null()) {
    auto registrations = plan::registrations_from(*told, std::string(kRegistrations));
    if (!registrations) return fail(registrations.error());
    ledger.sa = std::move(*registrations);
  }
  return ledger;
}

// --- writing

LedgerWriter::LedgerWriter(plan::Ledger ledger, std::string registrations)
    : ledger_(std::move(ledger)),
      registrations_(std::move(registrations)),
      lid_(ledger_.lids->begin()),
      device_(ledger_.devices->begin()) {}

bool LedgerWriter::next(std::string& out) {
  if (part_ == Part::done) return false;
  const std::size_t until = out.size() + kPiece;
  if (part_ == Part::head) {
    out += fmt::format("{{\"format\":\"weft-state\",\"version\":{},\n\"lids\":[", kVersion);
    part_ = Part::lids;
  }
  if (part_ == Part::lids) write_lids(out, until);
  if (part_ == Part::devices) write_devices(out, until);
  if (part_ == Part::registrations) write_registrations(out, until);
  return true;
}

void LedgerWriter::write_lids(std::string& out, std::size_t until) {
  for (; lid_ != ledger_.lids->end() && out.size() < until; ++lid_) {
    const auto& [port, range] = *lid_;
    fmt::format_to(std::back_inserter(out), "{}\n{{\"port\":\"{}\",\"lid\":{},\"lmc\":{}}}",
                   lid_ == ledger_.lids->begin() ? "" : ",", to_string(port), raw(range.base), range.lmc);
  }
  if (lid_ != ledger_.lids->end()) return;
  out += "],\n\"devices\":[";
  part_ = Part::devices;
}

void LedgerWriter::write_devices(std::string& out, std::size_t until) {
  for (; device_ != ledger_.devices->end() && out.size() < until; ++device_) {
    const auto& [node, record] = *device_;
    fmt::format_to(std::back_inserter(out), "{}\n{{\"node\":\"{}\",\"unkept_fields\":{},\"lft_digests\":\"",
                   device_ == ledger_.devices->begin() ? "" : ",", to_string(node), record->unkept_fields);
    for (const std::uint64_t digest : record->lft_digests) {
      fmt::format_to(std::back_inserter(out), "{:016x}", digest);
    }
    out += "\"}";
  }
  if (device_ != ledger_.devices->end()) return;
  out += "],\n\"registrations\":";
  part_ = Part::registrations;
}

void LedgerWriter::write_registrations(std::string& out, std::size_t until) {
  if (out.size() >= until) return;
  const std::string_view left = std::string_view(registrations_).substr(written_);
  const std::string_view piece = left.substr(0, until - out.size());
  out += piece;
  written_ += piece.size();
  if (piece.size() < left.size()) return;
  out += "}\n";
  part_ = Part::done;
}

std::string to_json(const plan::Ledger& ledger) {
  std::string out;
  LedgerWriter writer(ledger);
  while (writer.next(out)) {
  }
  return out;
}

}  // namespace weft::daemon

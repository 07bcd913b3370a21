#pragma once
// The Ledger as JSON, for `state export` and `state import`: one form with a version, written piece by piece,
// read with every value checked before anything is taken over.
//
//   {"format":"weft-state","version":1,
//    "lids":[{"port":"0x0002c90300000001","lid":1,"lmc":0}, ...],
//    "devices":[{"node":"0x...","unkept_fields":0,"lft_digests":"16 hexadecimal digits a block"}, ...],
//    "registrations":{...}}    what clients have told the SA (plan/registrations_json.h); null
//                              or missing where that is not told

#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/ledger.h"

namespace weft::daemon {

class LedgerWriter {
 public:
  /// `registrations`: as registrations_json() writes them.
  explicit LedgerWriter(plan::Ledger ledger, std::string registrations = "null");
  /// Appends the next piece, about 64 kB; false when all is written.
  bool next(std::string& out);

 private:
  enum class Part { head, lids, devices, registrations, done };
  void write_lids(std::string& out, std::size_t until);
  void write_devices(std::string& out, std::size_t until);
  void write_registrations(std::string& out, std::size_t until);

  plan::Ledger ledger_;
  std::string registrations_;
  std::size_t written_ = 0;  // of them
  Part part_ = Part::head;
  plan::LidMap::const_iterator lid_;
  plan::DeviceMap::const_iterator device_;
};

std::string to_json(const plan::Ledger& ledger);

/// Errors: `malformed` for what is no JSON or not of this form, unknown keys included; `invalid` for another
/// version, a value out of range, or two ports with one LID. The text names the place.
Result<plan::Ledger> ledger_from_json(std::string_view text);

}  // namespace weft::daemon

#include "sa/served.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

/// What is said to be served is answered, and nothing else is: every attribute by every method.
TEST(Served, IsWhatIsAnswered) {
  Desk desk;
  const std::vector<Served> all = served();
  const std::vector<std::uint8_t> data(mad::kSaDataSize, 0);
  for (unsigned number = 0; number <= 0x1ff; ++number) {
    const auto attribute = static_cast<mad::SaAttr>(number);
    const auto entry = std::ranges::find(all, attribute, &Served::attribute);
    for (const mad::Method method :
         {mad::Method::get, mad::Method::set, mad::Method::get_table, mad::Method::get_trace_table,
          mad::Method::get_multi, mad::Method::delete_}) {
      Request request = request_from(desk.lid_of("HcaA"), method, attribute, 0, data);
      request.trusted = true;
      const bool known =
          entry != all.end() && std::ranges::find(entry->methods, method) != entry->methods.end();
      const bool refused = desk.ask(request).status == raw(mad::Status::bad_method_attribute);
      EXPECT_NE(known, refused) << "attribute 0x" << std::hex << number << " by " << mad::name(method);
    }
  }
}

}  // namespace
}  // namespace weft::sa

// Segments, acknowledgements and aborts of any kind and order: memory and time stay bounded, and what is
// handed over whole is within its limit.

#include <cstdlib>
#include <cstring>

#include "base/virtual_clock.h"
#include "tests/transport/fake_transport.h"
#include "transport/rmpp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace weft;
  VirtualClock clock;
  transport::tests::FakeTransport fake(clock, transport::tests::silence);
  transport::RmppSettings settings;
  settings.most_transfers = 16;
  settings.most_bytes = 1u << 20;
  transport::Rmpp rmpp(
      fake, clock,
      [&](const mad::Mad& head, std::vector<std::uint8_t> data) {
        if (data.size() > settings.most_request_bytes) std::abort();
        (void)rmpp.send(head, std::move(data));
      },
      settings);
  constexpr std::size_t kStep = 16;
  for (; size >= kStep; bytes += kStep, size -= kStep) {
    mad::Mad mad;
    mad::Header header;
    header.mgmt_class = mad::MgmtClass::subn_adm;
    header.class_version = mad::kSaVersion;
    header.method = (bytes[0] & 1) != 0 ? mad::Method::get_multi : mad::Method::get_table_resp;
    header.tid = bytes[1] % 4;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
    mad::SaHeader sa;
    sa.rmpp_version = bytes[2] % 16 == 0 ? bytes[2] : std::uint8_t{1};
    sa.rmpp_type = static_cast<mad::RmppType>(bytes[3] % 6);
    sa.rmpp_flags = bytes[4];
    sa.rmpp_status = bytes[5];
    sa.segment = bytes[6] % 8 == 0 ? 0xffffffffu : bytes[6] % 16;
    sa.payload_length =
        bytes[7] % 8 == 0 ? 0xffffffffu : static_cast<std::uint32_t>(bytes[8]) << bytes[7] % 10;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), sa);
    mad.address = {.lid = static_cast<Lid>(bytes[9] % 3 + 1), .qp = bytes[10] % 2u + 1u};
    if (bytes[11] % 8 == 0) (void)rmpp.send(mad, std::vector<std::uint8_t>(bytes[12] * 64u));
    (void)rmpp.handle(mad);
    if (rmpp.transfers() > settings.most_transfers) std::abort();
    fake.requests.clear();
  }
  return 0;
}

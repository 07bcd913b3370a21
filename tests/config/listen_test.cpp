#include "config/listen.h"

#include <gtest/gtest.h>

#include "config/read.h"

namespace weft::config {
namespace {

TEST(ListenAddress, IsAnAddressAndAPort) {
  const auto four = listen_from("127.0.0.1:8723");
  ASSERT_TRUE(four) << four.error().what;
  EXPECT_EQ(four->address, "127.0.0.1");
  EXPECT_EQ(four->port, 8723);
  EXPECT_TRUE(four->loopback);
  EXPECT_EQ(listen_from("[::1]:1")->address, "::1");
  EXPECT_TRUE(listen_from("[::1]:1")->loopback);
  EXPECT_TRUE(listen_from("localhost:1")->loopback);
  EXPECT_FALSE(listen_from("0.0.0.0:1")->loopback);
  EXPECT_FALSE(listen_from("[::]:1")->loopback);
  for (const char* bad : {"", "8723", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "::1:5",
                          "host:5", "[::1]", "127.1:5"})
    EXPECT_FALSE(listen_from(bad)) << bad;
}

std::string refusal_of_tcp(const std::string& tcp) {
  const auto read = read_text("control: { tcp: { " + tcp + " } }\n", "f");
  return read ? "" : read.error().what;
}

TEST(ControlTcp, IsRefusedWhereOthersCouldReadAlong) {
  EXPECT_EQ(refusal_of_tcp("listen: '127.0.0.1:1', read_token_file: /t"), "");
  EXPECT_EQ(refusal_of_tcp("listen: '127.0.0.1:1', open_reading: yes"), "");
  EXPECT_EQ(refusal_of_tcp("listen: '10.0.0.1:1', read_token_file: /t, tls: { cert: /c, key: /k }"), "");
  EXPECT_NE(refusal_of_tcp("listen: '10.0.0.1:1', read_token_file: /t").find("control.tcp.tls.cert"),
            std::string::npos);
  EXPECT_NE(refusal_of_tcp("listen: '10.0.0.1:1', open_reading: yes, tls: { cert: /c, key: /k }")
                .find("for loopback only"),
            std::string::npos);
  EXPECT_NE(refusal_of_tcp("listen: '127.0.0.1:1'").find("nobody could read"), std::string::npos);
  EXPECT_NE(refusal_of_tcp("listen: 'x', open_reading: yes").find("expects an address"), std::string::npos);
  EXPECT_NE(refusal_of_tcp("tls: { cert: /c }").find("need each other"), std::string::npos);
}

}  // namespace
}  // namespace weft::config

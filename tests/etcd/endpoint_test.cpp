#include "etcd/endpoint.h"

#include <gtest/gtest.h>

namespace weft::etcd {
namespace {

TEST(Endpoint, IsReadFromAUrl) {
  EXPECT_EQ(parse_endpoint("http://etcd-1:1234").value(), (Endpoint{false, "etcd-1", "1234"}));
  EXPECT_EQ(parse_endpoint("https://10.0.0.1/").value(), (Endpoint{true, "10.0.0.1", "2379"}));
  EXPECT_EQ(parse_endpoint("https://[fe80::1]:80").value(), (Endpoint{true, "fe80::1", "80"}));
  EXPECT_EQ(to_string(parse_endpoint("https://[fe80::1]").value()), "https://[fe80::1]:2379");
}

TEST(Endpoint, ThatCannotBeIsRefusedWithItsUrl) {
  for (const char* bad :
       {"", "etcd-1:2379", "ftp://a", "http://", "http://:80", "http://a:0", "http://a:70000", "http://a:x",
        "http://[::1", "http://[::1]x", "http://a/b", "http://user@a"}) {
    const auto read = parse_endpoint(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().code, Errc::invalid);
    EXPECT_NE(read.error().what.find(bad), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::etcd

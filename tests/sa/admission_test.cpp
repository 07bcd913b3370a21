// Conformance cases A: versions, methods, attributes.

#include <gtest/gtest.h>

#include "tests/sa/desk.h"

namespace weft::sa {
namespace {

using mad::Method;
using mad::SaAttr;

std::uint16_t status_of(Method method, SaAttr attribute, std::uint8_t version = 2) {
  Desk desk;
  Request request = desk.request(method, attribute, 0);
  request.header.class_version = version;
  return desk.ask(request).status;
}

TEST(A1, ClassPortInfoTellsWhatThereIs) {
  Desk desk;
  const Answer answer = desk.get(SaAttr::class_port_info);
  EXPECT_EQ(answer.status, 0);
  EXPECT_FALSE(answer.table);
  ASSERT_EQ(answer.data.size(), 72u);
  const auto info = mad::decode<mad::ClassPortInfo>(std::span<const std::uint8_t>(answer.data));
  EXPECT_EQ(info.class_version, 2);
  for (const int capability : {9, 10, 13}) EXPECT_TRUE(info.capabilities & 1u << capability) << capability;
  for (const int capability : {10, 12}) EXPECT_TRUE(info.capabilities2 & 1u << capability) << capability;
  EXPECT_EQ(info.redirect_lid, kLidNone);
  EXPECT_EQ(info.redirect_qp, 1u);
  EXPECT_EQ(info.redirect_qkey, 0x80010000u);
}

TEST(A2A3, ClassPortInfoIsOnlyRead) {
  for (const Method method : {Method::get_table, Method::set, Method::delete_})
    EXPECT_EQ(status_of(method, SaAttr::class_port_info), 0x000c) << name(method);
}

TEST(A7A8, OtherClassVersionsAreRefused) {
  EXPECT_EQ(status_of(Method::get, SaAttr::class_port_info, 1), 0x0004);
  EXPECT_EQ(status_of(Method::get, SaAttr::class_port_info, 3), 0x0004);
}

TEST(A9A10, UnknownMethodsAreRefused) {
  EXPECT_EQ(status_of(static_cast<Method>(0x7f), SaAttr::node_record), 0x0008);
  EXPECT_EQ(status_of(Method::send, SaAttr::node_record), 0x0008);
}

TEST(A11ToA15, WhatIsNotOfferedIsRefused) {
  EXPECT_EQ(status_of(Method::get_trace_table, SaAttr::node_record), 0x000c);
  EXPECT_EQ(status_of(Method::get_table, SaAttr::trace_record), 0x000c);
  EXPECT_EQ(status_of(Method::get_table, static_cast<SaAttr>(0x16)), 0x000c);
  EXPECT_EQ(status_of(Method::get_table, static_cast<SaAttr>(0x3b)), 0x000c);
  EXPECT_EQ(status_of(Method::get, static_cast<SaAttr>(0xfff0)), 0x000c);
  EXPECT_EQ(status_of(Method::get, SaAttr::notice), 0x000c);
  EXPECT_EQ(status_of(Method::set, SaAttr::notice), 0x000c);
}

TEST(A18A19, UnknownMaskBitsAndModifiersAreIgnored) {
  Desk desk;
  EXPECT_EQ(count(desk.table(SaAttr::node_record, bit(40))), 6u);
  Request request = desk.request(Method::get_table, SaAttr::node_record, 0);
  request.header.modifier = 5;
  EXPECT_EQ(count(desk.ask(request)), 6u);
}

TEST(A21, ARefusalBringsTheDataBack) {
  Desk desk;
  const Answer answer =
      desk.ask(Method::get, SaAttr::link_record, bit(0), mad::LinkRecord{Lid{0x7000}, {}, {}, {}});
  EXPECT_EQ(answer.status, 0x0300);
  EXPECT_EQ(answer.method, Method::get_resp);
  EXPECT_EQ(answer.data.size(), 200u);
  EXPECT_EQ(mad::decode<mad::LinkRecord>(std::span<const std::uint8_t>(answer.data)).from_lid, Lid{0x7000});
}

}  // namespace
}  // namespace weft::sa

#pragma once
// sa_request(): a question to the subnet administration, as programs on hosts put it.

#include "mad/mad.h"
#include "mad/sa.h"

namespace weft::test {

/// To QP 1 of the port with LID `to`; the record, if there is one, goes to mad::kSaDataAt.
inline mad::Mad sa_request(Lid to, mad::Method method, mad::SaAttr attribute, std::uint64_t mask,
                           std::uint64_t tid = 0) {
  mad::Mad mad;
  mad::Header header;
  header.mgmt_class = mad::MgmtClass::subn_adm;
  header.class_version = mad::kSaVersion;
  header.method = method;
  header.attribute = static_cast<mad::AttrId>(attribute);
  header.tid = tid;
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
  mad::SaHeader sa;
  sa.component_mask = mask;
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), sa);
  mad.address = {.lid = to, .qp = 1};
  return mad;
}

}  // namespace weft::test

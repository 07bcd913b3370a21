// Cases X1 to X4: traps are repressed at once, known or not, and SMInfo is told.

#include "daemon/responder.h"

#include <gtest/gtest.h>

#include "base/virtual_clock.h"
#include "mad/notice.h"
#include "tests/transport/fake_transport.h"

namespace weft::daemon {
namespace {

using mad::Mad;
using mad::Method;

struct Answering {
  VirtualClock clock;
  transport::tests::FakeTransport transport{clock, transport::tests::silence};
  std::vector<mad::Notice> heard;
  std::vector<std::pair<Word, mad::SmInfo>> words;
  std::optional<bool> legal = true;  ///< What is made of a word.
  Responder responder{transport, handlers()};

  Responder::Handlers handlers() {
    Responder::Handlers on;
    on.self = [] {
      mad::SmInfo info;
      info.guid = Guid{0x10};
      info.priority = 5;
      info.act_count = 9;
      info.state = mad::SmState::master;
      return info;
    };
    on.told = [this](Word word, const mad::SmInfo& speaker, const std::optional<mad::DirectedRoute>&) {
      words.emplace_back(word, speaker);
      return legal;
    };
    on.m_key_of = [](Lid lid) { return lid == Lid{9} ? 0x77u : 0x70u; };
    on.is_our_m_key = [](std::uint64_t shown) { return shown == 0x77; };
    on.trap = [this](const mad::Notice& notice, Lid) { heard.push_back(notice); };
    on.administration = [](const Mad&) {};
    return on;
  }

  static Mad smp(Method method, mad::AttrId attribute, std::uint64_t tid) {
    Mad mad;
    mad::Header header;
    header.mgmt_class = mad::MgmtClass::subn_lid_routed;
    header.method = method;
    header.attribute = attribute;
    header.tid = tid;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
    mad.address.lid = Lid{9};
    return mad;
  }
  static Mad trap(std::uint16_t number, std::uint64_t tid) {
    Mad mad = smp(Method::trap, mad::AttrId::notice, tid);
    mad::Notice notice;
    notice.trap = static_cast<mad::TrapNumber>(number);
    notice.issuer = Lid{9};
    notice.details[3] = 0x5a;
    mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSmpDataAt), notice);
    return mad;
  }
};

TEST(X1X2, EveryTrapIsRepressedWithItsTransactionAndItsData) {
  Answering here;
  std::uint64_t tid = 100;
  for (const std::uint16_t number : {128, 129, 130, 131, 144, 145, 256, 257, 258, 259, 999}) {
    const Mad trap = Answering::trap(number, ++tid);
    here.responder.handle(trap);
    ASSERT_FALSE(here.transport.requests.empty());
    const Mad& repress = here.transport.requests.back();
    EXPECT_EQ(mad::method_of(repress), Method::trap_repress);
    EXPECT_EQ(mad::header_of(repress).tid, tid);
    EXPECT_EQ(mad::header_of(repress).modifier, 0u);
    EXPECT_EQ(repress.address.lid, Lid{9});
    EXPECT_EQ(get_bits(repress.bytes, 24 * 8, 64), 0x77u) << "with the M_Key";
    EXPECT_TRUE(std::equal(trap.bytes.begin() + mad::kSmpDataAt, trap.bytes.end(),
                           repress.bytes.begin() + mad::kSmpDataAt));
    EXPECT_EQ(raw(here.heard.back().trap), number);
  }
}

TEST(X3, ATrapThatComesAThousandTimesIsRepressedEachTime) {
  Answering here;
  for (int i = 0; i < 1000; ++i) here.responder.handle(Answering::trap(128, 5));
  EXPECT_EQ(here.transport.requests.size(), 1000u);
}

TEST(X4, SmInfoTellsWhoWeAre) {
  Answering here;
  here.responder.handle(Answering::smp(Method::get, mad::AttrId::sm_info, 7));
  ASSERT_EQ(here.transport.requests.size(), 1u);
  const Mad& answer = here.transport.requests.back();
  EXPECT_EQ(mad::header_of(answer).status, 0);
  const auto info =
      mad::decode<mad::SmInfo>(std::span<const std::uint8_t>(answer.bytes).subspan(mad::kSmpDataAt));
  EXPECT_EQ(info.guid, Guid{0x10});
  EXPECT_EQ(info.priority, 5);
  EXPECT_EQ(info.act_count, 9u);
  EXPECT_EQ(info.state, mad::SmState::master);
  EXPECT_EQ(info.sm_key, 0u);
}

struct Said {
  std::uint32_t modifier;
  std::optional<bool> legal;
  std::optional<std::uint16_t> status;  ///< Nothing: no answer.
};

Mad word(std::uint32_t modifier) {
  Mad mad = Answering::smp(Method::set, mad::AttrId::sm_info, 8);
  mad::Header header = mad::header_of(mad);
  header.modifier = modifier;
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
  mad::SmInfo speaker;
  speaker.guid = Guid{0x20};
  mad::encode_into(std::span<std::uint8_t>(mad.bytes).subspan(mad::kSmpDataAt), speaker);
  return mad;
}

TEST(X5X6, AWordOfAnotherManagerIsAnsweredAsTheElectionJudgesIt) {
  for (const Said& said : {Said{1, true, 0}, Said{5, true, 0}, Said{1, false, 0x1c},
                           Said{3, std::nullopt, {}}, Said{0, true, 0x1c}, Said{6, true, 0x1c}}) {
    Answering here;
    here.legal = said.legal;
    here.responder.handle(word(said.modifier));
    ASSERT_EQ(here.transport.requests.size(), said.status ? 1u : 0u) << said.modifier;
    if (!said.status) continue;
    const Mad& answer = here.transport.requests.back();
    EXPECT_EQ(mad::header_of(answer).status, *said.status) << said.modifier;
    EXPECT_EQ(mad::method_of(answer), Method::get_resp);
    const bool is_word = said.modifier >= 1 && said.modifier <= 5;
    ASSERT_EQ(here.words.size(), is_word ? 1u : 0u);
    if (is_word) {
      EXPECT_EQ(here.words[0].second.guid, Guid{0x20});
    }
  }
}

}  // namespace
}  // namespace weft::daemon

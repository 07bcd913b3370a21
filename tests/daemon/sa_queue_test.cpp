#include "daemon/sa_queue.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>

namespace weft::daemon {
namespace {

mad::Mad request(std::uint16_t lid, std::uint64_t tid) {
  mad::Mad mad;
  mad::Header header;
  header.mgmt_class = mad::MgmtClass::subn_adm;
  header.method = mad::Method::get;
  header.tid = tid;
  mad::encode_into(std::span<std::uint8_t>(mad.bytes), header);
  mad.address = {.lid = Lid{lid}, .qp = 1};
  return mad;
}

using Put = SaQueue::Put;

TEST(SaQueue, PortsTakeTurns) {
  SaQueue queue;
  for (std::uint64_t tid = 0; tid < 3; ++tid) EXPECT_EQ(queue.put(request(1, tid), {}, 10, 100), Put::queued);
  EXPECT_EQ(queue.put(request(2, 0), {}, 10, 100), Put::queued);
  std::vector<std::uint16_t> order;
  while (const auto next = queue.take()) order.push_back(raw(next->mad.address.lid));
  EXPECT_EQ(order, (std::vector<std::uint16_t>{1, 2, 1, 1}));
}

TEST(SaQueue, ARepeatOfWhatWaitsIsDropped) {
  SaQueue queue;
  EXPECT_EQ(queue.put(request(1, 5), {}, 10, 100), Put::queued);
  EXPECT_EQ(queue.put(request(1, 5), {}, 10, 100), Put::duplicate);
  EXPECT_EQ(queue.put(request(2, 5), {}, 10, 100), Put::queued) << "another port's is another";
  ASSERT_TRUE(queue.take());
  EXPECT_EQ(queue.put(request(1, 5), {}, 10, 100), Put::queued) << "it has been served: it may come again";
}

TEST(SaQueue, NobodyHoldsMoreThanHisShare) {
  SaQueue queue;
  for (std::uint64_t tid = 0; tid < 4; ++tid) EXPECT_EQ(queue.put(request(1, tid), {}, 4, 8), Put::queued);
  EXPECT_EQ(queue.put(request(1, 9), {}, 4, 8), Put::over_quota);
  EXPECT_EQ(queue.put(request(2, 0), {}, 4, 8), Put::queued) << "others have room still";
}

RC_GTEST_PROP(SaQueueAlways, IsBoundedLosesNothingAndForgetsNothing, ()) {
  SaQueue queue;
  std::map<std::pair<std::uint16_t, std::uint64_t>, int> waiting;
  for (const auto& [lid, tid] : *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
           rc::gen::pair(rc::gen::inRange<std::uint8_t>(1, 6), rc::gen::inRange<std::uint8_t>(0, 20)))) {
    const bool known = waiting.contains({lid, tid});
    const Put put = queue.put(request(lid, tid), {}, 8, 20);
    RC_ASSERT((put == Put::duplicate) == known);
    if (put == Put::queued) ++waiting[{lid, tid}];
    RC_ASSERT(queue.size() <= 20u);
    if (tid % 3 != 0) continue;
    if (const auto next = queue.take())
      RC_ASSERT(waiting.erase({raw(next->mad.address.lid), mad::header_of(next->mad).tid}) == 1u);
  }
  while (const auto next = queue.take())
    RC_ASSERT(waiting.erase({raw(next->mad.address.lid), mad::header_of(next->mad).tid}) == 1u);
  RC_ASSERT(waiting.empty());
}

}  // namespace
}  // namespace weft::daemon

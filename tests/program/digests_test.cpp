#include "program/digests.h"

#include <array>

#include <gtest/gtest.h>

#include "program/render.h"
#include "tests/support/fabric_of.h"

namespace weft::program {
namespace {

class Digests : public testing::Test {
 protected:
  Digests() {
    plan_.routing.routes.top = Lid{100};
    for (std::size_t s = 0; s < fabric_.switch_count(); ++s)
      plan_.routing.routes.lfts.push_back(
          std::make_shared<routing::Lft>(128, static_cast<std::uint8_t>(s + 1)));
  }
  Guid guid(std::size_t s) const { return fabric_.node(static_cast<SwitchId>(s)).guid; }
  void tell_switch_info(mad::Shadow& shadow, Lid top) const {
    mad::SwitchInfo info;
    info.lft_capacity = 0xc000;
    info.lft_top = top;
    for (std::size_t s = 0; s < fabric_.switch_count(); ++s)
      shadow.set(guid(s), mad::AttrId::switch_info, 0, mad::encode(info));
  }
  void hold_all(mad::Shadow& shadow) const {
    for (std::size_t s = 0; s < fabric_.switch_count(); ++s)
      for (std::uint32_t block = 0; block < 2; ++block)
        shadow.set(guid(s), mad::AttrId::linear_forwarding, block,
                   lft_block(*plan_.routing.routes.lfts[s], block));
  }

  fabric::Fabric fabric_ = test::fabric_of("fat-tree:radix=4");
  plan::Plan plan_;
  std::shared_ptr<const plan::DeviceMap> none_ = std::make_shared<plan::DeviceMap>();
};

TEST_F(Digests, OfWhatWasWrittenAreTakenInsteadOfReadingItBack) {
  mad::Shadow before;
  tell_switch_info(before, Lid{100});
  hold_all(before);
  const auto records = updated_devices(fabric_, before, none_, {}, {}, {});

  mad::Shadow after;
  tell_switch_info(after, Lid{100});
  EXPECT_TRUE(to_read_back(fabric_, after, *records).empty());
  adopt_digests(fabric_, plan_, *records, after);
  for (std::size_t s = 0; s < fabric_.switch_count(); ++s)
    EXPECT_TRUE(lft_work(*plan_.routing.routes.lfts[s], Lid{100}, after.find_device(guid(s))).empty());
}

TEST_F(Digests, AreNotTakenForABlockThatIsPlannedOtherwise) {
  mad::Shadow before;
  tell_switch_info(before, Lid{100});
  hold_all(before);
  const auto records = updated_devices(fabric_, before, none_, {}, {}, {});
  const auto changed = std::make_shared<routing::Lft>(
      plan_.routing.routes.lfts[0]->with(std::array{routing::Lft::Entry{70, 9}}));
  plan_.routing.routes.lfts[0] = changed;

  mad::Shadow after;
  tell_switch_info(after, Lid{100});
  adopt_digests(fabric_, plan_, *records, after);
  EXPECT_EQ(lft_work(*changed, Lid{100}, after.find_device(guid(0))), std::vector<std::uint32_t>{1});
}

TEST_F(Digests, AreNotTrustedWhenTheSwitchIsBlank) {
  mad::Shadow before;
  tell_switch_info(before, Lid{100});
  hold_all(before);
  const auto records = updated_devices(fabric_, before, none_, {}, {}, {});
  mad::Shadow after;
  tell_switch_info(after, Lid{0});
  adopt_digests(fabric_, plan_, *records, after);
  EXPECT_EQ(lft_work(*plan_.routing.routes.lfts[0], Lid{100}, after.find_device(guid(0))).size(), 2u);
}

TEST_F(Digests, AreMissedForAConfiguredSwitchThatIsThenReadBack) {
  mad::Shadow shadow;
  tell_switch_info(shadow, Lid{100});
  EXPECT_EQ(to_read_back(fabric_, shadow, *none_).size(), fabric_.switch_count());
  tell_switch_info(shadow, Lid{0});
  EXPECT_TRUE(to_read_back(fabric_, shadow, *none_).empty());
}

TEST_F(Digests, AreTheSamePointerWhenNothingChanged) {
  mad::Shadow shadow;
  tell_switch_info(shadow, Lid{100});
  hold_all(shadow);
  const auto records = updated_devices(fabric_, shadow, none_, {}, {}, {});
  EXPECT_NE(records, none_);
  EXPECT_EQ(updated_devices(fabric_, shadow, records, {}, {}, {}), records);
}

}  // namespace
}  // namespace weft::program

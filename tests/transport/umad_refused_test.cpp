// A kernel that refuses: this program has its own umad_* functions, and so decides what libibumad answers.

#include <gtest/gtest.h>
#include <infiniband/umad.h>

#include <cerrno>
#include <optional>
#include <set>

#include "transport/umad/umad_port.h"

namespace {

/// What the stand-in does.
struct Kernel {
  std::optional<int> refused_class;  ///< Agents of this class are refused...
  int refusals = 0;                  ///< ...so often...
  int error = EPERM;                 ///< ...with this errno.
  int open_error = 0;                ///< Not 0: the port cannot be opened.
  bool has_module = true;
  int opened = 0;
  int closed = 0;
  std::set<int> agents;
};
Kernel kernel;

}  // namespace

extern "C" {
int umad_init(void) { return kernel.has_module ? 0 : -1; }
int umad_open_port(const char*, int) {
  if (kernel.open_error != 0) {
    errno = kernel.open_error;
    return -1;
  }
  ++kernel.opened;
  return 7;
}
int umad_close_port(int) {
  ++kernel.closed;
  return 0;
}
int umad_register(int, int mgmt_class, int, uint8_t, long[16 / sizeof(long)]) {
  if (kernel.refused_class == mgmt_class && kernel.refusals > 0) {
    --kernel.refusals;
    errno = kernel.error;
    return -1;
  }
  kernel.agents.insert(mgmt_class);
  return static_cast<int>(kernel.agents.size());
}
int umad_unregister(int, int) { return 0; }
}

namespace weft::transport {
namespace {

class Refused : public testing::Test {
 protected:
  Refused() { kernel = Kernel{}; }
  static std::string words() {
    const Result<UmadPort> port = UmadPort::open("mlx5_3", PortNum{2});
    return port ? "opened" : port.error().what;
  }
};

TEST_F(Refused, ClassIsToldWithDevicePortVersionAndReason) {
  for (const auto& [mgmt_class, error, told] :
       {std::tuple(0x81, EPERM,
                   "mlx5_3 port 2: cannot register for class 0x81 version 1: Operation not permitted"),
        std::tuple(0x01, EBUSY,
                   "mlx5_3 port 2: cannot register for class 0x01 version 1: Device or resource busy"),
        std::tuple(0x03, EINVAL, "mlx5_3 port 2: cannot register for class 0x03 version 2: Invalid argument"),
        std::tuple(0x04, ENOMEM,
                   "mlx5_3 port 2: cannot register for class 0x04 version 1: Cannot allocate memory")}) {
    kernel = Kernel{};
    kernel.refused_class = mgmt_class;
    kernel.refusals = 1;
    kernel.error = error;
    const Result<UmadPort> port = UmadPort::open("mlx5_3", PortNum{2});
    ASSERT_FALSE(port);
    EXPECT_TRUE(port.error().what.starts_with(told)) << port.error().what;
    EXPECT_EQ(port.error().code, Errc::system);
    EXPECT_EQ(kernel.closed, kernel.opened) << "a port that is of no use is given back";
  }
}

TEST_F(Refused, TwiceAndThenGrantedGivesAPort) {
  kernel.refused_class = 0x81;
  kernel.refusals = 2;
  EXPECT_NE(words().find("class 0x81"), std::string::npos);
  EXPECT_NE(words().find("class 0x81"), std::string::npos);
  EXPECT_EQ(words(), "opened");
  EXPECT_EQ(kernel.agents, (std::set{0x01, 0x03, 0x04, 0x81}));
}

TEST_F(Refused, PortOrModuleIsToldWithTheReason) {
  kernel.open_error = EACCES;
  EXPECT_EQ(words(), "mlx5_3 port 2: cannot open: Permission denied");
  kernel.open_error = ENODEV;
  EXPECT_EQ(words(), "mlx5_3 port 2: cannot open: No such device");
  kernel.has_module = false;
  EXPECT_NE(words().find("is the kernel module ib_umad loaded?"), std::string::npos);
}

}  // namespace
}  // namespace weft::transport

#pragma once
// Components: where the parts of a record lie that a query's component mask can ask for, by bit of the mask;
// and whether a record has what a query asks. Source: IBTA vol. 1, 15.2.3.1 and the tables of 15.2.5.

#include <array>
#include <cstdint>
#include <span>

namespace weft::sa {

/// Bits of a record, from `first` on. `bits` 0: reserved, never compared.
struct Component {
  std::uint16_t first = 0;
  std::uint16_t bits = 0;
};

/// By bit of the mask; mask bits beyond the end are ignored, as clients expect.
using Components = std::span<const Component>;

/// True when the record equals the query in all components of the mask. Both hold a whole record.
bool matches(std::span<const std::uint8_t> record, std::span<const std::uint8_t> query, std::uint64_t mask,
             Components components);

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }

inline constexpr std::array<Component, 15> kNodeRecord = {{{0, 16},
                                                           {},
                                                           {32, 8},
                                                           {40, 8},
                                                           {48, 8},
                                                           {56, 8},
                                                           {64, 64},
                                                           {128, 64},
                                                           {192, 64},
                                                           {256, 16},
                                                           {272, 16},
                                                           {288, 32},
                                                           {320, 8},
                                                           {328, 24},
                                                           {352, 512}}};

/// PortInfo lies 32 bits behind the record's start. CapabilityMask (7) and CapabilityMask2 (53) may be asked
/// for as "has all of these bits".
inline constexpr std::array<Component, 58> kPortInfoRecord = {
    {{0, 16},   {16, 8},  {24, 8},  {32, 64},  {96, 64},  {160, 16}, {176, 16}, {192, 32}, {224, 16},
     {240, 16}, {256, 8}, {264, 8}, {272, 8},  {280, 8},  {288, 4},  {292, 4},  {296, 4},  {300, 4},
     {304, 2},  {},       {309, 3}, {312, 4},  {316, 4},  {320, 4},  {324, 4},  {328, 4},  {332, 4},
     {336, 8},  {344, 8}, {352, 8}, {360, 4},  {364, 4},  {368, 3},  {371, 5},  {376, 4},  {380, 1},
     {381, 1},  {382, 1}, {383, 1}, {384, 16}, {400, 16}, {416, 16}, {432, 8},  {440, 1},  {},
     {443, 5},  {},       {451, 5}, {456, 4},  {460, 4},  {464, 16}, {},        {488, 24}, {512, 16},
     {528, 4},  {532, 4}, {},       {539, 5}}};
inline constexpr int kCapabilityMaskBit = 7;
inline constexpr int kCapabilityMask2Bit = 53;

/// SwitchInfo's fields in their order follow the LID.
inline constexpr std::array<Component, 19> kSwitchInfoRecord = {{{0, 16},
                                                                 {},
                                                                 {32, 16},
                                                                 {48, 16},
                                                                 {64, 16},
                                                                 {80, 16},
                                                                 {96, 8},
                                                                 {104, 8},
                                                                 {112, 8},
                                                                 {120, 5},
                                                                 {125, 1},
                                                                 {126, 2},
                                                                 {128, 16},
                                                                 {144, 16},
                                                                 {160, 1},
                                                                 {161, 1},
                                                                 {162, 1},
                                                                 {163, 1},
                                                                 {164, 1}}};
inline constexpr std::array<Component, 3> kSlToVlRecord = {{{0, 16}, {16, 8}, {24, 8}}};
inline constexpr std::array<Component, 2> kLftRecord = {{{0, 16}, {16, 16}}};
inline constexpr std::array<Component, 4> kMftRecord = {{{0, 16}, {16, 4}, {}, {23, 9}}};
inline constexpr std::array<Component, 3> kVlArbitrationRecord = {{{0, 16}, {16, 8}, {24, 8}}};
inline constexpr std::array<Component, 7> kSmInfoRecord = {
    {{0, 16}, {}, {32, 64}, {96, 64}, {160, 32}, {192, 4}, {196, 4}}};
inline constexpr std::array<Component, 4> kLinkRecord = {{{0, 16}, {16, 8}, {24, 8}, {32, 16}}};
inline constexpr std::array<Component, 12> kGuidInfoRecord = {{{0, 16},
                                                               {16, 8},
                                                               {},
                                                               {},
                                                               {64, 64},
                                                               {128, 64},
                                                               {192, 64},
                                                               {256, 64},
                                                               {320, 64},
                                                               {384, 64},
                                                               {448, 64},
                                                               {512, 64}}};
inline constexpr std::array<Component, 3> kPkeyTableRecord = {{{0, 16}, {16, 16}, {32, 8}}};
inline constexpr std::array<Component, 16> kInformInfoRecord = {{{0, 128},
                                                                 {128, 16},
                                                                 {},
                                                                 {192, 128},
                                                                 {320, 16},
                                                                 {336, 16},
                                                                 {},
                                                                 {368, 8},
                                                                 {376, 8},
                                                                 {384, 16},
                                                                 {400, 16},
                                                                 {416, 24},
                                                                 {},
                                                                 {443, 5},
                                                                 {},
                                                                 {456, 24}}};
inline constexpr std::array<Component, 18> kMcMemberRecord = {{{0, 128},
                                                               {128, 128},
                                                               {256, 32},
                                                               {288, 16},
                                                               {},
                                                               {},
                                                               {312, 8},
                                                               {320, 16},
                                                               {},
                                                               {},
                                                               {},
                                                               {},
                                                               {352, 4},
                                                               {356, 20},
                                                               {376, 8},
                                                               {384, 4},
                                                               {388, 4},
                                                               {392, 1}}};
inline constexpr std::array<Component, 37> kServiceRecord = {
    {{0, 64},    {64, 128},  {192, 16},  {},         {224, 32},  {256, 128}, {384, 512}, {896, 8},
     {904, 8},   {912, 8},   {920, 8},   {928, 8},   {936, 8},   {944, 8},   {952, 8},   {960, 8},
     {968, 8},   {976, 8},   {984, 8},   {992, 8},   {1000, 8},  {1008, 8},  {1016, 8},  {1024, 16},
     {1040, 16}, {1056, 16}, {1072, 16}, {1088, 16}, {1104, 16}, {1120, 16}, {1136, 16}, {1152, 32},
     {1184, 32}, {1216, 32}, {1248, 32}, {1280, 64}, {1344, 64}}};

}  // namespace weft::sa

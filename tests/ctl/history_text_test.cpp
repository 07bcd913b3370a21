#include "ctl/history_commands.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "ctl/counter_commands.h"
#include "ctl/explain_commands.h"

namespace weft::ctl {
namespace {

namespace json = boost::json;

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(ChangesText, TellsWhatChangedByGroup) {
  const std::string text = changes_text(json::parse(R"({
    "since":"2026-03-01T12:00:00.000Z","until":"2026-03-01T14:00:00.000Z","events":5,"cut":false,"changes":[
    {"group":"links","text":"link a is gone","severity":"warning","times":1,
     "first":"2026-03-01T12:30:00.000Z","last":"2026-03-01T12:30:00.000Z"},
    {"group":"nodes","text":"many traps","severity":"info","times":3,
     "first":"2026-03-01T12:31:00.000Z","last":"2026-03-01T12:40:00.000Z"}]})"),
                                        Style{});
  EXPECT_EQ(text,
            "Since 2026-03-01 12:00:00 (5 events in all):\n\nlinks\n  2026-03-01 12:30:00  link a is "
            "gone\n\nnodes\n"
            "  2026-03-01 12:31:00  many traps (3 times, last 2026-03-01 12:40:00)\n");
}

TEST(ChangesText, SaysThatNothingHasChanged) {
  EXPECT_EQ(changes_text(json::parse(R"({"since":"2026-03-01T12:00:00.000Z","changes":[]})"), Style{}),
            "Nothing has changed since 2026-03-01 12:00:00.\n");
}

TEST(SweepsText, IsALineASweep) {
  const std::string text =
      sweeps_text(json::parse(R"({"sweeps":[{"number":7,"kind":"local","cause":"trap 128",
    "started":"2026-03-01T12:00:00.000Z","took_ms":27,"clean":true,"error":null,"smps":100,"sets":3}]})"),
                  Style{});
  EXPECT_TRUE(has(text, "2026-03-01 12:00:00     #7  local  27 ms   100     3  clean  trap 128")) << text;
  EXPECT_EQ(sweeps_text(json::parse("{}"), Style{}), "no sweeps\n");
}

TEST(SentencesText, GoesBeforeTheData) {
  const std::string text = sentences_text(json::parse(R"({"sentences":["One.","Two."],
    "sweep":{"phases":[{"name":"discovery","took_ms":20,"smps":90}]},
    "events":[{"time":"T","severity":"info","kind":"k","text":"t"}]})"),
                                          Style{});
  EXPECT_TRUE(text.starts_with("One.\nTwo.\n\n  PHASE")) << text;
  EXPECT_TRUE(has(text, "T  info     k: t")) << text;
}

const char* const kCounters = R"({"counters":[
  {"guid":"0x1","name":"leaf-0","port":3,"traffic":{"xmit_bytes":1000,"rcv_bytes":0},
   "traffic_a_second":{"xmit_bytes":1.25e9,"rcv_bytes":null},"errors":{"symbol_errors":12,"link_downed":0}},
  {"guid":"0x2","name":null,"port":1,"traffic":{},"traffic_a_second":null,"errors":{"symbol_errors":0}}]})";

TEST(CountersText, HasRatesTotalsAndErrors) {
  const std::string text = counters_text(json::parse(kCounters), Style{});
  EXPECT_TRUE(has(text, "10 Gb/s")) << text;
  EXPECT_TRUE(has(text, "1,000 B")) << text;
  EXPECT_TRUE(has(text, "symbol_errors 12")) << text;
  EXPECT_TRUE(has(text, "0x2")) << text;
  EXPECT_TRUE(has(text, "none")) << text;
  EXPECT_TRUE(has(counters_text(json::parse("{}"), Style{}), "link_health.counters.interval"));
}

TEST(TopText, HasRatesBetweenTwoMoments) {
  Moment before;
  before.seconds = 10;
  before.status = json::parse(R"({"state":"master","version":"1","text":"all is well","smps":{"sent":100},
    "fabric":{"switches":4,"hosts":4,"links":8},"problems":[],"missing":[],
    "last_sweep":{"number":3,"kind":"light","took_ms":1,"clean":true,"cause":"timer"}})");
  before.sa = json::parse(R"({"answered":10,"refused":1})");
  Moment now = before;
  now.seconds = 12;
  now.status.as_object()["smps"] = json::parse(R"({"sent":150})");
  now.sa = json::parse(R"({"answered":30,"refused":1})");
  now.counters = json::parse(kCounters);
  now.slow_links = json::parse(R"({"links":[{"a":{"name":"slow","port":2},"below":["speed EDR of HDR"]}]})");
  const std::string text = top_text(now, &before, Style{});
  EXPECT_TRUE(has(text, "SMPs     150 sent, 25.0/s")) << text;
  EXPECT_TRUE(has(text, "SA       30 answered, 10.0/s; 1 refused")) << text;
  EXPECT_TRUE(has(text, "symbol_errors 12")) << text;
  EXPECT_TRUE(has(text, "speed EDR of HDR")) << text;
  EXPECT_TRUE(has(text, "#3 light took 1.0 ms, clean (timer)")) << text;
  EXPECT_TRUE(has(top_text(before, nullptr, Style{}), "no link is known to be bad")) << "and no events";
}

}  // namespace
}  // namespace weft::ctl

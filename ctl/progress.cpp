#include "ctl/progress.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::ctl {

namespace {

constexpr std::size_t kPhaseWidth = 12;
constexpr std::size_t kBarWidth = 30;
constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

std::string progress_bar(const Step& step, const Style& style) {
  std::string text;
  if (step.total == 0) {
    text = fmt::format("{:<{}} {}", step.phase, kPhaseWidth, step.done > 0 ? human_count(step.done) : "");
    while (text.ends_with(' ')) text.pop_back();
  } else {
    const std::uint64_t done = std::min(step.done, step.total);
    const auto filled = static_cast<std::size_t>(done * kBarWidth / step.total);
    text = fmt::format("{:<{}} [{}{}] {:3} %  {}/{}", step.phase, kPhaseWidth, std::string(filled, '#'),
                       std::string(kBarWidth - filled, ' '), done * 100 / step.total, human_count(done),
                       human_count(step.total));
  }
  return style.width > 0 ? cut(text, style.width - 1) : text;
}

std::string ProgressPrinter::show(const Step& step) {
  if (in_place_) {
    drawn_ = true;
    return std::string(kClearLine) + progress_bar(step, style_);
  }
  if (step.phase == last_phase_) return {};
  last_phase_ = step.phase;
  return step.phase.empty() ? std::string() : step.phase + "\n";
}

std::string ProgressPrinter::finish() {
  return std::exchange(drawn_, false) ? std::string(kClearLine) : std::string();
}

}  // namespace weft::ctl

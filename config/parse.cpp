#include "config/parse.h"

#include <exception>
#include <istream>
#include <map>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/text_check.h"

namespace weft::config {
namespace {

Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

/// Ends the parsing from inside an event.
struct Refused : std::exception {
  Refused(Place where, std::string why) : remark{where, std::move(why)} {}
  Remark remark;
};

std::size_t values_in(const Value& value) {
  std::size_t count = 1;
  for (const Value& child : value.children) count += values_in(child);
  return count;
}

std::size_t bytes_in(const Value& value) {
  std::size_t count = value.text.size();
  for (const Value& child : value.children) count += bytes_in(child);
  return count;
}

/// Puts the tree together from the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw Refused(place_of(mark), "a second document begins; the file must hold only one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    leaf(Value::Kind::text, mark, anchor, text);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

  Value take_root() { return std::move(root_); }
  Place last() const { return last_; }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
  };

  void leaf(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, std::string text) {
    seen(mark);
    finish(Value{kind, last_, std::move(text), {}}, anchor);
  }
  void open(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    seen(mark);
    if (open_.size() >= kMaxDepth) throw Refused(last_, "nested too deeply");
    open_.push_back({Value{kind, last_, {}, {}}, anchor});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    finish(std::move(done.value), done.anchor);
  }
  void finish(Value value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count_copy(value);
      anchored_.emplace(anchor, value);
    }
    (open_.empty() ? root_ : open_.back().value.children.emplace_back()) = std::move(value);
  }
  void seen(const YAML::Mark& mark) {
    last_ = place_of(mark);
    count_values(1);
  }
  void count_values(std::size_t count) {
    values_ += count;
    if (values_ > kMaxValues) throw Refused(last_, fmt::format("more than {} values", kMaxValues));
  }
  /// What an alias repeats counts like what the file spells out.
  void count_copy(const Value& value) {
    copied_bytes_ += bytes_in(value);
    if (copied_bytes_ > kMaxCopiedBytes) throw Refused(last_, "anchors and aliases repeat too much text");
    count_values(values_in(value));
  }

  int documents_ = 0;
  std::size_t values_ = 0;
  std::size_t copied_bytes_ = 0;
  Place last_;
  Value root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchored_;
};

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  leaf(Value::Kind::null, mark, anchor, {});
  if (open_.empty() || open_.back().value.kind != Value::Kind::map) return;
  // The parser's mark is the next thing that does stand there; people look at the key.
  std::vector<Value>& children = open_.back().value.children;
  if (children.size() % 2 == 0) children.back().place = children[children.size() - 2].place;
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchored_.find(anchor);
  if (found == anchored_.end()) throw Refused(place_of(mark), "an alias stands inside its own anchor");
  last_ = place_of(mark);
  count_copy(found->second);
  Value copy = found->second;
  copy.place = last_;
  finish(std::move(copy), 0);
}

/// A stream over text that stands elsewhere.
class View final : public std::streambuf {
 public:
  explicit View(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // NOLINT: a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

std::string_view line_at(std::string_view text, int line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

/// The parser's own words, and what people most often did to get them.
Remark explain(std::string_view text, const YAML::Exception& error, Place last_value) {
  Remark remark{place_of(error.mark), fmt::format("not YAML: {}", error.msg)};
  if (remark.place.line == 0) remark.place = last_value;
  const std::string_view line = line_at(text, remark.place.line);
  if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR || error.msg == YAML::ErrorMsg::EOF_IN_SCALAR) {
    return {last_value, "not YAML: the quoted text that begins after this place is not closed"};
  }
  if (line.find("::") != line.npos) remark.text += "; a text with '::' must be in quotes, as in \"fe80::\"";
  return remark;
}

}  // namespace

Parsed parse_yaml(std::string_view text) {
  Parsed parsed;
  parsed.problems = check_text(text);
  if (parsed.problems.empty()) parsed.problems = check_indentation(text);
  if (!parsed.problems.empty()) return parsed;
  // The parser takes a quotation that the end of the file closes; the end-of-document mark makes it an error.
  std::string whole(text);
  whole += "\n...\n";
  Builder builder;
  try {
    View view(whole);
    std::istream stream(&view);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    parsed.root = builder.take_root();
  } catch (const Refused& refused) {
    parsed.problems.push_back(refused.remark);
  } catch (const YAML::Exception& error) {
    parsed.problems.push_back(explain(text, error, builder.last()));
  } catch (const std::exception& error) {
    parsed.problems.push_back({builder.last(), fmt::format("not readable: {}", error.what())});
  }
  return parsed;
}

}  // namespace weft::config

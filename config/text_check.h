#pragma once
// Whether bytes are a text at all, before any parser sees them.

#include <string>
#include <string_view>

#include "config/value.h"

namespace weft::config {

/// Bytes that are no UTF-8 or control characters, and a text that is far too large. Both checks answer in the
/// order of the text with a few remarks at most, since one wrong byte seldom comes alone. Columns count
/// bytes.
Remarks check_text(std::string_view text);
/// The text as a terminal and JSON may get it: '?' for each byte that is no UTF-8 or a control character, a
/// blank for a tab.
std::string shown_text(std::string_view text);
/// Tabs in the indentation of lines that say something.
Remarks check_indentation(std::string_view text);

}  // namespace weft::config

#pragma once
// AskedApi: the control API of the manager of a Whole, asked without a socket. To be destroyed before it.

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "daemon/api.h"
#include "tests/whole/whole.h"

namespace weft::test {

class AskedApi {
 public:
  /// `settings`: what the API tells of the configuration.
  explicit AskedApi(const Whole& whole, config::Settings settings = {}) {
    auto loaded = std::make_shared<config::Loaded>();
    loaded->settings = std::move(settings);
    daemon::ApiSource source;
    source.view = [&whole] { return whole.manager->view(); };
    source.config = [loaded] { return loaded; };
    source.status = [&whole] { return whole.status(); };
    source.sa = [&whole]() -> std::optional<daemon::SaView> {
      const daemon::SaService& sa = whole.manager->sa();
      return daemon::SaView{sa.state(), sa.counts(), whole.manager->multicast().counts(), sa.index(),
                            [&sa](const sa::Request& request) { return sa.ask(request); }};
    };
    router_ = daemon::make_api(std::move(source));
  }

  daemon::Response get(const std::string& target) const {
    auto request = daemon::request_from_target(target);
    request->method = "GET";
    return router_.answer(*request);
  }
  boost::json::value json_of(const std::string& target) const { return boost::json::parse(get(target).body); }

 private:
  daemon::Router router_;
};

}  // namespace weft::test

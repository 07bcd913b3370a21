#include "daemon/store_sa.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/bytes.h"

namespace weft::daemon {

// GIDs and GUIDs as bytes in wire order; ids as the signed number with the same bits.
const char* const kSaTables = R"sql(
CREATE TABLE mc_groups (mgid BLOB PRIMARY KEY, mlid INTEGER NOT NULL, qkey INTEGER NOT NULL, pkey INTEGER NOT NULL,
  mtu INTEGER NOT NULL, rate INTEGER NOT NULL, lifetime INTEGER NOT NULL, sl INTEGER NOT NULL,
  tclass INTEGER NOT NULL, flow_label INTEGER NOT NULL, hop_limit INTEGER NOT NULL,
  permanent INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE mc_members (mgid BLOB NOT NULL, port INTEGER NOT NULL, gid BLOB NOT NULL, join_state INTEGER NOT NULL,
  proxy INTEGER NOT NULL, PRIMARY KEY (mgid, port)) WITHOUT ROWID;
CREATE TABLE services (id INTEGER NOT NULL, gid BLOB NOT NULL, pkey INTEGER NOT NULL, lease INTEGER NOT NULL,
  expires INTEGER NOT NULL, key BLOB NOT NULL, name BLOB NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (id, gid, pkey)) WITHOUT ROWID;
CREATE TABLE subscriptions (port INTEGER NOT NULL, place INTEGER NOT NULL, subscriber BLOB NOT NULL,
  lid INTEGER NOT NULL, qp INTEGER NOT NULL, sl INTEGER NOT NULL, gid BLOB NOT NULL, lid_begin INTEGER NOT NULL,
  lid_end INTEGER NOT NULL, generic INTEGER NOT NULL, type INTEGER NOT NULL, trap INTEGER NOT NULL,
  producer INTEGER NOT NULL, trusted INTEGER NOT NULL, PRIMARY KEY (port, place)) WITHOUT ROWID;
CREATE TABLE aliases (port INTEGER NOT NULL, place INTEGER NOT NULL, guid INTEGER NOT NULL,
  PRIMARY KEY (port, place)) WITHOUT ROWID;
CREATE TABLE forgotten (port INTEGER PRIMARY KEY);
)sql";

namespace {

std::int64_t number_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::int64_t number_of(Guid guid) { return static_cast<std::int64_t>(raw(guid)); }

std::array<std::uint8_t, 16> bytes_of(const std::array<std::uint64_t, 2>& words) {
  std::array<std::uint8_t, 16> bytes{};
  put_bits(std::span<std::uint8_t>(bytes), 0, 64, words[0]);
  put_bits(std::span<std::uint8_t>(bytes), 64, 64, words[1]);
  return bytes;
}

/// Reads rows one by one and remembers that a value was impossible.
class Rows {
 public:
  explicit Rows(Statement statement) : statement_(std::move(statement)) {}
  Result<bool> next() { return statement_.step(); }
  template <typename T>
  T number(int column, std::int64_t most) {
    const std::int64_t value = statement_.number(column);
    if (value < 0 || value > most) bad_ = true;
    return static_cast<T>(value);
  }
  std::int64_t any(int column) const { return statement_.number(column); }
  Guid guid(int column) const { return static_cast<Guid>(statement_.number(column)); }
  std::array<std::uint64_t, 2> words(int column) {
    const std::vector<std::uint8_t> bytes = statement_.blob(column);
    if (bytes.size() != 16) {
      bad_ = true;
      return {};
    }
    return {get_bits(bytes, 0, 64), get_bits(bytes, 64, 64)};
  }
  void bytes(int column, std::span<std::uint8_t> into) {
    const std::vector<std::uint8_t> bytes = statement_.blob(column);
    if (bytes.size() != into.size()) bad_ = true;
    std::copy_n(bytes.begin(), std::min(bytes.size(), into.size()), into.begin());
  }
  void refuse() { bad_ = true; }
  bool bad() const { return bad_; }

 private:
  Statement statement_;
  bool bad_ = false;
};

/// Calls `take(rows)` for every row. Errors: `malformed` also for what cannot be in a row.
Result<void> each_row(Database& database, std::string_view sql, const std::function<void(Rows&)>& take) {
  auto statement = database.prepare(sql);
  if (!statement) return fail(statement.error());
  Rows rows(std::move(*statement));
  for (;;) {
    const Result<bool> row = rows.next();
    if (!row) return fail(row.error());
    if (!*row) return {};
    take(rows);
    if (rows.bad()) return fail(Errc::malformed, "an impossible value stands in the rows of: {}", sql);
  }
}

Result<void> load_groups(Database& database, plan::SaState& state) {
  std::map<Gid, plan::McGroup> groups;
  auto read =
      each_row(database,
               "SELECT mgid, mlid, qkey, pkey, mtu, rate, lifetime, sl, tclass, flow_label, hop_limit, "
               "permanent FROM mc_groups",
               [&groups](Rows& rows) {
                 plan::McGroup group;
                 group.mgid = rows.words(0);
                 group.mlid = rows.number<Lid>(1, 0xfffe);
                 if (raw(group.mlid) < plan::McGroups::kFirstMlid) rows.refuse();
                 group.qkey = rows.number<std::uint32_t>(2, 0xffffffff);
                 group.pkey = rows.number<Pkey>(3, 0xffff);
                 group.mtu = rows.number<Mtu>(4, 5);
                 group.rate = rows.number<std::uint8_t>(5, 63);
                 group.lifetime = rows.number<std::uint8_t>(6, 63);
                 group.sl = rows.number<Sl>(7, 15);
                 group.tclass = rows.number<std::uint8_t>(8, 0xff);
                 group.flow_label = rows.number<std::uint32_t>(9, 0xfffff);
                 group.hop_limit = rows.number<std::uint8_t>(10, 0xff);
                 group.permanent = rows.number<std::uint8_t>(11, 1) != 0;
                 if (!rows.bad()) groups[group.mgid] = group;
               });
  if (!read) return read;
  read =
      each_row(database, "SELECT mgid, port, gid, join_state, proxy FROM mc_members", [&groups](Rows& rows) {
        plan::McMember member;
        member.gid = rows.words(2);
        member.join_state = rows.number<std::uint8_t>(3, 15);
        member.proxy = rows.number<std::uint8_t>(4, 1) != 0;
        const auto group = groups.find(rows.words(0));
        if (group != groups.end()) group->second.members.set(rows.guid(1), member);
      });
  if (!read) return read;
  for (const auto& [mgid, group] : groups) state.groups = state.groups.with(group);
  return {};
}

Result<void> load_services(Database& database, plan::SaState& state) {
  return each_row(database, "SELECT id, gid, pkey, lease, expires, key, name, data FROM services",
                  [&state](Rows& rows) {
                    plan::Service service;
                    service.id = static_cast<std::uint64_t>(rows.any(0));
                    service.gid = rows.words(1);
                    service.pkey = rows.number<Pkey>(2, 0xffff);
                    service.lease = rows.number<std::uint32_t>(3, 0xffffffff);
                    service.expires = rows.any(4);
                    service.key = rows.words(5);
                    rows.bytes(6, service.name);
                    rows.bytes(7, service.data);
                    state.services.set({service.id, service.gid, service.pkey},
                                       std::make_shared<const plan::Service>(service));
                  });
}

Result<void> load_subscriptions(Database& database, plan::SaState& state) {
  std::map<Guid, std::vector<plan::Subscription>> lists;
  auto read = each_row(
      database,
      "SELECT port, subscriber, lid, qp, sl, gid, lid_begin, lid_end, generic, type, trap, producer, trusted "
      "FROM subscriptions ORDER BY port, place",
      [&lists](Rows& rows) {
        plan::Subscription one;
        one.subscriber = rows.words(1);
        one.lid = rows.number<Lid>(2, 0xffff);
        one.qp = rows.number<std::uint32_t>(3, 0xffffff);
        one.sl = rows.number<Sl>(4, 15);
        one.gid = rows.words(5);
        one.lid_begin = rows.number<Lid>(6, 0xffff);
        one.lid_end = rows.number<Lid>(7, 0xffff);
        one.generic = rows.number<std::uint8_t>(8, 1) != 0;
        one.type = rows.number<std::uint16_t>(9, 0xffff);
        one.trap = rows.number<std::uint16_t>(10, 0xffff);
        one.producer = rows.number<std::uint32_t>(11, 0xffffff);
        one.trusted = rows.number<std::uint8_t>(12, 1) != 0;
        lists[rows.guid(0)].push_back(one);
      });
  if (!read) return read;
  for (auto& [port, list] : lists)
    state.subscriptions.set(port, std::make_shared<const std::vector<plan::Subscription>>(std::move(list)));
  return {};
}

Result<void> load_rest(Database& database, plan::SaState& state) {
  auto read = each_row(database, "SELECT port, place, guid FROM aliases", [&state](Rows& rows) {
    state = plan::with_alias(state, rows.guid(0), rows.number<std::uint16_t>(1, 255 * 8), rows.guid(2));
  });
  if (!read) return read;
  return each_row(database, "SELECT port FROM forgotten",
                  [&state](Rows& rows) { state.forgotten.set(rows.guid(0), true); });
}

/// One prepared statement, and the first thing that went wrong with any of its runs.
class Writer {
 public:
  Writer(Database& database, std::string_view sql) {
    auto made = database.prepare(sql);
    if (made)
      statement_.emplace(std::move(*made));
    else
      failed_ = fail(made.error());
  }
  template <typename... Values>
  void run(const Values&... values) {
    if (!failed_) return;
    int column = 0;
    (statement_->bind(column++, values), ...);
    failed_ = statement_->run();
  }
  const Result<void>& result() const { return failed_; }

 private:
  std::optional<Statement> statement_;
  Result<void> failed_{};
};

using Bytes = std::span<const std::uint8_t>;
template <typename E>
std::int64_t code(E value) {
  return static_cast<std::int64_t>(value);
}

Result<void> write_groups(Database& database, const plan::McGroups& before, const plan::McGroups& after) {
  Writer put(database, "INSERT OR REPLACE INTO mc_groups VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  Writer drop(database, "DELETE FROM mc_groups WHERE mgid = ?");
  Writer put_member(database, "INSERT OR REPLACE INTO mc_members VALUES (?,?,?,?,?)");
  Writer drop_member(database, "DELETE FROM mc_members WHERE mgid = ? AND port = ?");
  const auto write_members = [&](const Gid& mgid, const auto& old_members, const auto& new_members) {
    const auto key = bytes_of(mgid);
    std::remove_cvref_t<decltype(new_members)>::differences(
        old_members, new_members,
        [&](Guid port, const plan::McMember& member) {
          const auto gid = bytes_of(member.gid);
          put_member.run(Bytes(key), number_of(port), Bytes(gid), code(member.join_state),
                         code(member.proxy));
        },
        [&](Guid port) { drop_member.run(Bytes(key), number_of(port)); });
  };
  const decltype(plan::McGroup::members) nobody;
  const auto facts = [](plan::McGroup group) {
    group.members = {};
    return group;
  };
  plan::McGroups::Map::differences(
      before.map(), after.map(),
      [&](const Gid& mgid, const plan::McGroups::GroupPtr& group) {
        const plan::McGroups::GroupPtr old = before.find(mgid);
        const auto key = bytes_of(mgid);
        if (!old || facts(*old) != facts(*group))
          put.run(Bytes(key), code(group->mlid), code(group->qkey), code(group->pkey), code(group->mtu),
                  code(group->rate), code(group->lifetime), code(group->sl), code(group->tclass),
                  code(group->flow_label), code(group->hop_limit), code(group->permanent));
        write_members(mgid, old ? old->members : nobody, group->members);
      },
      [&](const Gid& mgid) {
        const auto key = bytes_of(mgid);
        write_members(mgid, before.find(mgid)->members, nobody);
        drop.run(Bytes(key));
      });
  for (const Writer* writer : {&put, &drop, &put_member, &drop_member})
    if (!writer->result()) return writer->result();
  return {};
}

Result<void> write_services(Database& database, const plan::SaState& before, const plan::SaState& after) {
  Writer put(database, "INSERT OR REPLACE INTO services VALUES (?,?,?,?,?,?,?,?)");
  Writer drop(database, "DELETE FROM services WHERE id = ? AND gid = ? AND pkey = ?");
  decltype(after.services)::differences(
      before.services, after.services,
      [&](const plan::ServiceKey& key, const plan::SaState::ServicePtr& service) {
        const auto gid = bytes_of(key.gid);
        const auto secret = bytes_of(service->key);
        put.run(number_of(key.id), Bytes(gid), code(key.pkey), code(service->lease), service->expires,
                Bytes(secret), Bytes(service->name), Bytes(service->data));
      },
      [&](const plan::ServiceKey& key) {
        const auto gid = bytes_of(key.gid);
        drop.run(number_of(key.id), Bytes(gid), code(key.pkey));
      });
  return put.result() ? drop.result() : put.result();
}

Result<void> write_subscriptions(Database& database, const plan::SaState& before,
                                 const plan::SaState& after) {
  Writer put(database, "INSERT INTO subscriptions VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Writer drop(database, "DELETE FROM subscriptions WHERE port = ?");
  decltype(after.subscriptions)::differences(
      before.subscriptions, after.subscriptions,
      [&](Guid port, const plan::SaState::PortSubscriptions& list) {
        drop.run(number_of(port));
        for (std::size_t place = 0; place < list->size(); ++place) {
          const plan::Subscription& one = (*list)[place];
          const auto subscriber = bytes_of(one.subscriber);
          const auto gid = bytes_of(one.gid);
          put.run(number_of(port), code(place), Bytes(subscriber), code(one.lid), code(one.qp), code(one.sl),
                  Bytes(gid), code(one.lid_begin), code(one.lid_end), code(one.generic), code(one.type),
                  code(one.trap), code(one.producer), code(one.trusted));
        }
      },
      [&](Guid port) { drop.run(number_of(port)); });
  return put.result() ? drop.result() : put.result();
}

Result<void> write_rest(Database& database, const plan::SaState& before, const plan::SaState& after) {
  Writer put(database, "INSERT INTO aliases VALUES (?,?,?)");
  Writer drop(database, "DELETE FROM aliases WHERE port = ?");
  decltype(after.port_guids)::differences(
      before.port_guids, after.port_guids,
      [&](Guid port, const plan::SaState::PortGuids& guids) {
        drop.run(number_of(port));
        for (std::size_t place = 0; place < guids->size(); ++place)
          if ((*guids)[place] != Guid{}) put.run(number_of(port), code(place), number_of((*guids)[place]));
      },
      [&](Guid port) { drop.run(number_of(port)); });
  Writer note(database, "INSERT OR REPLACE INTO forgotten VALUES (?)");
  Writer clear(database, "DELETE FROM forgotten WHERE port = ?");
  decltype(after.forgotten)::differences(
      before.forgotten, after.forgotten, [&](Guid port, bool) { note.run(number_of(port)); },
      [&](Guid port) { clear.run(number_of(port)); });
  for (const Writer* writer : {&put, &drop, &note, &clear})
    if (!writer->result()) return writer->result();
  return {};
}

}  // namespace

Result<plan::SaState> load_sa(Database& database) {
  plan::SaState state;
  for (const auto load : {load_groups, load_services, load_subscriptions, load_rest}) {
    auto loaded = load(database, state);
    if (!loaded) return fail(loaded.error());
  }
  return state;
}

Result<void> write_sa(Database& database, const plan::SaState& before, const plan::SaState& after) {
  if (before.groups.map() != after.groups.map()) {
    auto written = write_groups(database, before.groups, after.groups);
    if (!written) return written;
  }
  for (const auto write : {write_services, write_subscriptions, write_rest}) {
    auto written = write(database, before, after);
    if (!written) return written;
  }
  return {};
}

}  // namespace weft::daemon

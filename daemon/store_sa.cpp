#include "daemon/store_sa.h"

#include <map>

#include "daemon/store_rows.h"

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

Result<void> load_groups(Database& database, plan::SaState& state) {
  std::map<Gid, plan::McGroup> groups;
  auto read =
      each_row(database,
               "SELECT mgid, mlid, qkey, pkey, mtu, rate, lifetime, sl, tclass, flow_label, hop_limit, "
               "permanent FROM mc_groups",
               [&groups](Row& row) {
                 plan::McGroup group;
                 group.mgid = row.words(0);
                 group.mlid = row.number<Lid>(1, 0xfffe);
                 if (raw(group.mlid) < plan::McGroups::kFirstMlid) row.refuse();
                 group.qkey = row.number<std::uint32_t>(2, 0xffffffff);
                 group.pkey = row.number<Pkey>(3, 0xffff);
                 group.mtu = row.number<Mtu>(4, 5);
                 group.rate = row.number<std::uint8_t>(5, 63);
                 group.lifetime = row.number<std::uint8_t>(6, 63);
                 group.sl = row.number<Sl>(7, 15);
                 group.tclass = row.number<std::uint8_t>(8, 0xff);
                 group.flow_label = row.number<std::uint32_t>(9, 0xfffff);
                 group.hop_limit = row.number<std::uint8_t>(10, 0xff);
                 group.permanent = row.number<std::uint8_t>(11, 1) != 0;
                 if (!row.refused()) groups[group.mgid] = group;
               });
  if (!read) return read;
  read = each_row(database, "SELECT mgid, port, gid, join_state, proxy FROM mc_members", [&groups](Row& row) {
    plan::McMember member;
    member.gid = row.words(2);
    member.join_state = row.number<std::uint8_t>(3, 15);
    member.proxy = row.number<std::uint8_t>(4, 1) != 0;
    const auto group = groups.find(row.words(0));
    if (group != groups.end()) group->second.members.set(row.guid(1), member);
  });
  if (!read) return read;
  for (const auto& [mgid, group] : groups) state.groups = state.groups.with(group);
  return {};
}

Result<void> load_services(Database& database, plan::SaState& state) {
  return each_row(database, "SELECT id, gid, pkey, lease, expires, key, name, data FROM services",
                  [&state](Row& row) {
                    plan::Service service;
                    service.id = static_cast<std::uint64_t>(row.any(0));
                    service.gid = row.words(1);
                    service.pkey = row.number<Pkey>(2, 0xffff);
                    service.lease = row.number<std::uint32_t>(3, 0xffffffff);
                    service.expires = row.any(4);
                    service.key = row.words(5);
                    row.bytes(6, service.name);
                    row.bytes(7, service.data);
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
      [&lists](Row& row) {
        plan::Subscription one;
        one.subscriber = row.words(1);
        one.lid = row.number<Lid>(2, 0xffff);
        one.qp = row.number<std::uint32_t>(3, 0xffffff);
        one.sl = row.number<Sl>(4, 15);
        one.gid = row.words(5);
        one.lid_begin = row.number<Lid>(6, 0xffff);
        one.lid_end = row.number<Lid>(7, 0xffff);
        one.generic = row.number<std::uint8_t>(8, 1) != 0;
        one.type = row.number<std::uint16_t>(9, 0xffff);
        one.trap = row.number<std::uint16_t>(10, 0xffff);
        one.producer = row.number<std::uint32_t>(11, 0xffffff);
        one.trusted = row.number<std::uint8_t>(12, 1) != 0;
        lists[row.guid(0)].push_back(one);
      });
  if (!read) return read;
  for (auto& [port, list] : lists)
    state.subscriptions.set(port, std::make_shared<const std::vector<plan::Subscription>>(std::move(list)));
  return {};
}

Result<void> load_rest(Database& database, plan::SaState& state) {
  auto read = each_row(database, "SELECT port, place, guid FROM aliases", [&state](Row& row) {
    state = plan::with_alias(state, row.guid(0), row.number<std::uint16_t>(1, 255 * 8), row.guid(2));
  });
  if (!read) return read;
  return each_row(database, "SELECT port FROM forgotten",
                  [&state](Row& row) { state.forgotten.set(row.guid(0), true); });
}

Result<void> write_groups(Database& database, const plan::McGroups& before, const plan::McGroups& after) {
  Writer put(database, "INSERT OR REPLACE INTO mc_groups VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  Writer drop(database, "DELETE FROM mc_groups WHERE mgid = ?");
  Writer put_member(database, "INSERT OR REPLACE INTO mc_members VALUES (?,?,?,?,?)");
  Writer drop_member(database, "DELETE FROM mc_members WHERE mgid = ? AND port = ?");
  const auto write_members = [&](const Gid& mgid, const auto& old_members, const auto& new_members) {
    const auto key = wire_bytes(mgid);
    std::remove_cvref_t<decltype(new_members)>::differences(
        old_members, new_members,
        [&](Guid port, const plan::McMember& member) {
          const auto gid = wire_bytes(member.gid);
          put_member.run(key, port, gid, member.join_state, member.proxy);
        },
        [&](Guid port) { drop_member.run(key, port); });
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
        const auto key = wire_bytes(mgid);
        if (!old || facts(*old) != facts(*group))
          put.run(key, group->mlid, group->qkey, group->pkey, group->mtu, group->rate, group->lifetime,
                  group->sl, group->tclass, group->flow_label, group->hop_limit, group->permanent);
        write_members(mgid, old ? old->members : nobody, group->members);
      },
      [&](const Gid& mgid) {
        const auto key = wire_bytes(mgid);
        write_members(mgid, before.find(mgid)->members, nobody);
        drop.run(key);
      });
  return result_of({&put, &drop, &put_member, &drop_member});
}

Result<void> write_services(Database& database, const plan::SaState& before, const plan::SaState& after) {
  Writer put(database, "INSERT OR REPLACE INTO services VALUES (?,?,?,?,?,?,?,?)");
  Writer drop(database, "DELETE FROM services WHERE id = ? AND gid = ? AND pkey = ?");
  decltype(after.services)::differences(
      before.services, after.services,
      [&](const plan::ServiceKey& key, const plan::SaState::ServicePtr& service) {
        const auto gid = wire_bytes(key.gid);
        const auto secret = wire_bytes(service->key);
        put.run(key.id, gid, key.pkey, service->lease, service->expires, secret, service->name,
                service->data);
      },
      [&](const plan::ServiceKey& key) {
        const auto gid = wire_bytes(key.gid);
        drop.run(key.id, gid, key.pkey);
      });
  return result_of({&put, &drop});
}

Result<void> write_subscriptions(Database& database, const plan::SaState& before,
                                 const plan::SaState& after) {
  Writer put(database, "INSERT INTO subscriptions VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Writer drop(database, "DELETE FROM subscriptions WHERE port = ?");
  decltype(after.subscriptions)::differences(
      before.subscriptions, after.subscriptions,
      [&](Guid port, const plan::SaState::PortSubscriptions& list) {
        drop.run(port);
        for (std::size_t place = 0; place < list->size(); ++place) {
          const plan::Subscription& one = (*list)[place];
          const auto subscriber = wire_bytes(one.subscriber);
          const auto gid = wire_bytes(one.gid);
          put.run(port, place, subscriber, one.lid, one.qp, one.sl, gid, one.lid_begin, one.lid_end,
                  one.generic, one.type, one.trap, one.producer, one.trusted);
        }
      },
      [&](Guid port) { drop.run(port); });
  return result_of({&put, &drop});
}

Result<void> write_rest(Database& database, const plan::SaState& before, const plan::SaState& after) {
  Writer put(database, "INSERT INTO aliases VALUES (?,?,?)");
  Writer drop(database, "DELETE FROM aliases WHERE port = ?");
  decltype(after.port_guids)::differences(
      before.port_guids, after.port_guids,
      [&](Guid port, const plan::SaState::PortGuids& guids) {
        drop.run(port);
        for (std::size_t place = 0; place < guids->size(); ++place)
          if ((*guids)[place] != Guid{}) put.run(port, place, (*guids)[place]);
      },
      [&](Guid port) { drop.run(port); });
  Writer note(database, "INSERT OR REPLACE INTO forgotten VALUES (?)");
  Writer clear(database, "DELETE FROM forgotten WHERE port = ?");
  decltype(after.forgotten)::differences(
      before.forgotten, after.forgotten, [&](Guid port, bool) { note.run(port); },
      [&](Guid port) { clear.run(port); });
  return result_of({&put, &drop, &note, &clear});
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

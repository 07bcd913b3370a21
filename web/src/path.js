// The way between two hosts: what the daemon answers, as links of the map and as a list. Pure but for asking.

import {get, ApiError} from './api.js';
import {findLink, linkAtPort, shortName} from './model.js';

/** What a person means by a text in a path field: a node of the map gives its LID, else the text itself. */
export function endText(fabric, text) {
  const wanted = text.trim();
  const node = fabric.nodes.find((one) => one.name === wanted) ??
      fabric.nodes.find((one) => shortName(one) === wanted) ?? fabric.byGuid.get(wanted);
  return node && node.lid > 0 ? String(node.lid) : wanted;
}

/** Hops of an answer of GET /v1/path as links and nodes of the map; what the map has not is left out. */
export function traced(fabric, answer) {
  const hops = answer.hops.map(
      (hop) => ({
        ...hop,
        link: findLink(fabric, {a: hop.out.guid, aPort: hop.out.port, b: hop.in.guid, bPort: hop.in.port}),
        from: fabric.byGuid.get(hop.out.guid),
        to: fabric.byGuid.get(hop.in.guid),
        also: [],
      }));
  const nodes = [fabric.byGuid.get(answer.from.guid), ...hops.map((hop) => hop.to)].filter(Boolean);
  return {from: answer.from, to: answer.to, hops, nodes};
}

/**
 * The other ports that a switch may send by when it routes adaptively: the set that holds the port of the
 * tables. With several state classes, the first such.
 */
export function alternatives(fabric, hop, sets, leafName) {
  const fitting = sets.filter(
      (set) => set.leaf === leafName && set.ports.length > 1 &&
          (set.ports.includes(hop.out.port) || set.spare.includes(hop.out.port)));
  if (fitting.length === 0) return [];
  const links = (ports, spare) =>
      ports.filter((port) => port !== hop.out.port)
          .map((port) => ({port, spare, link: linkAtPort(fabric, hop.from, port)}))
          .filter((one) => one.link);
  return [...links(fitting[0].ports, false), ...links(fitting[0].spare, true)];
}

/**
 * Asks for the way, and where there are such for the port sets along it and the service level.
 * @param has {sets, levels}: whether this daemon has any; what it has not is not asked for
 */
export async function askPath(fabric, from, to, has) {
  const query = {from: endText(fabric, from), to: endText(fabric, to)};
  const answer = await get('/v1/path', query);
  const path = {...traced(fabric, answer), answer};
  const leaf = path.hops.length > 1 ? path.hops[path.hops.length - 1].out : null;
  const inner = (has.sets ? path.hops : []).filter((hop) => hop.out.type === 'switch' && hop.from);
  const optional = (promise) => promise.catch((error) => {
    if (error instanceof ApiError && error.status !== 0) return null;
    throw error;
  });
  const [qos, ...sets] = await Promise.all([
    has.levels ? optional(get('/v1/explain/qos', query)) : null,
    ...(leaf ? inner.map(
                   (hop) => optional(
                       get('/v1/port-sets',
                           {
                             switch: hop.out.guid, leaf: leaf.name, limit: 1000
                           }))) :
               []),
  ]);
  inner.forEach((hop, i) => {
    if (sets[i]?.sets) hop.also = alternatives(fabric, hop, sets[i].sets, leaf.name);
  });
  if (qos?.level) {
    path.level = qos.level;
    path.hops.forEach((hop, i) => (hop.vl = qos.hops?.[i]?.vl));
  }
  return path;
}

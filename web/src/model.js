// The fabric as the view keeps it: plain objects in arrays, found by index; made from GET /v1/fabric. What is
// missing is there too, as lost, so that a cut cable can be shown where it was.

const collator = new Intl.Collator('en', {numeric: true});
export const byName = (a, b) => collator.compare(a, b);

/** "g3-leaf12 HCA-1" is called "g3-leaf12": people say the node. */
export const shortName = (node) => node.name.split(' ')[0] || node.guid;

const portKey = (node, port) => node * 256 + port;

/** @param answer of GET /v1/fabric (docs/api.md) */
export function fabricFrom(answer) {
  const fabric = {
    generation: answer.generation,
    engine: answer.engine,
    shape: answer.shape ?? {kind: 'arbitrary', text: ''},
    nodes: [],
    links: [],
    byGuid: new Map(),
    linkAt: new Map(),
  };
  const column = placesOf(answer.nodes_are);
  for (const row of answer.nodes)
    addNode(fabric, {
      guid: row[column.guid],
      name: row[column.name],
      type: row[column.type],
      rank: row[column.rank],
      group: row[column.group],
      lid: row[column.lid],
      ports: row[column.ports],
      lost: false,
      index: 0,
      links: [],
    });
  for (const [guid, name, type] of answer.missing_nodes ?? [])
    if (!fabric.byGuid.has(guid))
      addNode(fabric, {guid, name, type, rank: null, group: null, lid: 0, ports: 0, lost: true});
  addLinks(fabric, answer);
  return fabric;
}

const placesOf = (columns) => Object.fromEntries(columns.map((name, i) => [name, i]));

function addLinks(fabric, answer) {
  const column = placesOf(answer.links_are);
  const none = {width: null, speed: null, gbps: 0};
  for (const row of answer.links) {
    const rate = answer.rates[row[column.rate]] ?? none;
    addLink(fabric, {
      index: 0,
      a: row[column.a],
      a_port: row[column.a_port],
      b: row[column.b],
      b_port: row[column.b_port],
      state: row[column.state],
      width: rate.width,
      speed: rate.speed,
      gbps: rate.gbps,
      below_best: row[column.below_best],
      order: row[column.order],
      flows_ab: row[column.flows_ab],
      flows_ba: row[column.flows_ba],
      vls: null,
      lost: false,
    });
  }
  for (const [aGuid, aPort, bGuid, bPort] of answer.missing_links ?? []) {
    const a = fabric.byGuid.get(aGuid);
    const b = fabric.byGuid.get(bGuid);
    if (!a || !b || linkAtPort(fabric, a, aPort) || linkAtPort(fabric, b, bPort)) continue;
    const ends = {a: a.index, a_port: aPort, b: b.index, b_port: bPort};
    addLink(fabric, {...ends, ...none, ...LOST, below_best: 0, order: null, vls: null});
  }
}

/** Takes the routes over each link from a whole answer; false when it is of another generation. */
export function takeFlows(fabric, answer) {
  if (answer.generation !== fabric.generation) return false;
  const column = placesOf(answer.links_are);
  answer.links.forEach((row, i) => {
    fabric.links[i].flows_ab = row[column.flows_ab];
    fabric.links[i].flows_ba = row[column.flows_ba];
  });
  return true;
}

const LOST = {
  state: 'down',
  lost: true,
  flows_ab: 0,
  flows_ba: 0
};

export function addNode(fabric, node) {
  node.index = fabric.nodes.length;
  node.links = [];
  fabric.nodes.push(node);
  fabric.byGuid.set(node.guid, node);
}

export function addLink(fabric, link) {
  link.index = fabric.links.length;
  fabric.links.push(link);
  fabric.nodes[link.a].links.push(link);
  fabric.nodes[link.b].links.push(link);
  fabric.linkAt.set(portKey(link.a, link.a_port), link);
  fabric.linkAt.set(portKey(link.b, link.b_port), link);
  return link;
}

export const linkAtPort = (fabric, node, port) => fabric.linkAt.get(portKey(node.index, port));

/** The link between two ports by GUID, or undefined. */
export function findLink(fabric, ends) {
  const a = fabric.byGuid.get(ends.a);
  const link = a && linkAtPort(fabric, a, ends.aPort);
  if (!link || ends.b === undefined) return link;
  const b = fabric.byGuid.get(ends.b);
  return b && linkAtPort(fabric, b, ends.bPort) === link ? link : undefined;
}

export const peerOf = (fabric, node, link) => fabric.nodes[link.a === node.index ? link.b : link.a];
export const portOf = (node, link) => (link.a === node.index ? link.a_port : link.b_port);

const GUID = '0x[0-9a-f]{16}';
const LINK_TEXT =
    new RegExp(`link (${GUID})(?: \\(.*?\\))? port (\\d+) to (${GUID})(?: \\(.*?\\))? port (\\d+)`);

/**
 * The ends that a sentence of the daemon names ("link 0x… (leaf3) port 7 to 0x… (h12) port 1 is gone"), or
 * null.
 */
export function linkEndsIn(text) {
  const found = LINK_TEXT.exec(text);
  return found && {a: found[1], aPort: Number(found[2]), b: found[3], bPort: Number(found[4])};
}

/** The first GUID in a sentence that is a node of the fabric. */
export function nodeIn(fabric, text) {
  for (const [guid] of text.matchAll(new RegExp(GUID, 'g'))) {
    const node = fabric.byGuid.get(guid);
    if (node) return node;
  }
  return undefined;
}

/**
 * Nodes that a search text means, best first: a LID, a GUID or its end, a name or a part of it.
 * @returns at most `limit` nodes
 */
export function search(fabric, text, limit = 12) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const lid = /^\d+$/.test(wanted) ? Number(wanted) : 0;
  const hex = wanted.replace(/^0x/, '');
  const ranked = [];
  for (const node of fabric.nodes) {
    const name = node.name.toLowerCase();
    const score = lid > 0 && node.lid === lid                                               ? 0 :
        name === wanted || shortName(node).toLowerCase() === wanted || node.guid === wanted ? 1 :
        name.startsWith(wanted)                                                             ? 2 :
        hex.length >= 4 && /^[0-9a-f]+$/.test(hex) && node.guid.endsWith(hex)               ? 3 :
        name.includes(wanted)                                                               ? 4 :
                                                                                              -1;
    if (score >= 0) ranked.push({node, score});
  }
  ranked.sort((a, b) => a.score - b.score || byName(a.node.name, b.node.name));
  return ranked.slice(0, limit).map((one) => one.node);
}

/** How bad a link is, in one word. */
export function healthOf(link) {
  if (link.lost || link.state === 'down') return 'down';
  if (link.order) return link.order === 'drained' ? 'drained' : 'held';
  if (link.state !== 'active') return 'starting';
  return link.below_best ? 'degraded' : 'good';
}

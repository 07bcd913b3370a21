// Where everything stands: trees in rows by level, dragonflies as clusters on a circle, anything else by
// distances. Pure and deterministic: the same fabric gives the same picture, whatever the order of the
// answer. The unit of length is the room of one leaf switch; y grows downwards.

import {byName, peerOf, portOf} from './model.js';
import {pivotMds} from './mds.js';

/**
 * @returns {kind: 'rows'|'groups'|'distances', x, y, size: Float64Array by node (size: diameter),
 *   labels: [{x, y, text, span}] of rows and groups; span: the length that the label speaks for,
 *   outlines: [[{x, y}, ...]] of groups, left, top, width, height, area: of all}
 */
export function layoutOf(fabric) {
  const made = {
    kind: '',
    labels: [],
    outlines: [],
    x: new Float64Array(fabric.nodes.length),
    y: new Float64Array(fabric.nodes.length),
    size: new Float64Array(fabric.nodes.length),
  };
  const switches =
      fabric.nodes.filter((node) => node.type === 'switch').sort((a, b) => byName(a.name, b.name));
  for (const node of switches)
    if (node.lost && node.group === null) node.group = groupOfPeers(fabric, node);
  const grouped =
      fabric.shape.kind.startsWith('dragonfly') && switches.every((node) => Number.isInteger(node.group));
  if (grouped)
    placeGroups(fabric, switches, made);
  else if (!placeRows(fabric, switches, made))
    placeByDistance(fabric, switches, made);
  return Object.assign(made, boundsOf(made));
}

function boundsOf({x, y}) {
  const bounds = {left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity};
  for (let i = 0; i < x.length; ++i) {
    bounds.left = Math.min(bounds.left, x[i]);
    bounds.right = Math.max(bounds.right, x[i]);
    bounds.top = Math.min(bounds.top, y[i]);
    bounds.bottom = Math.max(bounds.bottom, y[i]);
  }
  const width = Math.max(1, bounds.right - bounds.left);
  const height = Math.max(1, bounds.bottom - bounds.top);
  return {left: bounds.left, top: bounds.top, width, height, area: width * height};
}

/**
 * Where a switch that is gone and was never seen by this page belongs: the group of most of its neighbours.
 */
function groupOfPeers(fabric, node) {
  const votes = new Map();
  for (const link of node.links) {
    const {group} = peerOf(fabric, node, link);
    if (Number.isInteger(group)) votes.set(group, (votes.get(group) ?? 0) + 1);
  }
  return [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? null;
}

/** Hosts at each switch, by port: what hangs on it that is no switch. */
function hostsAt(fabric, node) {
  return node.links.filter((link) => peerOf(fabric, node, link).type !== 'switch')
      .sort((a, b) => portOf(node, a) - portOf(node, b))
      .map((link) => peerOf(fabric, node, link));
}

/**
 * Sets the hosts of a switch as a block of dots beyond it. `along` and `out` are unit vectors of the block; a
 * host with two links stays where the first switch put it.
 */
function placeHosts(fabric, made, node, room, along, out, placed, start = 0.75) {
  const hosts = hostsAt(fabric, node).filter((host) => !placed.has(host.index));
  const columns = Math.max(1, Math.ceil(Math.sqrt(hosts.length * 0.75)));
  const pitch = Math.min(0.42, (room * 0.84) / columns);
  hosts.forEach((host, i) => {
    const column = (i % columns) - (Math.min(columns, hosts.length) - 1) / 2;
    const row = Math.floor(i / columns);
    made.x[host.index] = made.x[node.index] + along.x * column * pitch + out.x * (start + row * pitch);
    made.y[host.index] = made.y[node.index] + along.y * column * pitch + out.y * (start + row * pitch);
    made.size[host.index] = pitch * 0.72;
    placed.add(host.index);
  });
  return Math.ceil(hosts.length / columns) * pitch;
}

/** Hosts without a switch stand by themselves, left of all. */
function placeStrays(fabric, made, placed) {
  let at = 0;
  const left = Math.min(0, ...made.x) - 3;
  for (const node of fabric.nodes) {
    if (placed.has(node.index)) continue;
    made.x[node.index] = left;
    made.y[node.index] = at++;
    made.size[node.index] = 0.4;
  }
}

// --- trees

/** Levels of switches from the leaves up, or null where links join others than neighbouring levels. */
export function ranksOf(fabric, switches) {
  const ranks = new Map();
  const seen = switches.filter((node) => !node.lost);
  if (fabric.shape.kind === 'tree' && seen.every((node) => Number.isInteger(node.rank))) {
    for (const node of seen) ranks.set(node, node.rank);
    for (const node of switches)
      if (node.lost) ranks.set(node, node.rank ?? rankOfPeers(fabric, node, ranks));
  } else {
    let front = switches.filter((node) => hostsAt(fabric, node).length > 0);
    for (const node of front) ranks.set(node, 0);
    for (let rank = 1; front.length > 0; ++rank) {
      const next = [];
      for (const node of front)
        for (const link of node.links) {
          const peer = peerOf(fabric, node, link);
          if (peer.type !== 'switch' || ranks.has(peer)) continue;
          ranks.set(peer, rank);
          next.push(peer);
        }
      front = next;
    }
  }
  for (const link of fabric.links) {
    const a = ranks.get(fabric.nodes[link.a]);
    const b = ranks.get(fabric.nodes[link.b]);
    if (a !== undefined && b !== undefined && Math.abs(a - b) !== 1) return null;
  }
  for (const node of switches)
    if (!ranks.has(node)) ranks.set(node, 0);
  return ranks;
}

/** The level of a switch that is gone, by what it was joined to. */
function rankOfPeers(fabric, node, ranks) {
  if (hostsAt(fabric, node).length > 0) return 0;
  const peers = node.links.map((link) => ranks.get(peerOf(fabric, node, link))).filter(Number.isInteger);
  if (peers.length === 0) return 0;
  const [low, high] = [Math.min(...peers), Math.max(...peers)];
  if (low !== high) return low + 1;
  return low < Math.max(...ranks.values()) ? low + 1 : low - 1;
}

/** Sub-trees: what is joined by switches up to a level is a block, made of the blocks below. */
function blocksOf(fabric, switches, ranks, top) {
  const blockOf = new Map();
  let blocks = [];
  for (let rank = 0; rank <= top; ++rank) {
    const here = switches.filter((node) => ranks.get(node) === rank);
    const joined = new Map(blocks.map((block) => [block, block]));
    const find = (block) => {
      while (joined.get(block) !== block) {
        joined.set(block, joined.get(joined.get(block)));
        block = joined.get(block);
      }
      return block;
    };
    const own = new Map();
    for (const node of here) {
      const block = {rank, inner: [], nodes: [node]};
      joined.set(block, block);
      own.set(node, block);
    }
    for (const node of here)
      for (const link of node.links) {
        const below = blockOf.get(peerOf(fabric, node, link));
        if (below) joined.set(find(below), find(own.get(node)));
      }
    const made = new Map();
    for (const block of joined.keys()) {
      const root = find(block);
      if (!made.has(root)) made.set(root, {rank, inner: [], nodes: []});
      const into = made.get(root);
      if (block.rank === rank && block.inner.length === 0)
        into.nodes.push(...block.nodes);
      else
        into.inner.push(block);
    }
    blocks = [...made.values()].map(
        (block) => (block.nodes.length === 0 && block.inner.length === 1 ? block.inner[0] : block));
    const mark = (block, root) => {
      for (const node of block.nodes) blockOf.set(node, root);
      for (const inner of block.inner) mark(inner, root);
    };
    for (const block of blocks) mark(block, block);
  }
  return blocks;
}

/**
 * Sets blocks side by side from `x` on, and each level of a block evenly over the width of what is below it.
 */
function spreadBlocks(blocks, made, x) {
  const first =
      (block) => [...block.nodes.map((node) => node.name), ...block.inner.map(first)].sort(byName)[0];
  const ordered = blocks.map((block) => ({block, name: first(block)})).sort((a, b) => byName(a.name, b.name));
  for (const {block} of ordered) {
    const start = x;
    x = block.inner.length > 0 ? spreadBlocks(block.inner, made, x) : x + block.nodes.length;
    block.nodes.sort((a, b) => byName(a.name, b.name));
    const width = Math.max(x - start, 1);
    const spacing = width / Math.max(1, block.nodes.length);
    block.nodes.forEach((node, i) => {
      made.x[node.index] = start + (i + 0.5) * spacing;
      made.size[node.index] = 0.5 * Math.min(2.2, Math.max(spacing, 0.3));
    });
    x = start + width + (block.rank > 0 ? 0.7 * block.rank : 0);
  }
  return x;
}

function placeRows(fabric, switches, made) {
  const ranks = ranksOf(fabric, switches);
  if (!ranks) return false;
  made.kind = 'rows';
  const top = Math.max(0, ...ranks.values());
  const width = spreadBlocks(blocksOf(fabric, switches, ranks, top), made, 0);
  const gap = top > 0 ? Math.max(3, width / 1.75 / top) : 0;
  const placed = new Set();
  let depth = 0;
  for (const node of switches) {
    made.y[node.index] = -ranks.get(node) * gap;
    placed.add(node.index);
  }
  for (const node of switches)
    depth = Math.max(depth, placeHosts(fabric, made, node, 1, {x: 1, y: 0}, {x: 0, y: 1}, placed));
  placeStrays(fabric, made, placed);
  for (let rank = 0; rank <= top; ++rank) {
    const count = switches.filter((node) => ranks.get(node) === rank).length;
    const what = rank === 0 ? 'leaves' : rank === top ? 'roots' : top === 2 ? 'spines' : `level ${rank + 1}`;
    made.labels.push({x: -1.2, y: -rank * gap, text: `${count} ${what}`, span: gap, align: 'right'});
  }
  made.labels.push({
    x: -1.2,
    y: 0.75 + depth / 2,
    text: `${placed.size - switches.length} hosts`,
    span: gap,
    align: 'right'
  });
  return true;
}

// --- dragonflies

function placeGroups(fabric, switches, made) {
  made.kind = 'groups';
  const numbers =
      [...new Set(switches.filter((node) => !node.lost).map((node) => node.group))].sort((a, b) => a - b);
  const groups = numbers.map((number) => switches.filter((node) => node.group === number));
  const leaves = (group) => group.filter((node) => hostsAt(fabric, node).length > 0);
  const layered =
      groups.some((group) => leaves(group).length < group.length && isLayered(fabric, group, leaves(group)));
  const placed = new Set(switches.map((node) => node.index));
  if (layered)
    placeWedges(fabric, made, groups, leaves, placed);
  else
    placeDiscs(fabric, made, groups, placed);
  placeStrays(fabric, made, placed);
  groups.forEach((group, i) => (made.labels[i].text = `group ${numbers[i]}`));
}

/** Leaves that are joined to spines only, as in a Dragonfly+. */
function isLayered(fabric, group, leaves) {
  const low = new Set(leaves.map((node) => node.index));
  return leaves.every((leaf) => leaf.links.every((link) => !low.has(peerOf(fabric, leaf, link).index)));
}

const turned = (angle) =>
    ({out: {x: Math.sin(angle), y: -Math.cos(angle)}, along: {x: Math.cos(angle), y: Math.sin(angle)}});

/** Each group a sector: spines inside, leaves outside of them, hosts beyond. */
function placeWedges(fabric, made, groups, leavesOf, placed) {
  const most = Math.max(
      ...groups.map((group) => Math.max(leavesOf(group).length, group.length - leavesOf(group).length)));
  const depth = Math.max(2, most * 0.55);
  const sector = (2 * Math.PI) / groups.length;
  // Leaves have one unit each, on their own circle, with a fifth of a group between groups.
  const outer = Math.max((groups.length * most * 1.22) / (2 * Math.PI), depth * 2);
  const inner = outer - depth;
  groups.forEach((group, i) => {
    const middle = i * sector;
    const low = leavesOf(group);
    const high = group.filter((node) => !low.includes(node));
    let reach = 0;
    const row = (nodes, radius) => {
      const step = Math.min(1.6 / radius, sector / 1.22 / Math.max(1, nodes.length));
      nodes.forEach((node, k) => {
        const angle = middle + (k - (nodes.length - 1) / 2) * step;
        const {out, along} = turned(angle);
        made.x[node.index] = out.x * radius;
        made.y[node.index] = out.y * radius;
        made.size[node.index] = Math.min(0.62, step * radius * 0.62);
        reach = Math.max(reach, placeHosts(fabric, made, node, 1, along, out, placed));
      });
      return (step * nodes.length) / 2;
    };
    const half = Math.max(row(high, inner), row(low, outer));
    addSector(made, middle, half + 0.25 / outer, inner - 0.8, outer + 0.75 + reach + 0.15);
    const {out} = turned(middle);
    const at = outer + reach + 1 + most * 0.12;
    made.labels.push({x: out.x * at, y: out.y * at, span: half * outer * 2, align: 'center', out});
  });
}

function addSector(made, middle, half, inner, outer) {
  const points = [];
  const steps = 12;
  for (let k = 0; k <= steps; ++k) points.push([middle - half + (2 * half * k) / steps, outer]);
  for (let k = steps; k >= 0; --k) points.push([middle - half + (2 * half * k) / steps, inner]);
  made.outlines.push(
      points.map(([angle, radius]) => ({x: Math.sin(angle) * radius, y: -Math.cos(angle) * radius})));
}

/** Each group a disc: its routers on a circle, the hosts of each outside of it. */
function placeDiscs(fabric, made, groups, placed) {
  const most = Math.max(...groups.map((group) => group.length));
  const radius = Math.max(1, (most * 1.7) / (2 * Math.PI));
  const size = radius + 2.1;
  const ring = groups.length === 1 ? 0 : (size * 1.12) / Math.sin(Math.PI / Math.max(2, groups.length));
  groups.forEach((group, i) => {
    const middle = (i * 2 * Math.PI) / groups.length;
    const {out} = turned(middle);
    const at = {x: out.x * ring, y: out.y * ring};
    group.forEach((node, k) => {
      const angle = middle + Math.PI + ((k + 0.5) * 2 * Math.PI) / group.length;
      const way = turned(angle);
      made.x[node.index] = at.x + way.out.x * radius;
      made.y[node.index] = at.y + way.out.y * radius;
      made.size[node.index] = 0.7;
      placeHosts(fabric, made, node, 1.7, way.along, way.out, placed);
    });
    const points = [];
    for (let k = 0; k < 48; ++k) {
      const way = turned((k * 2 * Math.PI) / 48);
      points.push({x: at.x + way.out.x * size, y: at.y + way.out.y * size});
    }
    made.outlines.push(points);
    const label = size + 0.9;
    made.labels.push(
        {x: at.x + out.x * label, y: at.y + out.y * label, span: size * 2, align: 'center', out});
  });
}

// --- anything else

function placeByDistance(fabric, switches, made) {
  made.kind = 'distances';
  const at = new Map(switches.map((node, i) => [node.index, i]));
  const neighbours = switches.map(
      (node) =>
          [...new Set(node.links.map((link) => at.get(peerOf(fabric, node, link).index))
                          .filter((i) => i !== undefined)),
  ]);
  const points = pivotMds(neighbours);
  const lengths = [];
  neighbours.forEach(
      (list, i) => list.forEach(
          (j) => lengths.push(Math.hypot(points[i].x - points[j].x, points[i].y - points[j].y))));
  lengths.sort((a, b) => a - b);
  const scale = 4 / (lengths[Math.floor(lengths.length / 2)] || 1);
  const placed = new Set(switches.map((node) => node.index));
  const taken = new Map();
  switches.forEach((node, i) => {
    // Nodes that fall on one another are set apart along a spiral.
    const cell = `${Math.round(points[i].x * scale)} ${Math.round(points[i].y * scale)}`;
    const turn = taken.get(cell) ?? 0;
    taken.set(cell, turn + 1);
    const angle = turn * 2.399963;
    made.x[node.index] = points[i].x * scale + 1.3 * Math.sqrt(turn) * Math.cos(angle);
    made.y[node.index] = points[i].y * scale + 1.3 * Math.sqrt(turn) * Math.sin(angle);
    made.size[node.index] = 0.8;
  });
  for (const node of switches) placeHosts(fabric, made, node, 1.6, {x: 1, y: 0}, {x: 0, y: 1}, placed, 0.9);
  placeStrays(fabric, made, placed);
}

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {layoutOf} from '../../../web/src/layout.js';
import {fabricFrom, peerOf} from '../../../web/src/model.js';
import {dragonfly, dragonflyPlus, ring, tree} from '../support/fabrics.mjs';

const laid = (draft) => {
  const fabric = fabricFrom(draft.answer);
  return {fabric, layout: layoutOf(fabric)};
};
const distance = (layout, a, b) =>
    Math.hypot(layout.x[a.index] - layout.x[b.index], layout.y[a.index] - layout.y[b.index]);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The same fabric, told in another order. */
function shuffled(draft) {
  const {answer} = draft;
  const order = answer.nodes.map((_, i) => i).sort((a, b) => ((a * 7919) % 101) - ((b * 7919) % 101));
  const place = new Map(order.map((old, at) => [old, at]));
  const links =
      answer.links.map(([a, ap, b, bp, ...rest]) => [place.get(b), bp, place.get(a), ap, ...rest]).reverse();
  return {answer: {...answer, nodes: order.map((old) => answer.nodes[old]), links}};
}

for (const [name, make] of Object.entries({tree, dragonfly, dragonflyPlus})) {
  test(`${name}: no two nodes share a place, whatever the order of the answer`, () => {
    const one = laid(make());
    const places = new Set(one.fabric.nodes.map(
        (node) => `${one.layout.x[node.index].toFixed(3)} ${one.layout.y[node.index].toFixed(3)}`));
    assert.equal(places.size, one.fabric.nodes.length);
    const other = laid(shuffled(make()));
    for (const node of one.fabric.nodes) {
      const same = other.fabric.byGuid.get(node.guid);
      assert.ok(Math.abs(one.layout.x[node.index] - other.layout.x[same.index]) < 1e-6, node.name);
      assert.ok(Math.abs(one.layout.y[node.index] - other.layout.y[same.index]) < 1e-6, node.name);
    }
  });
}

test('a tree stands in rows, roots above, hosts below their leaf', () => {
  const {fabric, layout} = laid(tree());
  assert.equal(layout.kind, 'rows');
  const heights = (rank) => [...new Set(
      fabric.nodes.filter((node) => node.rank === rank).map((node) => layout.y[node.index]))];
  assert.deepEqual([heights(0).length, heights(1).length, heights(2).length], [1, 1, 1]);
  assert.ok(heights(2)[0] < heights(1)[0] && heights(1)[0] < heights(0)[0]);
  for (const node of fabric.nodes.filter((one) => one.type === 'hca')) {
    const leaf = peerOf(fabric, node, node.links[0]);
    assert.ok(layout.y[node.index] > layout.y[leaf.index]);
    assert.ok(Math.abs(layout.x[node.index] - layout.x[leaf.index]) <= 0.5, 'within the room of its leaf');
  }
});

test('pods of a tree do not mix', () => {
  const {fabric, layout} = laid(tree(4, 3, 1));
  const range = (pod) =>
      fabric.nodes.filter((node) => node.group === pod).map((node) => layout.x[node.index]);
  for (let pod = 1; pod < 4; ++pod) assert.ok(Math.max(...range(pod - 1)) < Math.min(...range(pod)));
});

test('a tree without ranks from the daemon is found by its hosts', () => {
  const draft = tree();
  draft.answer.shape.kind = 'arbitrary';
  for (const node of draft.answer.nodes) node[3] = null;
  assert.equal(laid(draft).layout.kind, 'rows');
});

test('groups of a dragonfly are clusters on a circle', () => {
  for (const make of [dragonfly, dragonflyPlus]) {
    const {fabric, layout} = laid(make());
    assert.equal(layout.kind, 'groups');
    const switches = fabric.nodes.filter((node) => node.type === 'switch');
    const groups = [...new Set(switches.map((node) => node.group))];
    const centres = groups.map((group) => {
      const own = switches.filter((node) => node.group === group);
      return {
        x: mean(own.map((node) => layout.x[node.index])),
        y: mean(own.map((node) => layout.y[node.index]))
      };
    });
    const radii = centres.map(({x, y}) => Math.hypot(x, y));
    assert.ok(Math.max(...radii) - Math.min(...radii) < 0.01 * radii[0]);
    for (const node of switches) {
      const to = (centre) => Math.hypot(layout.x[node.index] - centre.x, layout.y[node.index] - centre.y);
      const nearest = groups.reduce((best, _, i) => (to(centres[i]) < to(centres[best]) ? i : best), 0);
      assert.equal(groups[nearest], node.group, node.name);
    }
    assert.equal(layout.outlines.length, groups.length);
  }
});

test('in a Dragonfly+ spines stand inside, leaves outside, hosts beyond', () => {
  const {fabric, layout} = laid(dragonflyPlus());
  const radius = (node) => Math.hypot(layout.x[node.index], layout.y[node.index]);
  const of = (wanted) => fabric.nodes.filter(wanted).map(radius);
  assert.ok(Math.max(...of((node) => node.rank === 1)) < Math.min(...of((node) => node.rank === 0)));
  assert.ok(Math.max(...of((node) => node.rank === 0)) < Math.min(...of((node) => node.type === 'hca')));
});

test('a ring becomes a circle', () => {
  const {fabric, layout} = laid(ring(12));
  assert.equal(layout.kind, 'distances');
  const switches = fabric.nodes.filter((node) => node.type === 'switch');
  const sides = switches.map((node, i) => distance(layout, node, switches[(i + 1) % 12]));
  assert.ok(Math.max(...sides) / Math.min(...sides) < 1.2);
  assert.ok(distance(layout, switches[0], switches[6]) > 2.5 * mean(sides));
});

test('a switch that is missing keeps its row', () => {
  const draft = tree();
  const spine = draft.answer.nodes.findIndex((node) => node[1] === 'spine-1-0');
  const full = laid(tree());
  const [guid, name, type] = draft.answer.nodes[spine];
  for (let i = draft.answer.links.length - 1; i >= 0; --i)
    if (draft.answer.links[i].slice(0, 3).includes(spine)) draft.cut(i);
  draft.answer.nodes.splice(spine, 1);
  for (const row of draft.answer.links)
    for (const end of [0, 2])
      if (row[end] > spine) row[end] -= 1;
  draft.answer.missing_nodes.push([guid, name, type]);
  const {fabric, layout} = laid(draft);
  const lost = fabric.byGuid.get(guid);
  assert.equal(layout.y[lost.index], full.layout.y[spine]);
});

test('one switch with hosts, and nothing at all, can be laid out', () => {
  assert.equal(laid(tree(1, 1, 2)).layout.kind, 'rows');
  const empty = tree(0, 0, 0);
  assert.equal(laid(empty).layout.x.length, 0);
});

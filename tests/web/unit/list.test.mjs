import assert from 'node:assert/strict';
import {test} from 'node:test';

import {isGone, keyOf, ListView, placeOf, rowsOf, stateOf} from '../../../web/src/list.js';
import {fabricFrom} from '../../../web/src/model.js';
import {ring, tree} from '../support/fabrics.mjs';

const names = ({rows}) => rows.map(({node}) => node.name);

test('switches and hosts stand in the order of their names', () => {
  const fabric = fabricFrom(ring(12).answer);
  assert.deepEqual(names(rowsOf(fabric, 'switches', '')), Array.from({length: 12}, (_, i) => `s${i}`));
  assert.deepEqual(names(rowsOf(fabric, 'hosts', '')), Array.from({length: 12}, (_, i) => `h${i}`));
});

test('a search gives what fits best first, and links at what fits', () => {
  const fabric = fabricFrom(ring(12).answer);
  assert.deepEqual(names(rowsOf(fabric, 'switches', 's1')), ['s1', 's10', 's11']);
  const {rows, all} = rowsOf(fabric, 'links', 's3');
  assert.equal(all, 3);
  for (const {link} of rows)
    assert.ok([link.a, link.b].some((index) => fabric.nodes[index].name === 's3'));
});

test('what is not as it should be stands with the worst first', () => {
  const draft = tree();
  draft.answer.links[7][draft.answer.links_are.indexOf('below_best')] = 1;
  draft.answer.links[9][draft.answer.links_are.indexOf('state')] = 'init';
  const fabric = fabricFrom(draft.cut(4).answer);
  const {rows, all} = rowsOf(fabric, 'wrong', '');
  assert.equal(all, 3);
  assert.deepEqual(rows.map(({link}) => stateOf(link, null)), ['down', 'degraded', 'starting']);
  assert.equal(rowsOf(fabricFrom(tree().answer), 'wrong', '').all, 0);
});

test('the past shows what was away then', () => {
  const fabric = fabricFrom(tree().cut(4).answer);
  const [gone] = fabric.links.filter((link) => link.lost);
  const other = fabric.links[2];
  const away = {links: new Set([other]), nodes: new Set([fabric.nodes[0]])};
  assert.equal(stateOf(gone, away), 'good');
  assert.deepEqual(rowsOf(fabric, 'wrong', '', away).rows.map((row) => row.node ?? row.link), [
    fabric.nodes[0], other
  ]);
});

test('no more rows than one can look through, and how many there are', () => {
  const fabric = fabricFrom(tree(10, 10, 10).answer);
  const {rows, all} = rowsOf(fabric, 'hosts', '');
  assert.equal(rows.length, 200);
  assert.equal(all, 1000);
});

test('a link is shown among those between its two nodes', () => {
  const fabric = fabricFrom(ring(12).answer);
  const link = fabric.links.find(({a, b}) => [a, b].every((index) => fabric.nodes[index].type !== 'hca'));
  const place = placeOf([fabric.nodes[link.a], fabric.nodes[link.b]]);
  const {rows} = rowsOf(fabric, place.kind, place.text);
  assert.ok(rows.some((row) => row.link === link));
  assert.ok(rows.length < 4, 'and not all of either');
  assert.deepEqual(placeOf([fabric.nodes[0]]).text, fabric.nodes[0].name);
  assert.equal(placeOf([]), null);
});

test('a node is gone as of the moment that is shown', () => {
  const [one, other] = [{lost: true}, {lost: false}];
  assert.equal(isGone(one, null), true);
  const away = {nodes: new Set([other]), links: new Set()};
  assert.deepEqual([isGone(one, away), isGone(other, away)], [false, true]);
});

test('a row has the same key when the fabric is read anew', () => {
  const [before, after] = [fabricFrom(ring(12).answer), fabricFrom(ring(12).answer)];
  const keys = (fabric) => [...fabric.nodes.map((node) => keyOf(fabric, {node})),
                            ...fabric.links.map((link) => keyOf(fabric, {link}))];
  assert.deepEqual(keys(before), keys(after));
  assert.equal(new Set(keys(before)).size, keys(before).length);
});

test('however much is told in a frame, it is drawn once', () => {
  const frames = [];
  globalThis.requestAnimationFrame = (draw) => frames.push(draw);
  globalThis.cancelAnimationFrame = () => {};
  try {
    const view = Object.create(ListView.prototype);
    let draws = 0;
    Object.assign(view, {frame: null, draw() { draws += 1; }});
    view.setPaint([], [], null);
    view.setLit([], []);
    view.setPaint([], [], null);
    assert.equal(frames.length, 1);
    frames[0]();
    assert.equal(draws, 1);
  } finally {
    delete globalThis.requestAnimationFrame;
    delete globalThis.cancelAnimationFrame;
  }
});

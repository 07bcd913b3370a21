import assert from 'node:assert/strict';
import {test} from 'node:test';

import {rowsOf, stateOf} from '../../../web/src/list.js';
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

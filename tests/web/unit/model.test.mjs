import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fabricFrom, findLink, healthOf, linkEndsIn, nodeIn, search, takeFlows} from '../../../web/src/model.js';
import {tree} from '../support/fabrics.mjs';

const names = (nodes) => nodes.map((node) => node.name);

test('a link is found by either end and by both', () => {
  const fabric = fabricFrom(tree().answer);
  const link = fabric.links[5];
  const [a, b] = [fabric.nodes[link.a].guid, fabric.nodes[link.b].guid];
  assert.equal(findLink(fabric, {a, aPort: link.a_port}), link);
  assert.equal(findLink(fabric, {a: b, aPort: link.b_port, b: a, bPort: link.a_port}), link);
  assert.equal(findLink(fabric, {a, aPort: link.a_port, b, bPort: link.b_port + 1}), undefined);
});

test('a missing link stands between its ends as lost', () => {
  const draft = tree();
  const [a, aPort, b] = draft.answer.links[4];
  const fabric = fabricFrom(draft.cut(4).answer);
  const link = findLink(fabric, {a: fabric.nodes[a].guid, aPort});
  assert.equal(link.b, b);
  assert.equal(healthOf(link), 'down');
});

test('a missing host stands with its link', () => {
  const draft = tree();
  draft.answer.missing_nodes.push(['0x00000000000000ff', 'gone HCA-1', 'hca']);
  draft.answer.missing_links.push(
      ['0x00000000000000ff', 1, draft.answer.nodes[4][0], 30, 'gone HCA-1', 'leaf']);
  const fabric = fabricFrom(draft.answer);
  const node = fabric.byGuid.get('0x00000000000000ff');
  assert.equal(node.lost, true);
  assert.equal(node.links.length, 1);
});

test('health is the worst that is to be said of a link', () => {
  const good = {lost: false, state: 'active', order: null, below_best: 0};
  assert.equal(healthOf(good), 'good');
  assert.equal(healthOf({...good, below_best: 1}), 'degraded');
  assert.equal(healthOf({...good, state: 'init'}), 'starting');
  assert.equal(healthOf({...good, order: 'drained'}), 'drained');
  assert.equal(healthOf({...good, order: 'held', below_best: 1}), 'held');
  assert.equal(healthOf({...good, lost: true, order: 'held'}), 'down');
});

test('the daemon\'s sentences name ends and nodes', () => {
  assert.deepEqual(
      linkEndsIn(
          'link 0x0000000000000101 (leaf (row 3)) port 7 to 0x0000000000000102 (spine) port 12 is gone'),
      {a: '0x0000000000000101', aPort: 7, b: '0x0000000000000102', bPort: 12});
  assert.deepEqual(
      linkEndsIn('link 0x0000000000000101 port 7 to 0x0000000000000102 port 12 is new')?.bPort, 12);
  assert.equal(linkEndsIn('switch 0x0000000000000101 (leaf) has booted'), null);
  const fabric = fabricFrom(tree().answer);
  assert.equal(
      nodeIn(fabric, 'hca 0x00000000deadbeef is gone; it hung on 0x0000000000000101 (root-1) port 4').name,
      'root-1');
});

test('search goes by name, GUID and LID, the exact ones first', () => {
  const fabric = fabricFrom(tree().answer);
  assert.equal(names(search(fabric, 'LEAF-1-0'))[0], 'leaf-1-0');
  assert.equal(names(search(fabric, 'host-2-1-2'))[0], 'host-2-1-2 HCA-1');
  assert.equal(names(search(fabric, '3'))[0], fabric.nodes[2].name, 'LID 3');
  assert.deepEqual(names(search(fabric, fabric.nodes[7].guid)), [fabric.nodes[7].name]);
  assert.deepEqual(search(fabric, '  '), []);
  assert.equal(search(fabric, 'host', 5).length, 5);
});

test('routes are taken over into the fabric of their generation alone', () => {
  const draft = tree();
  const fabric = fabricFrom(draft.answer);
  draft.answer.links[3][8] = 17;
  assert.equal(takeFlows(fabric, draft.answer), true);
  assert.equal(fabric.links[3].flows_ab, 17);
  assert.equal(takeFlows(fabric, {...draft.answer, generation: 99}), false);
});

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fabricFrom} from '../../../web/src/model.js';
import {Timeline, changeOf} from '../../../web/src/timeline.js';
import {tree} from '../support/fabrics.mjs';

const time = (second) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

function linkEvent(fabric, id, kind, link) {
  const [a, b] = [fabric.nodes[link.a], fabric.nodes[link.b]];
  const words = `link ${a.guid} (${a.name}) port ${link.a_port} to ${b.guid} (${b.name}) port ${link.b_port}`;
  return {
    id,
    time: time(id),
    severity: 'warning',
    kind,
    node: a.guid,
    port: link.a_port,
    text: `${words} is ${kind === 'link_gone' ? 'gone' : 'new'}`
  };
}

test('events are undone back to a moment', () => {
  const fabric = fabricFrom(tree().cut(3).answer);
  const lost = fabric.links.find((link) => link.lost);
  const other = fabric.links[0];
  const timeline = new Timeline();
  timeline.add([
    linkEvent(fabric, 10, 'link_gone', other), linkEvent(fabric, 20, 'link_new', other),
    linkEvent(fabric, 30, 'link_gone', lost)
  ]);
  const away = (second) => [...timeline.awayAt(fabric, Date.parse(time(second))).links];
  assert.deepEqual(away(5), []);
  assert.deepEqual(away(15), [other]);
  assert.deepEqual(away(25), []);
  assert.deepEqual(away(35), [lost]);
});

test('a node that was away takes its links with it', () => {
  const fabric = fabricFrom(tree().answer);
  const node = fabric.nodes.find((one) => one.name === 'leaf-1-1');
  const timeline = new Timeline();
  const event = (id, kind) =>
      ({id, time: time(id), severity: 'info', kind, node: node.guid, port: null, text: ''});
  timeline.add([event(10, 'node_gone'), event(20, 'node_new')]);
  const then = timeline.awayAt(fabric, Date.parse(time(15)));
  assert.deepEqual([...then.nodes], [node]);
  assert.equal(then.links.size, node.links.length);
  assert.equal(timeline.awayAt(fabric, Date.parse(time(25))).links.size, 0);
});

test('events that come twice count once, others that are no change not at all', () => {
  const fabric = fabricFrom(tree().answer);
  const timeline = new Timeline();
  const event = linkEvent(fabric, 10, 'link_gone', fabric.links[2]);
  assert.equal(timeline.add([event]).length, 1);
  assert.equal(timeline.add([event]).length, 0);
  timeline.add([{
    id: 11,
    time: time(11),
    severity: 'info',
    kind: 'rerouted',
    node: null,
    port: null,
    text: 'traffic goes other ways'
  }]);
  assert.equal(timeline.moments(fabric).length, 1);
  assert.equal(changeOf(fabric, {kind: 'link_gone', node: '0x00000000000000aa', port: 1, text: ''}), null);
});

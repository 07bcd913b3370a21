import assert from 'node:assert/strict';
import {test} from 'node:test';

import {issuesOf} from '../../../web/src/advice.js';
import {fabricFrom} from '../../../web/src/model.js';
import {tree} from '../support/fabrics.mjs';

const issue = (more) =>
    ({severity: 'error', text: 'something', todo: 'Look.', command: null, node: null, name: null, ...more});

test('a fabric as planned has no issues',
     () => assert.deepEqual(issuesOf({issues: []}, fabricFrom(tree().answer)), []));

test('a missing link is told with its place, and in the words of the daemon', () => {
  const draft = tree();
  const [a, aPort, b, bPort] = draft.answer.links[4];
  const [one, other] = [draft.answer.nodes[a], draft.answer.nodes[b]];
  const text = `link ${one[0]} (${one[1]}) port ${aPort} to ${other[0]} (${other[1]}) port ${bPort} is gone`;
  const fabric = fabricFrom(draft.cut(4).answer);
  const [told] = issuesOf({issues: [issue({text, todo: 'Check the cable:', command: 'weftctl accept'})]}, fabric);
  assert.equal(told.level, 'bad');
  assert.equal(told.text, text);
  assert.equal(told.todo, 'Check the cable:');
  assert.equal(told.command, 'weftctl accept');
  assert.equal(told.place.link, fabric.links.find((link) => link.lost));
});

test('a node is shown by its GUID, told or within the text', () => {
  const draft = tree();
  const fabric = fabricFrom(draft.answer);
  const guid = draft.answer.nodes[2][0];
  const [one, other, none] = issuesOf(
      {issues: [issue({node: guid}), issue({text: `${guid} (x): silent`}), issue()]}, fabric);
  assert.equal(one.place.node, fabric.byGuid.get(guid));
  assert.equal(other.place.node, fabric.byGuid.get(guid));
  assert.equal(none.place, undefined);
});

test('levels follow the severity, in the order of the daemon', () => {
  const levels = issuesOf(
                     {issues: ['error', 'warning', 'info'].map((severity) => issue({severity}))},
                     fabricFrom(tree().answer))
                     .map((one) => one.level);
  assert.deepEqual(levels, ['bad', 'warn', 'info']);
});

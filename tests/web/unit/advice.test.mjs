import assert from 'node:assert/strict';
import {test} from 'node:test';

import {issuesOf} from '../../../web/src/advice.js';
import {fabricFrom} from '../../../web/src/model.js';
import {tree} from '../support/fabrics.mjs';

const well = {
  state: 'master',
  text: 'the fabric is as planned',
  last_sweep: {number: 3, error: null},
  store: 'ok',
  shared: '',
  unmatched: [],
  problems: [],
  dirty: [],
  missing: [],
  plan: {policies: {partitions_in_force: true}},
  routing: {engine: 'fat-tree', pairs_lost: 0, refusals: [], beyond_named: false},
};

test(
    'a fabric as planned has no issues',
    () => assert.deepEqual(issuesOf(well, fabricFrom(tree().answer)), []));

test('a missing link is told with its place and what to do', () => {
  const draft = tree();
  const [a, aPort, b, bPort] = draft.answer.links[4];
  const [one, other] = [draft.answer.nodes[a], draft.answer.nodes[b]];
  const missing =
      [`link ${one[0]} (${one[1]}) port ${aPort} to ${other[0]} (${other[1]}) port ${bPort} is gone`];
  const fabric = fabricFrom(draft.cut(4).answer);
  const [issue] = issuesOf({...well, missing}, fabric);
  assert.equal(issue.level, 'bad');
  assert.equal(issue.place.link, fabric.links.find((link) => link.lost));
  assert.match(issue.todo, /cable/);
  assert.equal(issue.command, 'weftctl accept');
});

test('links that are there and not right are told together', () => {
  const draft = tree();
  for (const i of [1, 2, 3, 4, 5]) draft.answer.links[i][6] = 1;
  const issues = issuesOf(well, fabricFrom(draft.answer));
  assert.equal(issues.length, 1);
  assert.match(issues[0].text, /^5 links are slower.* and 2 more$/);
});

test('the worst comes first', () => {
  const levels = issuesOf(
                     {
                       ...well,
                       unmatched: ['root 0x1 is not there'],
                       problems: [{node: null, what: 'PortInfo does not answer'}],
                       routing: {...well.routing, refusals: [{engine: 'dragonfly', reason: 'no groups'}]},
                     },
                     fabricFrom(tree().answer))
                     .map((issue) => issue.level);
  assert.deepEqual(levels, ['bad', 'warn', 'info']);
});

test('a standby is no fault, a failed sweep is one', () => {
  assert.equal(issuesOf({...well, state: 'standby'}, fabricFrom(tree().answer))[0].level, 'info');
  assert.equal(
      issuesOf({...well, last_sweep: {number: 4, error: 'nobody answers'}}, fabricFrom(tree().answer))[0]
          .level,
      'bad');
});

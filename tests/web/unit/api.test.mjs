import assert from 'node:assert/strict';
import {test} from 'node:test';

import {StreamParser} from '../../../web/src/api.js';
import {ranges} from '../../../web/src/panels.js';
import {alternatives} from '../../../web/src/path.js';
import {fabricFrom} from '../../../web/src/model.js';
import {tree} from '../support/fabrics.mjs';

test('a stream is read whole, wherever it is cut', () => {
  const text =
      'retry: 2000\n\nevent: view\ndata: {"generation":7}\n\n: alive\n\nid: 12\nevent: event\ndata: {"id":12,\ndata: "text":"x"}\n\n';
  const wanted =
      [{event: 'view', data: '{"generation":7}'}, {id: '12', event: 'event', data: '{"id":12,\n"text":"x"}'}];
  for (let at = 0; at <= text.length; ++at) {
    const parser = new StreamParser();
    assert.deepEqual(
        [...parser.feed(text.slice(0, at)), ...parser.feed(text.slice(at))], wanted, `cut at ${at}`);
  }
});

test('port numbers are told as ranges', () => {
  assert.equal(ranges([5, 3, 4, 9]), '3-5, 9');
  assert.equal(ranges([2, 1]), '1, 2');
  assert.equal(ranges([]), '');
});

test('of the port sets of a switch the one with the port of the tables counts', () => {
  const fabric = fabricFrom(tree().answer);
  const leaf = fabric.nodes.find((node) => node.name === 'leaf-0-0');
  const hop = {out: {port: 1}, from: leaf};
  const sets = [
    {leaf: 'leaf-1-1', class: 0, ports: [3], spare: []},
    {leaf: 'leaf-1-1', class: 1, ports: [1, 2], spare: [4]},
    {leaf: 'leaf-2-0', class: 0, ports: [1, 5], spare: []},
  ];
  assert.deepEqual(
      alternatives(fabric, hop, sets, 'leaf-1-1').map(({port, spare}) => [port, spare]),
      [[2, false], [4, true]]);
  assert.deepEqual(alternatives(fabric, hop, sets, 'leaf-0-1'), []);
});

// What is under the pointer, in a few words.

import {byId, count, fill, h} from './dom.js';
import {shortName} from './model.js';

/** Says beside the pointer what is under it: {node} | {link} | null. */
export function showTip(fabric, what, x, y) {
  const tip = byId('tip');
  tip.hidden = !what;
  if (!what) return;
  if (what.node) {
    const {node} = what;
    const active = node.links.filter((link) => !link.lost && link.state === 'active').length;
    fill(
        tip, node.name || node.guid,
        h('small', {},
          `${node.type === 'hca' ? 'host' : node.type}${node.lid ? `, LID ${node.lid}` : ''}, ${active} of ${
              count(node.links.length, 'link')} active${node.lost ? ', gone' : ''}`));
  } else {
    const {link} = what;
    const routes = link.flows_ab === null ?
        '' :
        `; routes ${link.flows_ab.toLocaleString('en')} / ${link.flows_ba.toLocaleString('en')}`;
    fill(
        tip,
        `${shortName(fabric.nodes[link.a])}/${link.a_port} - ${shortName(fabric.nodes[link.b])}/${
            link.b_port}`,
        h('small', {}, `${link.lost ? 'gone' : `${link.state}, ${link.width} ${link.speed}`}${routes}`));
  }
  const room = byId('stage').clientWidth;
  tip.style.left = `${Math.min(x + 14, room - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.max(6, y - tip.offsetHeight - 10)}px`;
}

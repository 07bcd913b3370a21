// How nodes and links look at the moment: colours of the mode, over them the overlay, the past, what is lit.
// Pure.

import {painter} from './colours.js';

/**
 * @param state {mode, theme, fabric, away: {links, nodes} | null, members: Map(node -> 'full'|'limited') |
 *     null, path}
 * @returns {links(link), nodes(node), legend: [{colour, text, dashed}], title}
 */
export function lookOf({mode, theme, fabric, away, members, path}) {
  const {paint, legend} = painter(mode, fabric, theme);
  const then = (link) => {
    if (!away) return link;
    if (away.links.has(link)) return {...link, state: 'down', lost: true};
    return link.lost ? {...link, state: 'active', lost: false} : link;
  };
  const nodeAway = (node) => (away ? away.nodes.has(node) : node.lost);
  const faint = path ? 0.35 : 1;

  const links = (link) => {
    const look = paint(then(link));
    if (look.wrong) return look;
    if (members) {
      const lit = members.has(fabric.nodes[link.a]) || members.has(fabric.nodes[link.b]);
      const colour = lit ? theme.rgb.member : theme.rgb.dim;
      return {...look, from: colour, to: colour, weight: lit ? 0.5 : 0, alpha: lit ? 0.9 : 0.5};
    }
    return {...look, alpha: faint};
  };
  const plain = { switch: theme.rgb.switch, hca: theme.rgb.host, router: theme.rgb.router };
  const nodes = (node) => {
    if (nodeAway(node)) return {colour: theme.rgb.down, alpha: 0.9, ring: theme.rgb.down, big: true};
    if (!members) return {colour: plain[node.type], alpha: path ? 0.5 : 1};
    const membership = members.get(node);
    if (membership) return {colour: membership === 'full' ? theme.rgb.member : theme.rgb.limited, alpha: 1};
    return {colour: theme.rgb.dim, alpha: node.type === 'switch' ? 0.8 : 1};
  };
  const overlay = members ?
      [
        {colour: theme.hex.member, text: 'full member'}, {colour: theme.hex.limited, text: 'limited member'},
        {colour: theme.hex.dim, text: 'no member'}
      ] :
      [];
  const lit = path ? [{colour: theme.hex.path, text: 'the path'}] : [];
  if (path?.hops.some((hop) => hop.also.length > 0))
    lit.push({colour: theme.hex.way, text: 'other ports of its sets', dashed: true});
  return {
    links,
    nodes,
    legend: [
      ...lit, ...overlay,
      ...(members ? [{colour: theme.hex.down, text: 'down or gone', dashed: true}] : legend)
    ]
  };
}

/** The lit path for Scene.setPath and Labels: alternatives first, so that the path lies over them. */
export function litOf({path, selected, theme, fabric, layout}) {
  const lit = [];
  const pins = [];
  const nodes = new Set();
  const marked = [];
  if (path) {
    for (const hop of path.hops)
      for (const {link, spare} of hop.also)
        lit.push({link, colour: theme.rgb.way, width: 2.2, dashed: spare});
    path.hops.forEach((hop, i) => {
      if (!hop.link) return;
      lit.push({link: hop.link, colour: theme.rgb.path, width: 4.5});
      const {a, b} = hop.link;
      pins.push({
        x: (layout.x[a] + layout.x[b]) / 2,
        y: (layout.y[a] + layout.y[b]) / 2,
        size: Math.hypot(layout.x[a] - layout.x[b], layout.y[a] - layout.y[b]),
        text: String(i + 1),
        colour: theme.hex.path
      });
    });
    for (const node of path.nodes) nodes.add(node);
    marked.push(...path.nodes.map((node) => ({node, colour: theme.hex.path})));
  }
  if (selected?.node) {
    nodes.add(selected.node);
    if (!path?.nodes.includes(selected.node)) marked.push({node: selected.node});
  }
  if (selected?.link) {
    lit.push({link: selected.link, colour: theme.rgb.choice, width: 3.5});
    for (const end of [selected.link.a, selected.link.b]) {
      nodes.add(fabric.nodes[end]);
      marked.push({node: fabric.nodes[end]});
    }
  }
  const onPath = new Set(path?.nodes);
  const paintOf = (node) => ({
    colour: node.lost       ? theme.rgb.down :
        onPath.has(node)    ? theme.rgb.path :
        node.type === 'hca' ? theme.rgb.host :
                              theme.rgb.switch,
        alpha: 1, big: true,
        ring: selected?.node === node ? theme.rgb.choice :
        onPath.has(node)              ? theme.rgb.path :
                                        theme.rgb.choice,
  });
  const unique = [...new Map(marked.map((one) => [one.node, one])).values()];
  return {lit, nodes: [...nodes], paintOf, decor: {pins, marked: unique}};
}

// Small fabrics in the form of GET /v1/fabric.

const guid = (number) => `0x${number.toString(16).padStart(16, '0')}`;

export class Draft {
  constructor(kind) {
    this.answer = {
      generation: 1,
      engine: kind,
      shape: {kind, text: ''},
      nodes_are: ['guid', 'name', 'type', 'rank', 'group', 'lid', 'ports'],
      nodes: [],
      rates: [{width: '4x', speed: 'HDR', gbps: 200}],
      links_are:
          ['a', 'a_port', 'b', 'b_port', 'state', 'rate', 'below_best', 'order', 'flows_ab', 'flows_ba'],
      links: [],
      most_flows: 0,
      missing_nodes: [],
      missing_links: [],
    };
    this.used = [];
  }

  node(name, type, rank = null, group = null) {
    const index = this.answer.nodes.length;
    this.answer.nodes.push([guid(0x100 + index), name, type, rank, group, index + 1, 40]);
    this.used.push(0);
    return index;
  }

  link(a, b, more = {}) {
    const row = {state: 'active', below: 0, order: null, ab: 0, ba: 0, ...more};
    this.answer.links.push(
        [a, ++this.used[a], b, ++this.used[b], row.state, 0, row.below, row.order, row.ab, row.ba]);
    return this.answer.links.length - 1;
  }

  /** What the daemon would answer with this cable out. */
  cut(index) {
    const [row] = this.answer.links.splice(index, 1);
    const [a, aPort, b, bPort] = row;
    const name = (node) => this.answer.nodes[node][1];
    this.answer.missing_links.push([guid(0x100 + a), aPort, guid(0x100 + b), bPort, name(a), name(b)]);
    this.answer.generation += 1;
    return this;
  }
}

/**
 * `pods` pods of `leaves` leaves and as many spines, each spine with a root of its own number; `hosts` a
 * leaf.
 */
export function tree(pods = 3, leaves = 2, hosts = 3) {
  const draft = new Draft('tree');
  const roots = Array.from({length: leaves}, (_, i) => draft.node(`root-${i}`, 'switch', 2));
  for (let pod = 0; pod < pods; ++pod) {
    const spines = Array.from({length: leaves}, (_, i) => draft.node(`spine-${pod}-${i}`, 'switch', 1, pod));
    spines.forEach((spine, i) => draft.link(spine, roots[i]));
    for (let leaf = 0; leaf < leaves; ++leaf) {
      const at = draft.node(`leaf-${pod}-${leaf}`, 'switch', 0, pod);
      for (const spine of spines) draft.link(at, spine);
      for (let host = 0; host < hosts; ++host)
        draft.link(draft.node(`host-${pod}-${leaf}-${host} HCA-1`, 'hca'), at);
    }
  }
  return draft;
}

export function dragonfly(groups = 5, routers = 4, hosts = 2) {
  const draft = new Draft('dragonfly');
  const at = [];
  for (let group = 0; group < groups; ++group) {
    at.push(
        Array.from({length: routers}, (_, i) => draft.node(`router-${group}-${i}`, 'switch', null, group)));
    for (let i = 0; i < routers; ++i)
      for (let j = i + 1; j < routers; ++j) draft.link(at[group][i], at[group][j]);
    for (const router of at[group])
      for (let host = 0; host < hosts; ++host)
        draft.link(draft.node(`h${draft.answer.nodes.length}`, 'hca'), router);
  }
  for (let i = 0; i < groups; ++i)
    for (let j = i + 1; j < groups; ++j) draft.link(at[i][(j - 1) % routers], at[j][i % routers]);
  return draft;
}

export function dragonflyPlus(groups = 4, leaves = 3, hosts = 2) {
  const draft = new Draft('dragonfly+');
  const at = [];
  for (let group = 0; group < groups; ++group) {
    at.push(Array.from({length: leaves}, (_, i) => draft.node(`spine-${group}-${i}`, 'switch', 1, group)));
    for (let leaf = 0; leaf < leaves; ++leaf) {
      const low = draft.node(`leaf-${group}-${leaf}`, 'switch', 0, group);
      for (const spine of at[group]) draft.link(low, spine);
      for (let host = 0; host < hosts; ++host)
        draft.link(draft.node(`h${draft.answer.nodes.length}`, 'hca'), low);
    }
  }
  for (let i = 0; i < groups; ++i)
    for (let j = i + 1; j < groups; ++j) draft.link(at[i][(i + j) % leaves], at[j][(i + j) % leaves]);
  return draft;
}

export function ring(switches = 12) {
  const draft = new Draft('arbitrary');
  const at = Array.from({length: switches}, (_, i) => draft.node(`s${i}`, 'switch'));
  at.forEach((node, i) => draft.link(node, at[(i + 1) % switches]));
  at.forEach((node, i) => draft.link(draft.node(`h${i}`, 'hca'), node));
  return draft;
}

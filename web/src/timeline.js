// The fabric as it was: links and nodes that were away at a moment, found by undoing events from what is now.

import {findLink, linkEndsIn} from './model.js';

/** What an event says of links: {link, up: bool} or {node, up: bool}, or null. */
export function changeOf(fabric, event) {
  if (event.kind === 'link_gone' || event.kind === 'link_new') {
    const ends = linkEndsIn(event.text) ?? {a: event.node, aPort: event.port};
    const link = findLink(fabric, ends);
    return link ? {link, up: event.kind === 'link_new'} : null;
  }
  if (event.kind === 'node_gone' || event.kind === 'node_new') {
    const node = fabric.byGuid.get(event.node);
    return node ? {node, up: event.kind === 'node_new'} : null;
  }
  return null;
}

export class Timeline {
  constructor() {
    this.events = [];
    this.changes = null;
  }

  /** Takes events in, by rising id; those that are there already are passed over. */
  add(events) {
    const last = this.events.length > 0 ? this.events[this.events.length - 1].id : 0;
    const fresh =
        events.filter((event) => event.id > last).map((event) => ({...event, at: Date.parse(event.time)}));
    this.events.push(...fresh);
    this.changes = null;
    return fresh;
  }

  /** The moments at which something changed, rising. */
  moments(fabric) { return this.found(fabric).map((change) => change.at); }

  found(fabric) {
    if (this.changes?.fabric !== fabric || this.changes.links !== fabric.links.length) {
      const list = this.events.flatMap((event) => {
        const change = changeOf(fabric, event);
        return change ? [{...change, at: event.at, id: event.id}] : [];
      });
      this.changes = {fabric, links: fabric.links.length, list};
    }
    return this.changes.list;
  }

  /**
   * What was away just after the moment `at`.
   * @returns {links: Set<link>, nodes: Set<node>}
   */
  awayAt(fabric, at) {
    const links = new Set(fabric.links.filter((link) => link.lost));
    const nodes = new Set(fabric.nodes.filter((node) => node.lost));
    const changes = this.found(fabric);
    for (let i = changes.length - 1; i >= 0 && changes[i].at > at; --i) {
      const {link, node, up} = changes[i];
      if (link && up) links.add(link);
      if (link && !up) links.delete(link);
      if (node && up) nodes.add(node);
      if (node && !up) nodes.delete(node);
    }
    for (const node of nodes)
      for (const link of node.links) links.add(link);
    return {links, nodes};
  }
}

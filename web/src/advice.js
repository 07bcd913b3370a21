// What is wrong, in one list, worst first, each with what to do next; from GET /v1/status, which gives the
// words, so that weftctl and this view say the same. Here they get their places on the map. Pure.

import {findLink, linkEndsIn, nodeIn} from './model.js';

const LEVELS = {
  error: 'bad',
  warning: 'warn',
  info: 'info'
};

/**
 * @returns [{level: 'bad'|'warn'|'info', text, todo, command, place: {node} | {link} | undefined}], worst
 *     first
 */
export function issuesOf(status, fabric) {
  return status.issues.map(
      ({severity, text, todo, command, node}) =>
          ({level: LEVELS[severity] ?? 'bad', text, todo, command, place: place(fabric, text, node)}));
}

function place(fabric, text, guid) {
  const ends = linkEndsIn(text);
  const link = ends && findLink(fabric, ends);
  if (link) return {link};
  const node = (guid && fabric.byGuid.get(guid)) || nodeIn(fabric, text);
  return node && {node};
}

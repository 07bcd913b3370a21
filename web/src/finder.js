// The search field: a combobox over the nodes of the map.

import {h, byId, fill} from './dom.js';
import {search} from './model.js';

export function finder(fabricNow, onChosen) {
  const input = byId('search-text');
  const list = byId('search-list');
  let found = [];
  let at = -1;

  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const mark = (index) => {
    at = index;
    [...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === at)));
    if (list.children[at]) input.setAttribute('aria-activedescendant', list.children[at].id);
  };
  const choose = (node) => {
    close();
    input.value = '';
    onChosen(node);
  };
  const update = () => {
    const fabric = fabricNow();
    found = fabric ? search(fabric, input.value) : [];
    const items = found.map(
        (node, i) =>
            h('li', {
              role: 'option',
              id: `found-${i}`,
              onpointerdown: (event) => {
                event.preventDefault();
                choose(node);
              }
            },
              node.name || node.guid,
              h('small', {}, `${node.type}${node.lid ? `, LID ${node.lid}` : ''}, ${node.guid}`)));
    if (items.length === 0 && input.value.trim() !== '')
      items.push(h('li', {class: 'quiet', 'aria-disabled': 'true'}, 'nothing is called so'));
    fill(list, items);
    list.hidden = items.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    mark(found.length > 0 ? 0 : -1);
  };
  input.addEventListener('input', update);
  input.addEventListener('focus', () => {
    if (input.value) update();
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && found.length > 0)
      mark((at + 1) % found.length);
    else if (event.key === 'ArrowUp' && found.length > 0)
      mark((at - 1 + found.length) % found.length);
    else if (event.key === 'Escape') {
      input.value = '';
      close();
      input.blur();
    } else
      return;
    event.preventDefault();
    event.stopPropagation();
  });
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    if (found[at]) choose(found[at]);
  });
  return {
    focus: () => {
      input.focus();
      input.select();
    }
  };
}

// Links as they are drawn at a zoom level. Pure.

/**
 * What is nearer than FINE pixels at both ends is drawn as one. Where that leaves more than MANY, links
 * longer than LONG pixels are merged within twice as much, those of twice the length within four times as
 * much, and so on, as far as needed; and all of them within a little more at each of these steps.
 */
const FINE = 4;
const LONG = 60;
const COARSEST = 4;
const MANY = 4000;
/** Share of the picture that plain links may cover: many of them are drawn fainter. */
const INK = 0.3;

/**
 * Links whose ends lie in the same two cells become one, in the colours of the worst; what is wrong is drawn
 * by itself and over the rest; heavy links over light ones.
 *
 * @param scale pixels for a unit  @param paint see Scene.setPaint
 * @returns [{ends: [ax, ay, bx, by], from, to, alpha, width, dashed, count}] in the order of drawing
 */
export function mergedLinks(fabric, layout, paint, scale) {
  const looks = fabric.links.map(paint);
  let merged = [];
  for (let coarsest = 1; coarsest <= COARSEST; ++coarsest) {
    merged = merge(fabric, layout, looks, scale, coarsest);
    if (merged.length <= MANY) break;
  }
  const {x, y} = layout;
  const alone =
      fabric.links.filter((link, i) => looks[i].wrong).map((link) => one(link, looks[link.index], x, y));
  const glow = alone.map((made) => ({...made, dashed: false, width: 9, alpha: made.alpha * 0.22}));
  const strength = strengthOf(merged, layout, scale);
  const drawn =
      merged.sort((a, b) => a.look.weight - b.look.weight).map(({link, look, count: links, ends, turned}) => {
        const made = one(link, look, x, y);
        // In the middle of those it stands for, from the end of `link` that `from` belongs to.
        if (links > 1)
          made.ends = (turned ? [ends[2], ends[3], ends[0], ends[1]] : ends).map((sum) => sum / links);
        made.count = links;
        const heat = look.weight * Math.min(1, strength * 2);  // where much is drawn, less of each
        made.width = Math.min(3.5, thin(links) + 1.5 * heat);
        made.alpha =
            (look.alpha ?? 1) * Math.min(0.95, strength * (1 + 0.12 * Math.log2(links)) + 0.5 * heat);
        return made;
      });
  return [...drawn, ...glow, ...alone];
}

/**
 * @returns [{link, look, turned, count, size, ends}]: the link that stands for `count` of them, some `size`
 *     pixels long; the sums of
 * their ends, which are in the other order than those of `link` where `turned`
 */
function merge(fabric, layout, looks, scale, coarsest) {
  const {x, y} = layout;
  const cells = Array.from({length: coarsest}, () => null);
  const table = new PairTable(fabric.links.length);
  const merged = [];
  for (const link of fabric.links) {
    const look = looks[link.index];
    if (look.wrong) continue;
    const size = Math.hypot(x[link.a] - x[link.b], y[link.a] - y[link.b]) * scale;
    const step = size < LONG ? 0 : Math.min(coarsest - 1, Math.floor(Math.log2(size / LONG)) + 1);
    cells[step] ??=
        cellsOf(layout, fabric.nodes.length, (FINE * (1 + 0.25 * (coarsest - 1)) * 2 ** step) / scale);
    const a = cells[step][link.a];
    const b = cells[step][link.b];
    if (a === b) continue;
    const turned = a > b;
    const [first, second] = turned ? [link.b, link.a] : [link.a, link.b];
    const at = table.place(Math.min(a, b) * COARSEST + step, Math.max(a, b), merged.length);
    const held = merged[at];
    if (!held) {
      merged.push({link, look, count: 1, size, turned, ends: [x[first], y[first], x[second], y[second]]});
      continue;
    }
    held.count += 1;
    held.ends[0] += x[first];
    held.ends[1] += y[first];
    held.ends[2] += x[second];
    held.ends[3] += y[second];
    if (look.weight > held.look.weight) Object.assign(held, {link, look, turned});
  }
  return merged;
}

const thin = (links) => 0.9 + 0.2 * Math.log2(links);

function strengthOf(merged, layout, scale) {
  let ink = 0;
  for (const {count, size} of merged) ink += size * thin(count);
  return Math.min(0.5, Math.max(0.05, (INK * layout.area * scale * scale) / Math.max(1, ink)));
}

function one(link, look, x, y) {
  return {
    ends: [x[link.a], y[link.a], x[link.b], y[link.b]],
    from: look.from,
    to: look.to,
    dashed: look.dashed,
    count: 1,
    width: 3,
    alpha: look.alpha ?? 1,
  };
}

/** The number of the cell of each node; numbers are dense. */
function cellsOf(layout, count, cell) {
  const rows = Math.ceil(layout.height / cell) + 2;
  const numbers = new Map();
  const cells = new Int32Array(count);
  for (let i = 0; i < count; ++i) {
    const key =
        Math.floor((layout.x[i] - layout.left) / cell) * rows + Math.floor((layout.y[i] - layout.top) / cell);
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = numbers.size));
    cells[i] = number;
  }
  return cells;
}

/** A hash table from pairs of small whole numbers to places in a list. */
class PairTable {
  constructor(most) {
    this.mask = 2 ** Math.ceil(Math.log2(Math.max(16, most * 2))) - 1;
    this.first = new Int32Array(this.mask + 1).fill(-1);
    this.second = new Int32Array(this.mask + 1);
    this.value = new Int32Array(this.mask + 1);
  }

  /** The place of the pair; `fresh` when it is new. */
  place(first, second, fresh) {
    let at = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 3 & this.mask;
    while (this.first[at] !== -1) {
      if (this.first[at] === first && this.second[at] === second) return this.value[at];
      at = (at + 1) & this.mask;
    }
    this.first[at] = first;
    this.second[at] = second;
    this.value[at] = fresh;
    return fresh;
  }
}

// Pivot MDS: points in the plane whose distances are like the hops between them. A ring becomes a circle, a
// grid a grid. Source: U. Brandes, C. Pich, "Eigensolver methods for progressive multidimensional scaling of
// large data", Graph Drawing 2006. Deterministic: pivots are the farthest from those before, from the first
// node on.

const PIVOTS = 40;

function hopsFrom(neighbours, start) {
  const hops = new Int32Array(neighbours.length).fill(-1);
  hops[start] = 0;
  const reached = [start];
  for (let next = 0; next < reached.length; ++next)
    for (const peer of neighbours[reached[next]]) {
      if (hops[peer] >= 0) continue;
      hops[peer] = hops[reached[next]] + 1;
      reached.push(peer);
    }
  const far = hops[reached[reached.length - 1]] + 2;  // what is not joined stands a little beyond
  return hops.map((hop) => (hop < 0 ? far : hop));
}

/** Rows of squared distances to the pivots, with row and column means taken out. */
function centred(columns, count) {
  const rows = Array.from({length: count}, (_, i) => columns.map((column) => column[i] ** 2));
  const k = columns.length;
  const columnMeans = columns.map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / count);
  const all = columnMeans.reduce((sum, mean) => sum + mean, 0) / k;
  for (const row of rows) {
    const mean = row.reduce((sum, value) => sum + value, 0) / k;
    for (let j = 0; j < k; ++j) row[j] = -0.5 * (row[j] - mean - columnMeans[j] + all);
  }
  return rows;
}

/** The eigenvector of the greatest eigenvalue of `matrix`, at right angles to `others`. */
function eigenvector(matrix, others) {
  const k = matrix.length;
  let vector = Array.from({length: k}, (_, i) => 1 + ((i * 7919 + others.length * 104729) % 97) / 97);
  for (let round = 0; round < 200; ++round) {
    let next = matrix.map((row) => row.reduce((sum, value, j) => sum + value * vector[j], 0));
    for (const other of others) {
      const along = next.reduce((sum, value, i) => sum + value * other[i], 0);
      next = next.map((value, i) => value - along * other[i]);
    }
    const length = Math.hypot(...next) || 1;
    vector = next.map((value) => value / length);
  }
  return vector;
}

/** @param neighbours for each node the indices of its neighbours  @returns [{x, y}] */
export function pivotMds(neighbours) {
  const count = neighbours.length;
  if (count < 3) return neighbours.map((_, i) => ({x: i, y: 0}));
  const columns = [];
  const nearest = new Float64Array(count).fill(Infinity);
  let pivot = 0;
  while (columns.length < Math.min(PIVOTS, count)) {
    const hops = hopsFrom(neighbours, pivot);
    columns.push(hops);
    hops.forEach((hop, i) => (nearest[i] = Math.min(nearest[i], hop)));
    pivot = nearest.reduce((best, value, i) => (value > nearest[best] ? i : best), 0);
  }
  const rows = centred(columns, count);
  const k = columns.length;
  const product = Array.from(
      {length: k},
      (_, i) => Array.from({length: k}, (_unused, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)));
  const first = eigenvector(product, []);
  const second = eigenvector(product, [first]);
  const dot = (row, vector) => row.reduce((sum, value, j) => sum + value * vector[j], 0);
  return rows.map((row) => ({x: dot(row, first), y: dot(row, second)}));
}

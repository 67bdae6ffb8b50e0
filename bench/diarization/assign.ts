// The assignment problem: which column each row takes so that the sum is largest, every column taken at most
// once.

/**
 * `gains`: rows×columns, finite, at least 0; the sides may differ. Answers a column for each row, or -1 where
 * columns run out. Hungarian method with potentials, O(n³).
 */
export function bestAssignment(gains: readonly (readonly number[])[]): number[] {
  const rows = gains.length;
  const columns = gains[0]?.length ?? 0;
  const side = Math.max(rows, columns);
  const cost = (row: number, column: number) => -(gains[row]?.[column] ?? 0);
  const rowPotential = new Float64Array(side + 1);
  const columnPotential = new Float64Array(side + 1);
  /** Row (from 1) that holds the column; column 0 is where a row starts looking. */
  const holder = new Int32Array(side + 1);
  for (let row = 1; row <= side; row++) {
    holder[0] = row;
    const way = augmentingPath(side, cost, holder, rowPotential, columnPotential);
    for (let column = way.end; column !== 0; ) {
      const before = way.from[column]!;
      holder[column] = holder[before]!;
      column = before;
    }
  }
  const chosen = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= columns; column++) {
    const row = holder[column]! - 1;
    if (row < rows) chosen[row] = column - 1;
  }
  return chosen;
}

/** Shortest path from column 0 to a free column; moves the potentials so that its edges become tight. */
function augmentingPath(
  side: number,
  cost: (row: number, column: number) => number,
  holder: Int32Array,
  rowPotential: Float64Array,
  columnPotential: Float64Array,
): { end: number; from: Int32Array } {
  const least = new Float64Array(side + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(side + 1);
  const used = new Uint8Array(side + 1);
  let column = 0;
  do {
    used[column] = 1;
    const row = holder[column]!;
    let delta = Number.POSITIVE_INFINITY;
    let next = 0;
    for (let candidate = 1; candidate <= side; candidate++) {
      if (used[candidate]) continue;
      const slack = cost(row - 1, candidate - 1) - rowPotential[row]! - columnPotential[candidate]!;
      if (slack < least[candidate]!) {
        least[candidate] = slack;
        from[candidate] = column;
      }
      if (least[candidate]! < delta) {
        delta = least[candidate]!;
        next = candidate;
      }
    }
    for (let candidate = 0; candidate <= side; candidate++) {
      if (used[candidate]) {
        const assignedRow = holder[candidate]!;
        rowPotential[assignedRow] = rowPotential[assignedRow]! + delta;
        columnPotential[candidate] = columnPotential[candidate]! - delta;
      } else {
        least[candidate] = least[candidate]! - delta;
      }
    }
    column = next;
  } while (holder[column] !== 0);
  return { end: column, from };
}

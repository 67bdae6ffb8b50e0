// Rows in memory that were given back, so that vectors that are analysed again take the place of the old ones.

interface Range {
  readonly row: number;
  readonly count: number;
}

export class FreeRows {
  readonly #segmentRows: number;
  /** Ascending; neighbours in one segment are one. */
  readonly #ranges: Range[] = [];
  count = 0;

  /** No range goes across a multiple of `segmentRows`. */
  constructor(segmentRows: number) {
    this.#segmentRows = segmentRows;
  }

  /** Rows that the next `take` gives at most; 0 when there are none. */
  get next(): number {
    return this.#ranges.at(-1)?.count ?? 0;
  }

  /** Up to `count` rows that follow each other; null when there are none. */
  take(count: number): Range | null {
    const last = this.#ranges.pop();
    if (last === undefined) return null;
    const taken = Math.min(count, last.count);
    this.count -= taken;
    if (taken < last.count) this.#ranges.push({ row: last.row, count: last.count - taken });
    return { row: last.row + last.count - taken, count: taken };
  }

  /** `given` lies in one segment, and none of it is free. */
  give(given: Range): void {
    if (given.count === 0) return;
    this.count += given.count;
    const at = this.#behind(given.row);
    const [before, after] = [this.#ranges[at - 1], this.#ranges[at]];
    const parts = [given];
    if (before !== undefined && this.#touch(before, given)) parts.unshift(before);
    if (after !== undefined && this.#touch(given, after)) parts.push(after);
    const joined = {
      row: (parts[0] as Range).row,
      count: parts.reduce((sum, { count }) => sum + count, 0),
    };
    this.#ranges.splice(at - (parts[0] === before ? 1 : 0), parts.length - 1, joined);
  }

  /** Index of the first range behind a row: there may be one for every still of a library. */
  #behind(row: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle] as Range).row > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #touch(one: Range, other: Range): boolean {
    const segment = ({ row }: Range) => Math.floor(row / this.#segmentRows);
    return one.row + one.count === other.row && segment(one) === segment(other);
  }
}

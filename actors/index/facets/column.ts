// The values that all media have in one facet. Media with the same values share one entry, so that a filter
// tests an entry once and a count is one addition a media.
import type { Facet, MediaFacts, Reading } from './facet.ts';
import type { Test } from './filter.ts';

export class Column {
  readonly facet: Facet;
  /** By entry; entry 0 is for media without a value. */
  readonly #readings: (Reading | null)[] = [null];
  readonly #byKey = new Map<string, number>();
  /** By entry: positions in `values` of the options it belongs to. */
  readonly #options: (readonly number[])[] = [[]];
  /** The options' stable values. */
  readonly values: string[] = [];
  readonly #byValue = new Map<string, number>();
  /** By row: its entry. */
  #entryOf = new Uint32Array(1024);

  constructor(facet: Facet) {
    this.facet = facet;
  }

  set(row: number, media: MediaFacts): void {
    this.put(row, this.facet.key(media));
  }

  /** `key`: of the facet, for the media of the row. */
  put(row: number, key: string | null): void {
    if (row >= this.#entryOf.length) {
      const wider = new Uint32Array(2 ** Math.ceil(Math.log2(row + 1)));
      wider.set(this.#entryOf);
      this.#entryOf = wider;
    }
    this.#entryOf[row] = key === null ? 0 : this.#entry(key);
  }

  #entry(key: string): number {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const reading = this.facet.read(key);
    const entry = reading === null ? 0 : this.#readings.length;
    this.#byKey.set(key, entry);
    if (reading === null) return entry;
    const options = reading.values.map((value) => this.#option(value));
    this.#options.push(options);
    // The same texts as the options', so that they are held once.
    this.#readings.push({ ...reading, values: options.map((option) => this.values[option] as string) });
    return entry;
  }

  #option(value: string): number {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const option = this.values.push(value) - 1;
    this.#byValue.set(value, option);
    return option;
  }

  /** By entry: 1 when it passes all the tests. */
  passing(tests: readonly Test[]): Uint8Array {
    return Uint8Array.from(this.#readings, (reading) => (tests.every((test) => test(reading)) ? 1 : 0));
  }

  passes(passing: Uint8Array, row: number): boolean {
    return passing[this.#entryOf[row] as number] === 1;
  }

  /** Media by entry, among `rows`. */
  tally(rows: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.#readings.length);
    const entryOf = this.#entryOf;
    for (let i = 0; i < rows.length; i++) counts[entryOf[rows[i] as number] as number]!++;
    return counts;
  }

  /** Media by option, in the order of `values`. */
  optionCounts(tally: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.values.length);
    for (let entry = 1; entry < tally.length; entry++) {
      const count = tally[entry] as number;
      if (count > 0) for (const option of this.#options[entry] as readonly number[]) counts[option]! += count;
    }
    return counts;
  }

  /** Media that pass a test. */
  countOf(tally: Uint32Array, test: Test): number {
    const passing = this.passing([test]);
    return tally.reduce((sum, count, entry) => sum + (passing[entry] === 1 ? count : 0), 0);
  }

  /** The least and the greatest that any media has, each with its first value; null when none has a size. */
  bounds(tally: Uint32Array): { least: Bound; greatest: Bound } | null {
    let [least, greatest]: [Reading | null, Reading | null] = [null, null];
    for (let entry = 1; entry < tally.length; entry++) {
      const reading = this.#readings[entry];
      if (tally[entry] === 0 || reading?.size == null) continue;
      if (least?.size == null || reading.size < least.size) least = reading;
      if (greatest?.size == null || reading.size > greatest.size) greatest = reading;
    }
    return least && greatest ? { least: boundOf(least), greatest: boundOf(greatest) } : null;
  }
}

export interface Bound {
  readonly size: number;
  readonly value: string;
}

function boundOf({ size, values }: Reading): Bound {
  return { size: size as number, value: values[0] as string };
}

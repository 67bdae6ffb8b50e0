// The neighbours of entries that are not core yet, in linked lists: as soon as an entry is core, its list is free again.

const none = -1;

export class Pending {
  readonly #first: Int32Array;
  #values = new Int32Array(1024);
  #next = new Int32Array(1024);
  #used = 0;
  #free = none;

  constructor(count: number) {
    this.#first = new Int32Array(count).fill(none);
  }

  /** Places in memory, used or free: bounds what is held. */
  get size(): number {
    return this.#used;
  }

  add(i: number, neighbour: number): void {
    let cell = this.#free;
    if (cell !== none) this.#free = this.#next[cell]!;
    else {
      cell = this.#used++;
      if (cell === this.#values.length) this.#grow();
    }
    this.#values[cell] = neighbour;
    this.#next[cell] = this.#first[i]!;
    this.#first[i] = cell;
  }

  of(i: number): number[] {
    const neighbours: number[] = [];
    for (let cell = this.#first[i]!; cell !== none; cell = this.#next[cell]!) {
      neighbours.push(this.#values[cell]!);
    }
    return neighbours;
  }

  drop(i: number): void {
    let cell = this.#first[i]!;
    this.#first[i] = none;
    while (cell !== none) {
      const next = this.#next[cell]!;
      this.#next[cell] = this.#free;
      this.#free = cell;
      cell = next;
    }
  }

  #grow(): void {
    const grown = (old: Int32Array<ArrayBuffer>) => {
      const array = new Int32Array(old.length * 2);
      array.set(old);
      return array;
    };
    this.#values = grown(this.#values);
    this.#next = grown(this.#next);
  }
}

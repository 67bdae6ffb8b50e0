// Which of many are connected: disjoint sets that join, each known by its lowest member.

export class UnionFind {
  readonly #parent: Int32Array;

  constructor(count: number) {
    this.#parent = Int32Array.from({ length: count }, (_, i) => i);
  }

  /** The lowest member of the set; paths are halved on the way. */
  find(i: number): number {
    const parent = this.#parent;
    let at = i;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]!]!;
      at = parent[at]!;
    }
    return at;
  }

  join(i: number, j: number): void {
    const [a, b] = [this.find(i), this.find(j)];
    if (a < b) this.#parent[b] = a;
    else this.#parent[a] = b;
  }
}

// The best k of many scores, as a heap whose root is the worst that is still in. Equal scores: the lower item
// wins, so the result does not depend on the order of offers.

export class Top {
  readonly size: number;
  readonly #scores: Float64Array;
  readonly #items: Float64Array;
  #count = 0;

  constructor(size: number) {
    this.size = size;
    this.#scores = new Float64Array(size);
    this.#items = new Float64Array(size);
  }

  /** What a score must reach to be taken: a loop over many scores compares with it before it offers. */
  get threshold(): number {
    if (this.size === 0) return Number.POSITIVE_INFINITY;
    return this.#count < this.size ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number);
  }

  /** True when `a` is worse than `b`. */
  #worse(a: number, b: number): boolean {
    const [first, second] = [this.#scores[a]!, this.#scores[b]!];
    return first < second || (first === second && this.#items[a]! > this.#items[b]!);
  }

  #swap(a: number, b: number): void {
    const [score, item] = [this.#scores[a]!, this.#items[a]!];
    this.#scores[a] = this.#scores[b]!;
    this.#items[a] = this.#items[b]!;
    this.#scores[b] = score;
    this.#items[b] = item;
  }

  offer(score: number, item: number): void {
    if (this.#count < this.size) {
      let at = this.#count++;
      this.#scores[at] = score;
      this.#items[at] = item;
      for (let up = (at - 1) >> 1; at > 0 && this.#worse(at, up); up = (at - 1) >> 1) {
        this.#swap(at, up);
        at = up;
      }
      return;
    }
    if (
      this.size === 0 ||
      score < this.#scores[0]! ||
      (score === this.#scores[0]! && item >= this.#items[0]!)
    )
      return;
    this.#scores[0] = score;
    this.#items[0] = item;
    this.#sink();
  }

  /**
   * Brings the root to its place. The hot loop of a search: no allocation, the moved entry is written once.
   */
  #sink(): void {
    const scores = this.#scores;
    const items = this.#items;
    const count = this.#count;
    const [score, item] = [scores[0]!, items[0]!];
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && this.#worse(child + 1, child)) child++;
      const [below, its] = [scores[child]!, items[child]!];
      if (below > score || (below === score && its < item)) break;
      scores[at] = below;
      items[at] = its;
      at = child;
    }
    scores[at] = score;
    items[at] = item;
  }

  /** Best first. */
  sorted(): { score: number; item: number }[] {
    return Array.from({ length: this.#count }, (_, i) => ({
      score: this.#scores[i]!,
      item: this.#items[i]!,
    })).sort((a, b) => b.score - a.score || a.item - b.item);
  }
}

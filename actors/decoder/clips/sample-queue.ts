// Samples of several channels that wait to be encoded, in order. Silence takes no memory.

interface Stretch {
  /** One for each channel; null for silence. */
  readonly planes: readonly Float32Array[] | null;
  readonly count: number;
}

export class SampleQueue {
  #stretches: Stretch[] = [];
  /** Samples of the first stretch that were taken. */
  #taken = 0;
  /** Samples that wait. */
  length = 0;

  /** `planes` are *moved*. */
  push(planes: readonly Float32Array[]) {
    this.#push({ planes, count: planes[0]?.length ?? 0 });
  }

  pushSilence(count: number) {
    this.#push({ planes: null, count });
  }

  /** Fills `planes` with the next `count` samples, of which there must be as many. */
  take(planes: readonly Float32Array[], count: number) {
    for (let at = 0; at < count; ) {
      const first = this.#stretches[0]!;
      const step = Math.min(count - at, first.count - this.#taken);
      for (const [channel, plane] of planes.entries()) {
        const from = first.planes?.[channel];
        if (from) plane.set(from.subarray(this.#taken, this.#taken + step), at);
        else plane.fill(0, at, at + step);
      }
      at += step;
      this.#taken += step;
      this.length -= step;
      if (this.#taken < first.count) continue;
      this.#stretches.shift();
      this.#taken = 0;
    }
  }

  #push(stretch: Stretch) {
    if (stretch.count === 0) return;
    this.#stretches.push(stretch);
    this.length += stretch.count;
  }
}

// Answers of a session's models, kept so that an interrupted run need not compute them again. Each is found
// by a hash of its input; sound that decodes differently is computed anew.

/** Answers as numbers, one after another: two halves of the hash, how many values, the values. */
const headLength = 3;

export class ComputedAnswers {
  readonly #vectors = new Map<number, Float32Array>();
  /** New answers; null where nobody keeps them. */
  #made: Float32Array[] | null;

  /** `numbers`: of an interrupted run; null where no answers are kept. */
  constructor(numbers: Float32Array | null) {
    this.#made = numbers === null ? null : [];
    const all = numbers ?? new Float32Array(0);
    for (let at = 0; at + headLength <= all.length; ) {
      const [high = 0, low = 0, length = 0] = all.subarray(at, at + headLength);
      const from = at + headLength;
      this.#vectors.set(high * 65_536 + low, all.subarray(from, from + length));
      at = from + length;
    }
  }

  /**
   * The answer to each of `asked`; `compute` is called for all of them where one is not known, and answers as
   * many arrays.
   */
  async of(
    inputs: readonly Float32Array[],
    compute: () => Promise<readonly Float32Array[]>,
  ): Promise<readonly Float32Array[]> {
    if (this.#made === null) return compute();
    const hashes = inputs.map(hashOf);
    const stored = hashes.map((hash) => this.#vectors.get(hash));
    if (stored.every((answer) => answer !== undefined)) return stored;
    const answers = await compute();
    for (const [at, values] of answers.entries()) {
      const hash = hashes[at]!;
      const entry = new Float32Array(headLength + values.length);
      entry.set([Math.floor(hash / 65_536), hash % 65_536, values.length]);
      entry.set(values, headLength);
      this.#made.push(entry);
    }
    return answers;
  }

  /** The answers since the last call. */
  taken(): Float32Array<ArrayBuffer> {
    const answers = this.#made ?? [];
    if (this.#made) this.#made = [];
    const numbers = new Float32Array(answers.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const entry of answers) {
      numbers.set(entry, at);
      at += entry.length;
    }
    return numbers;
  }
}

/** FNV-1a over 32 bits at a time. */
function hashOf(values: Float32Array): number {
  const bits = new Uint32Array(values.slice().buffer);
  let hash = 0x811c9dc5;
  for (const word of bits) hash = Math.imul(hash ^ word, 0x01000193);
  return hash >>> 0;
}

/** Bits of frames in a number: three bits each, and a float holds integers of 24 bits. */
const framesInNumber = 8;

export function packedActivity(activity: Uint8Array): Float32Array {
  const packed = new Float32Array(Math.ceil(activity.length / framesInNumber));
  for (const [at, bits] of activity.entries()) {
    packed[Math.floor(at / framesInNumber)]! += bits * 8 ** (at % framesInNumber);
  }
  return packed;
}

export function unpackedActivity(packed: Float32Array, frames: number): Uint8Array {
  return Uint8Array.from({ length: frames }, (_, at) => {
    const number = packed[Math.floor(at / framesInNumber)] ?? 0;
    return Math.floor(number / 8 ** (at % framesInNumber)) % 8;
  });
}

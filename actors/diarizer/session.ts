// One file being listened to: all its channels, and a vector for every window of speech in them. Sound is not kept.
import type { Channel, Window } from './channel.ts';
import type { LocalChannel } from './locals.ts';
import type { Piece } from './pieces.ts';

/** A window that has a vector: row `vector` of the session's vectors. */
export interface Heard extends Piece {
  readonly vector: number;
}

/** Turns windows×frames×80 into windows×d vectors. */
export type Embed = (features: Float32Array, windows: number) => Promise<Float32Array>;

export interface ListeningOptions {
  readonly modelKey: string;
  readonly dimensions: number;
  readonly batch: number;
  readonly channels: readonly Channel[];
  /** Channels in the place of `channels` where a segmentation says who speaks in each moment. */
  readonly locals?: readonly LocalChannel[];
}

/** The first room for vectors, in rows; doubles when it is full. */
const firstRows = 256;

export class DiarizationSession {
  readonly modelKey: string;
  readonly channels: readonly Channel[];
  readonly locals: readonly LocalChannel[] | null;
  readonly pieces: Heard[][];
  readonly dimensions: number;
  readonly #batch: number;
  #vectors: Float32Array;
  #count = 0;
  /** Windows of one length that wait until there are enough for a run. */
  #waiting: { row: number; features: Float32Array }[] = [];

  constructor({ modelKey, dimensions, batch, channels, locals }: ListeningOptions) {
    this.modelKey = modelKey;
    this.channels = channels;
    this.locals = locals ?? null;
    this.dimensions = dimensions;
    this.pieces = channels.map(() => []);
    this.#batch = batch;
    this.#vectors = new Float32Array(firstRows * dimensions);
  }

  /** n×d in the order in which windows were taken; whole after `flush`. *Borrowed.* */
  get vectors(): Float32Array {
    return this.#vectors.subarray(0, this.#count * this.dimensions);
  }

  /** Windows are embedded as many at a time as a run takes; those of other lengths than the one before by themselves. */
  async take(channel: number, windows: readonly Window[], embed: Embed): Promise<void> {
    for (const { piece, features } of windows) {
      const row = this.#row();
      this.pieces[channel]!.push({ ...piece, vector: row });
      const length = this.#waiting[0]?.features.length;
      if (length !== undefined && length !== features.length) {
        if (features.length < length) {
          await this.#run([{ row, features }], embed);
          continue;
        }
        await this.flush(embed);
      }
      this.#waiting.push({ row, features });
      if (this.#waiting.length === this.#batch) await this.flush(embed);
    }
  }

  /** Embeds sounds of any length, each by itself; answers the row of each. */
  async takeEach(sounds: readonly Float32Array[], embed: Embed): Promise<number[]> {
    const rows: number[] = [];
    for (const features of sounds) {
      const row = this.#row();
      await this.#run([{ row, features }], embed);
      rows.push(row);
    }
    return rows;
  }

  /** Embeds what waits. */
  async flush(embed: Embed): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) await this.#run(waiting, embed);
  }

  async #run(windows: readonly { row: number; features: Float32Array }[], embed: Embed): Promise<void> {
    const size = windows[0]!.features.length;
    const together = new Float32Array(windows.length * size);
    windows.forEach(({ features }, at) => {
      together.set(features, at * size);
    });
    const vectors = await embed(together, windows.length);
    windows.forEach(({ row }, at) => {
      const vector = vectors.subarray(at * this.dimensions, (at + 1) * this.dimensions);
      this.#vectors.set(vector, row * this.dimensions);
    });
  }

  #row(): number {
    const row = this.#count++;
    if (this.#count * this.dimensions > this.#vectors.length) {
      const larger = new Float32Array(this.#vectors.length * 2);
      larger.set(this.#vectors);
      this.#vectors = larger;
    }
    return row;
  }
}

// Cuts speech into windows short enough that one voice speaks in each, while the speech is still becoming known.
import { soundRate } from '../decoder/contract.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';

export interface PieceOptions {
  /** Samples of a window, and from one to the next. */
  readonly window: number;
  readonly hop: number;
  /** Samples under which a stretch of speech says too little about its voice. */
  readonly least: number;
}

export const usualPieces: PieceOptions = {
  window: 1.5 * soundRate,
  hop: 0.5 * soundRate,
  least: 0.4 * soundRate,
};

/** A window of one stretch of speech; samples, half-open. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  /** Place of the stretch in `PieceCutter.regions`. */
  readonly region: number;
}

/**
 * Takes the speech of one channel as it settles. A stretch as long as a window gets windows that cover it, the last one
 * ending with it; a shorter one is one window; a very short one has none.
 */
export class PieceCutter {
  /** Stretches of speech that touched are one. *Read only.* */
  readonly regions: [number, number][] = [];
  readonly #options: PieceOptions;
  /** Where the next window of the last stretch begins, while it may go on. */
  #next = 0;
  #open = false;

  constructor(options: PieceOptions = usualPieces) {
    this.#options = options;
  }

  /** `speech`: ascending, after what came before; nothing before `settled` will change. Answers the windows now known. */
  add(speech: readonly SpeechRegion[], settled: number): Piece[] {
    const pieces: Piece[] = [];
    for (const [from, to] of speech) {
      const last = this.regions.at(-1);
      if (this.#open && last && from <= last[1]) {
        last[1] = Math.max(last[1], to);
      } else {
        this.#close(pieces);
        this.regions.push([from, to]);
        this.#next = from;
        this.#open = true;
      }
      this.#cut(pieces);
    }
    const last = this.regions.at(-1);
    if (last && settled > last[1]) this.#close(pieces);
    return pieces;
  }

  /** No more speech comes. */
  end(): Piece[] {
    const pieces: Piece[] = [];
    this.#close(pieces);
    return pieces;
  }

  /** The first sample that a later window may need; nothing before it will be asked for. */
  needed(settled: number): number {
    return this.#open ? Math.min(settled, this.#openFrom()) : settled;
  }

  /** The last window of a stretch is moved back to end with it. */
  #openFrom(): number {
    const [from] = this.regions.at(-1)!;
    return Math.max(from, this.#next - this.#options.hop);
  }

  #cut(pieces: Piece[]): void {
    const { window, hop } = this.#options;
    const region = this.regions.length - 1;
    const [, end] = this.regions[region]!;
    for (; this.#next + window <= end; this.#next += hop) {
      pieces.push({ from: this.#next, to: this.#next + window, region });
    }
  }

  #close(pieces: Piece[]): void {
    if (!this.#open) return;
    this.#open = false;
    const { window, hop, least } = this.#options;
    const region = this.regions.length - 1;
    const [from, to] = this.regions[region]!;
    if (to - from < window) {
      if (to - from >= least) pieces.push({ from, to, region });
      return;
    }
    const covered = this.#next - hop + window;
    if (to - covered >= hop / 4) pieces.push({ from: to - window, to, region });
  }
}

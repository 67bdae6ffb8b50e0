// The first speech of a file, without its pauses: what its language is detected from.
import type { SpeechWindow } from '../family.ts';

export class SpeechSample {
  readonly #longest: number;
  readonly #parts: Float32Array[] = [];
  #length = 0;

  /** `longest`: samples from which on it is full. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  get isFull(): boolean {
    return this.#length >= this.#longest;
  }

  /** *Copied*: the speech of the window, as much of it as there is room for. */
  add({ samples, speech }: SpeechWindow): void {
    for (const [start, end] of speech) {
      if (this.isFull) return;
      const part = samples.slice(start, Math.min(end, start + this.#longest - this.#length));
      this.#parts.push(part);
      this.#length += part.length;
    }
  }

  /** All speech so far as one window, *owned by the caller*; nothing of it is kept. */
  take(): SpeechWindow {
    const samples = new Float32Array(this.#length);
    let at = 0;
    for (const part of this.#parts.splice(0)) {
      samples.set(part, at);
      at += part.length;
    }
    return { samples, speech: [[0, samples.length]] };
  }
}

// The windows of a session that a model has written: those of an interrupted run, found again by their sound, and new ones
// until somebody asks for them.
import { crc32 } from 'node:zlib';
import type { WrittenWindow } from './contract.ts';
import type { WindowTranscript } from './family.ts';
import type { Window } from './voice/windows.ts';

export class WrittenWindows {
  readonly #before = new Map<string, WrittenWindow>();
  #fresh: WrittenWindow[] = [];
  /** The language they are written in; null when there are none, or it is not known. */
  readonly language: string | null;

  constructor(before: readonly WrittenWindow[]) {
    for (const window of before) this.#before.set(nameOf(window), window);
    this.language = before.find(({ language }) => language !== null)?.language ?? null;
  }

  /** What was written for this very sound; null when nothing was. */
  find(channel: number, window: Window): WindowTranscript | null {
    if (this.#before.size === 0) return null;
    const name = nameOf({ channel, first_sample: window.firstSample, crc: crcOf(window) });
    const found = this.#before.get(name);
    if (!found) return null;
    this.#before.delete(name);
    const { pieces, language, confidence } = found;
    return { pieces, language, ...(confidence && { confidence }) };
  }

  add(channel: number, window: Window, { pieces, language, confidence }: WindowTranscript): void {
    // A confidence of minus infinity does not outlive a message: such a window is transcribed again.
    if (confidence && !Object.values(confidence).every(Number.isFinite)) return;
    this.#fresh.push({
      channel,
      first_sample: window.firstSample,
      crc: crcOf(window),
      pieces: pieces.map(({ text, start, end }) => ({ text, start, end })),
      language,
      ...(confidence && { confidence }),
    });
  }

  /** Those that were added since the last call. */
  take(): WrittenWindow[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}

function nameOf({ channel, first_sample, crc }: Pick<WrittenWindow, 'channel' | 'first_sample' | 'crc'>) {
  return `${channel} ${first_sample} ${crc}`;
}

function crcOf({ samples, speech }: Window): number {
  const { buffer, byteOffset, byteLength } = samples;
  return crc32(new Uint8Array(buffer, byteOffset, byteLength), crc32(JSON.stringify(speech)));
}

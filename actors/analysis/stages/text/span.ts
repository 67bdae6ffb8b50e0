// What is kept of the reading of a long film: the lines that have ended, those that may go on, and the last
// reading.
import type { WrittenLine } from '../../../index/written/contract.ts';
import type { Reading } from '../../../text-reader/contract.ts';
import type { FileSpans } from '../stage.ts';

export interface SavedReading {
  /** Lines that have ended since the span before. */
  readonly ended: readonly WrittenLine[];
  /** Lines that may go on. */
  readonly seen: readonly unknown[];
  /** Null before the first frame. */
  readonly reading: Reading | null;
  /** Frames that were read. */
  readonly looked: number;
  /** The first grid frame that was not. */
  readonly next: number;
}

export function spanOf({ reading, ...kept }: SavedReading): Uint8Array<ArrayBuffer> {
  const blocks = reading && Buffer.from(reading.blocks).toString('base64');
  return new TextEncoder().encode(JSON.stringify({ ...kept, reading: reading && { ...reading, blocks } }));
}

/** What all spans of a film hold together; it is told to them as taken up. */
export async function savedReading(spans: FileSpans | null): Promise<SavedReading> {
  const all = (await spans?.all()) ?? [];
  let kept: SavedReading = { ended: [], seen: [], reading: null, looked: 0, next: 0 };
  for (const { bytes } of all) {
    // Written by this program, whose version is part of the key.
    const { reading, ...span } = JSON.parse(new TextDecoder().decode(bytes));
    const blocks = reading && new Uint8Array(Buffer.from(reading.blocks, 'base64'));
    kept = { ...span, ended: [...kept.ended, ...span.ended], reading: reading && { ...reading, blocks } };
  }
  spans?.takenUp(kept.looked);
  return kept;
}

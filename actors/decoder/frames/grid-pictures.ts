// The pictures of grid seconds: chooses how to get them from a file. Exact pictures by the GOP walk, or by decoding
// everything where packets hold no times; or key pictures only.
import type { DecodeMode } from '../contract.ts';
import { Ending, Grid } from '../grid.ts';
import type { Hardware } from '../packets/hardware.ts';
import { firstLook } from '../packets/head.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import type { PictureReader } from '../packets/reference.ts';
import type { Source } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';
import { decodeEvery } from './every-picture.ts';
import { type GridPicture, type WalkCounts, type WalkQuestion, walkGrid } from './gop-walk.ts';
import { walkKeyframes } from './keyframes.ts';

export interface GridRequest {
  readonly mode: DecodeMode;
  /** Grid seconds `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Seconds by which the grid is moved. */
  readonly offset?: number;
  /** A device to decode on; software without. */
  readonly hardware?: Hardware | null;
  /** Throws when the work should end; asked for every packet. */
  checkpoint(): void;
  onEnd?(counts: WalkCounts): void;
}

/** Seconds before the wanted one at which a seek is tried, one after the other. */
const margins = [0.5, 3, 15, 60];
/** Wanted seconds this near to the start are reached by reading. */
export const near = 2;
/** Packets read after a seek to find a picture that decoding can begin at. */
const patience = 1000;

/** Errors: NO_PICTURE, UNSUPPORTED_CODEC, DECODE_FAILED. The source stays the caller's. */
export function gridPictures(source: Source, request: GridRequest): AsyncGenerator<GridPicture> {
  const { video, reader, head } = firstLook(source);
  const grid = new Grid(video.timeBase, head.start ?? 0, request.offset);
  const question = { source, reader, grid, ending: new Ending(), atStart: true, ...request };
  if (!head.timed) return decodeEvery(question, frameStep(video));
  if (request.mode === 'keyframes' && !source.intraOnly) return walkKeyframes(question);
  if ((request.offset ?? 0) + request.from < near) return walkGrid(question);
  return walkGrid({ ...question, atStart: seekNear(question, head.start ?? 0) === null });
}

/**
 * Goes to a picture from which the first wanted one can be decoded and answers its time in ticks; null after going back
 * to the start of the file. `start`: ticks of the first presented picture.
 */
export function seekNear(
  { source, reader, grid, from }: Pick<WalkQuestion, 'source' | 'reader' | 'grid' | 'from'>,
  start: number,
): number | null {
  const limit = grid.limit(from);
  for (const margin of margins) {
    const before = limit - grid.ticks(margin);
    if (before <= start || !source.seek(before)) break;
    const entry = entryBefore(source, reader, limit);
    if (entry !== null) return entry;
  }
  source.rewind();
  return null;
}

/**
 * Time of the next picture that decoding can begin at, when it is shown at or before `limit`. Drops what lies before it.
 */
function entryBefore(source: Source, reader: PictureReader, limit: number): number | null {
  for (let i = 0; i < patience; i++) {
    const packet = source.next();
    if (!packet) return null;
    const { entry, pts, shown } = packetFacts(packet, reader);
    if (entry !== 'no' && pts !== null && shown) {
      source.unread([packet]);
      return pts <= limit ? pts : null;
    }
    packet.free();
  }
  return null;
}

// The pictures of grid seconds; chooses how to get them from a file: exact pictures by the GOP walk, by
// decoding everything where packets have no PTS, or keyframes only.
import type { DecodeMode } from '../contract.ts';
import { Ending, Grid } from '../grid.ts';
import type { Hardware } from '../packets/hardware.ts';
import { readHead } from '../packets/head.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';
import { decodeEvery } from './every-picture.ts';
import { type GridPicture, type WalkCounts, walkGrid } from './gop-walk.ts';
import { walkKeyframes } from './keyframes.ts';
import { near, seekNear } from './seek.ts';

export interface GridRequest {
  readonly mode: DecodeMode;
  /** Grid seconds `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** The file does not say how long it is. */
  readonly endless?: boolean;
  /** Seconds by which the grid is shifted. */
  readonly offset?: number;
  /** A device to decode on; software without. */
  readonly hardware?: Hardware | null;
  readonly turn: PacketTurn;
  onEnd?(counts: WalkCounts): void;
}

/** Errors: NO_PICTURE, UNSUPPORTED_CODEC, DECODE_FAILED. The source stays the caller's. */
export async function* gridPictures(source: Source, request: GridRequest): AsyncGenerator<GridPicture> {
  const { offset = 0, turn } = request;
  const { video, reader, start, timed } = await readHead(source, turn);
  const grid = new Grid(video.timeBase, start ?? 0, offset);
  const options = { source, reader, grid, ending: new Ending(), atStart: true, ...request };
  if (!timed) yield* decodeEvery(options, frameStep(source));
  else if (request.mode === 'keyframes' && !source.intraOnly) yield* walkKeyframes(options);
  else if (offset + request.from < near) yield* walkGrid(options);
  else yield* walkGrid({ ...options, atStart: (await seekNear(options, start ?? 0)) === null });
}

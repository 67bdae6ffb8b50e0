// The pictures of moments anywhere in a film. One walk goes on from moment to moment as long as that reads less than a
// seek would save; where a later moment can be decoded from a picture beyond the one before, the walk ends and the next
// begins there. So three moments of a long film are three short walks, and a hundred within one GOP are one.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { Ending, MomentGrid, momentsWithin } from '../grid.ts';
import { firstLook } from '../packets/head.ts';
import type { Source } from '../source/source.ts';
import { frameStep, pictureSeconds } from '../source/stream.ts';
import { decodeEvery } from './every-picture.ts';
import { type GridPicture, type WalkCounts, type WalkQuestion, walkGrid } from './gop-walk.ts';
import { near, seekNear } from './grid-pictures.ts';

export interface MomentRequest {
  /** Seconds, ascending. */
  readonly moments: readonly number[];
  /** Throws when the work should end; asked for every packet. */
  checkpoint(): void;
  /** Told at the end of each walk. */
  onEnd?(counts: WalkCounts): void;
}

/**
 * `second` of a picture is the place of its moment. Left out are moments after the end and those whose picture cannot be
 * decoded. Errors: as `gridPictures`. The source stays the caller's.
 */
export async function* momentPictures(source: Source, request: MomentRequest): AsyncGenerator<GridPicture> {
  const { moments, ...asks } = request;
  const { video, reader, head } = firstLook(source);
  const start = head.start ?? 0;
  const length = pictureSeconds(source);
  const question = {
    source,
    reader,
    grid: new MomentGrid(video.timeBase, start, moments),
    from: 0,
    to: length === null ? moments.length : momentsWithin(moments, length),
    atStart: true,
    endless: length === null,
    ending: new Ending((duration) => momentsWithin(moments, duration)),
    ...asks,
  };
  if (!head.timed) {
    yield* decodeEvery(question, frameStep(video));
    return;
  }
  const walks = await planWalks(question, moments, start);
  for (const { from, to } of walks.list) {
    const ending = new Ending((duration) => momentsWithin(moments, duration));
    const walk = { ...question, from, to, ending };
    let entry: number | null = null;
    if (moments[from]! >= near) entry = seekNear(walk, start);
    else if (walks.moved) source.rewind();
    yield* walkGrid({ ...walk, atStart: entry === null });
  }
}

interface Walks {
  readonly list: readonly { readonly from: number; readonly to: number }[];
  /** The source is not at its first packet any more. */
  readonly moved: boolean;
}

/** Tries where a seek to each moment would lead; it pays when that lies well beyond the moment before. */
async function planWalks(question: WalkQuestion, moments: readonly number[], start: number): Promise<Walks> {
  const list: { from: number; to: number }[] = [];
  const { grid, to } = question;
  let from = 0;
  let moved = false;
  for (let place = 1; place < to; place++) {
    const before = moments[place - 1]!;
    if (moments[place]! - before <= near) continue;
    question.checkpoint();
    moved = true;
    const entry = seekNear({ ...question, from: place }, start);
    // Where one seek leads nowhere the others do not either.
    if (entry === null) break;
    if (grid.seconds(entry) - before > near) {
      list.push({ from, to: place });
      from = place;
    }
    await eventLoopTurn();
  }
  if (to > from) list.push({ from, to });
  return { list, moved };
}

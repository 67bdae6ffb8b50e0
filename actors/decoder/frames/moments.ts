// Thumbnails: the pictures of several moments of one file as JPEG, in one pass.
import { Sent, type Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { type decoderContract, type MomentPicture, mediaErrors } from '../contract.ts';
import { Ending, MomentGrid, momentsWithin } from '../grid.ts';
import { readHead } from '../packets/head.ts';
import { fillStill, previewStill, reduceStill, stillJpeg } from '../pixels/still.ts';
import { readFileStamp } from '../source/file.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { openStill } from '../source/still.ts';
import { frameStep, pictureSeconds } from '../source/stream.ts';
import { filmBars } from './film-bars.ts';
import { type GopWalkOptions, type GridPicture, type WalkCounts, walkGrid } from './gop-walk.ts';
import { decodeEvery, gridPictures } from './grid-pictures.ts';
import { PictureOutputs } from './outputs.ts';
import { near, seekNear } from './seek.ts';

type MomentsRequest = Request<typeof decoderContract, 'moments'>;

/** In the order of the moments. Errors: those of `frames`, INVALID_MESSAGE. */
export async function* moments(request: MomentsRequest, turn: Turn): AsyncGenerator<Sent<MomentPicture>> {
  const { path, seconds } = request;
  if (seconds.some((at, i) => at < (seconds[i - 1] ?? 0)))
    throw engineErrors.INVALID_MESSAGE('seconds are not ascending');
  await readFileStamp(path);
  const still = await openStill(path);
  if (!still) {
    yield* filmMoments(request, turn);
    return;
  }
  turn.throwIfCancelled();
  const jpeg = await stillJpeg(still, request.preview, turn);
  for (const moment of seconds.keys()) {
    turn.throwIfCancelled();
    yield sent(moment, 0, Uint8Array.from(jpeg));
  }
}

async function* filmMoments(
  { path, seconds, preview }: MomentsRequest,
  turn: Turn,
): AsyncGenerator<Sent<MomentPicture>> {
  const source = await openSource(path, { turn, pictures: 0 });
  const outputs = new PictureOutputs(source, [], preview);
  try {
    const moments = isStillContainer(source.container) ? seconds.map(() => 0) : seconds;
    const pictures = momentPictures(source, {
      moments,
      turn,
      onEnd: (counts) => turn.log.debug('walked', { path, ...counts }),
    });
    for await (const picture of pictures) {
      turn.throwIfCancelled();
      yield sent(picture.second, picture.seconds, outputs.preview(picture)!);
    }
  } finally {
    outputs.close();
    source.close();
  }
}

/** `jpeg`: *moved*. */
function sent(moment: number, seconds: number, jpeg: Uint8Array<ArrayBuffer>): Sent<MomentPicture> {
  return new Sent({ moment, seconds, jpeg }, { transfer: [jpeg.buffer] });
}

// The pictures of arbitrary moments of a film. One walk reads on from moment to moment as long as that is
// cheaper than a seek; where a seek would land well after the moment before, the walk ends and the next one
// starts there. So three moments of a long film are three short walks, and a hundred moments within one GOP
// are one.

interface MomentRequest {
  /** Seconds, ascending. */
  readonly moments: readonly number[];
  readonly turn: PacketTurn;
  /** Called at the end of each walk. */
  onEnd?(counts: WalkCounts): void;
}

/**
 * `second` of a picture is the index of its moment. Left out are moments after the end and those whose
 * picture cannot be decoded. Errors: as `gridPictures`. The source stays the caller's.
 */
async function* momentPictures(source: Source, request: MomentRequest): AsyncGenerator<GridPicture> {
  const { moments, ...walkOptions } = request;
  const head = await readHead(source, request.turn);
  const start = head.start ?? 0;
  const length = pictureSeconds(source);
  const newEnding = () => new Ending((duration) => momentsWithin(moments, duration));
  const options = {
    source,
    reader: head.reader,
    grid: new MomentGrid(head.video.timeBase, start, moments),
    from: 0,
    to: length === null ? moments.length : momentsWithin(moments, length),
    atStart: true,
    endless: length === null,
    ending: newEnding(),
    ...walkOptions,
  };
  if (!head.timed) {
    yield* decodeEvery(options, frameStep(source));
    return;
  }
  const walks = await planWalks(options, moments, start);
  for (const { from, to } of walks.list) {
    const walk = { ...options, from, to, ending: newEnding() };
    let entry: number | null = null;
    if (moments[from]! >= near) entry = await seekNear(walk, start);
    else if (walks.moved) source.rewind();
    yield* walkGrid({ ...walk, atStart: entry === null });
  }
}

interface Walks {
  readonly list: readonly { readonly from: number; readonly to: number }[];
  /** The source is no longer at its first packet. */
  readonly moved: boolean;
}

/** Tries where a seek to each moment would land; it pays when that is well after the moment before. */
async function planWalks(options: GopWalkOptions, moments: readonly number[], start: number): Promise<Walks> {
  const list: { from: number; to: number }[] = [];
  const { grid, to } = options;
  const checkpoint = createCheckpoint(options.turn);
  let from = 0;
  let moved = false;
  for (let index = 1; index < to; index++) {
    const before = moments[index - 1]!;
    if (moments[index]! - before <= near) continue;
    await checkpoint();
    moved = true;
    const entry = await seekNear({ ...options, from: index }, start);
    // A container in which one seek fails does not support the others either.
    if (entry === null) break;
    if (grid.seconds(entry) - before > near) {
      list.push({ from, to: index });
      from = index;
    }
  }
  if (to > from) list.push({ from, to });
  return { list, moved };
}

// The picture at one moment of a file, into a slot that the caller owns.

type PictureRequest = Request<typeof decoderContract, 'picture'>;
type PictureReply = Reply<typeof decoderContract, 'picture'>;

/** Errors: those of `frames`; DECODE_FAILED when no picture can be decoded for this moment. */
export async function picture(request: PictureRequest, turn: Turn): Promise<Sent<PictureReply>> {
  const { path, shape, preview } = request;
  await readFileStamp(path);
  const slot = turn.slot(request.picture, shape.width * shape.height * 3);
  const still = await openStill(path);
  if (still) {
    turn.throwIfCancelled();
    const [reduced] = await reduceStill(still, [shape], preview, turn);
    turn.throwIfCancelled();
    await fillStill(reduced!, slot);
    turn.throwIfCancelled();
    return reply(0, preview && (await previewStill(reduced!, preview.quality)), reduced!.within !== null);
  }
  const bars = shape.trim_bars ? await filmBars(path, turn) : null;
  const source = await openSource(path, { turn, pictures: 0 });
  const outputs = new PictureOutputs(source, [shape], preview, bars);
  try {
    const offset = isStillContainer(source.container) ? 0 : withinVideo(source, request.seconds);
    const onEnd = (counts: object) => turn.log.debug('walked', { path, ...counts });
    const gridRequest = { mode: 'exact', from: 0, to: 1, offset, turn, onEnd } as const;
    for await (const first of gridPictures(source, gridRequest)) {
      outputs.fill(first, [slot]);
      return reply(first.seconds, outputs.preview(first), bars !== null);
    }
    throw mediaErrors.DECODE_FAILED(`${path}: no picture can be decoded at ${request.seconds} s`, { path });
  } finally {
    outputs.close();
    source.close();
  }
}

function reply(
  seconds: number,
  preview: Uint8Array<ArrayBuffer> | null,
  trimmed: boolean,
): Sent<PictureReply> {
  return new Sent({ seconds, preview, trimmed }, { transfer: preview ? [preview.buffer] : [] });
}

/**
 * A moment after the end shows the last picture; a second more, since some containers count the duration too
 * short.
 */
function withinVideo(source: Source, seconds: number): number {
  const length = pictureSeconds(source);
  return length === null ? seconds : Math.min(seconds, length + 1);
}

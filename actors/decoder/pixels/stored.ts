// Pictures that an analysis stored as JPEG, as frames: what is left of a file that is gone.
import sharp from 'sharp';
import { type FeedTurn, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import type { decoderContract, GridFrame, PictureShape, PictureSize } from '../contract.ts';
import type { BarShares } from '../frames/contract.ts';
import { FrameSlots } from '../frames/outputs.ts';
import { barsOf, fillsFrame, type Levels, levelsOf, together } from './bars.ts';
import { fillStill, partBetween, partWithin } from './still.ts';

type FramesRequest = Request<typeof decoderContract, 'stored_frames'>;
type BarsRequest = Request<typeof decoderContract, 'stored_bars'>;
type SizeRequest = Request<typeof decoderContract, 'stored_size'>;

interface Decoded extends PictureSize {
  /** width×height×3 RGB bytes. */
  readonly rgb: Buffer;
}

export async function* storedFrames(request: FramesRequest, turn: FeedTurn): AsyncGenerator<Sent<GridFrame>> {
  const shapes = [request.shape, ...(request.further_shapes ?? [])];
  const slots = new FrameSlots(turn, shapes);
  for (const { frame_index, jpeg } of request.frames) {
    turn.throwIfCancelled();
    const picture = await decoded(jpeg, turn);
    if (picture === null) continue;
    const { handles, bytes } = await slots.take();
    for (const [i, shape] of shapes.entries()) await fill(picture, shape, request.bars, bytes[i]!);
    const [first, ...further] = handles;
    const preview = request.preview ? Uint8Array.from(jpeg) : null;
    const frame = { frame_index, seconds: frame_index, picture: first!, preview };
    const value = further.length > 0 ? { ...frame, further_pictures: further } : frame;
    slots.sent();
    yield new Sent(value, { slots: handles, transfer: preview ? [preview.buffer] : [] });
  }
}

export async function storedSize({ jpeg }: SizeRequest, turn: Turn): Promise<PictureSize | null> {
  try {
    const { width, height } = await sharp(jpeg).metadata();
    return { width, height };
  } catch (error) {
    turn.log.warn('a stored picture cannot be read', { error });
    return null;
  }
}

/** Bars as `filmBars` finds them in the film itself: dark pictures keep their dark parts. */
export async function storedBars({ jpegs }: BarsRequest, turn: Turn): Promise<{ bars: BarShares | null }> {
  const allLevels: Levels[] = [];
  for (const jpeg of jpegs) {
    turn.throwIfCancelled();
    const picture = await decoded(jpeg, turn);
    if (picture === null) continue;
    const levels = levelsOf(picture.rgb, picture.width, picture.height);
    if (fillsFrame(levels)) return { bars: null };
    // A film whose pictures change their size has no bars that are the same in all of it.
    const [first] = allLevels;
    if (first && (first.width !== levels.width || first.height !== levels.height)) return { bars: null };
    allLevels.push(levels);
  }
  return { bars: allLevels.length === 0 ? null : barsOf(together(allLevels)) };
}

async function decoded(jpeg: Uint8Array, turn: Turn): Promise<Decoded | null> {
  try {
    const picture = sharp(jpeg, { failOn: 'truncated' }).toColourspace('srgb').removeAlpha();
    const { data: rgb, info } = await picture.raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    return { rgb, width, height };
  } catch (error) {
    turn.log.warn('a stored picture cannot be read', { error });
    return null;
  }
}

/** `bars`: those of the whole film; undefined where each picture has its own. */
async function fill(
  picture: Decoded,
  shape: PictureShape,
  bars: FramesRequest['bars'],
  slot: Uint8Array,
): Promise<void> {
  const { rgb, width, height } = picture;
  const ofFilm = () => (bars && shape.trim_bars ? partBetween(bars, picture) : null);
  const within = bars === undefined ? partWithin(rgb, { width, height, shape }) : ofFilm();
  const isSame = shape.width === width && shape.height === height && !within;
  if (isSame) slot.set(rgb);
  else await fillStill({ ...picture, shape, within, preview: null }, slot);
}

// Scales existing JPEG pictures down, for thumbnails of stored previews.

type ShrinkRequest = Request<typeof decoderContract, 'shrink'>;
type ShrinkReply = Reply<typeof decoderContract, 'shrink'>;

/** Pictures scaled at the same time. Cancellation is checked between two groups. */
const parallel = 4;

export async function shrink({ jpegs, preview }: ShrinkRequest, turn: Turn): Promise<Sent<ShrinkReply>> {
  const small: (Uint8Array<ArrayBuffer> | null)[] = [];
  for (let i = 0; i < jpegs.length; i += parallel) {
    turn.throwIfCancelled();
    const some = jpegs.slice(i, i + parallel);
    small.push(...(await Promise.all(some.map((jpeg) => shrunk(jpeg, preview, turn)))));
  }
  const transfer = small.flatMap((jpeg) => (jpeg ? [jpeg.buffer] : []));
  return new Sent({ jpegs: small }, { transfer });
}

async function shrunk(
  jpeg: Uint8Array,
  { max_side, quality }: ShrinkRequest['preview'],
  turn: Turn,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const picture = sharp(jpeg, { failOn: 'truncated' });
    const { width, height } = await picture.metadata();
    if (Math.max(width, height) <= max_side) return Uint8Array.from(jpeg);
    const small = picture.resize(max_side, max_side, { fit: 'inside', kernel: 'linear' });
    return Uint8Array.from(await small.jpeg({ quality }).toBuffer());
  } catch (error) {
    turn.log.warn('a stored picture cannot be read', { error });
    return null;
  }
}

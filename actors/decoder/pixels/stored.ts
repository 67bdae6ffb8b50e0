// Pictures that an analysis stored as JPEG, as frames: what is left of a file that is gone.
import sharp from 'sharp';
import { type FeedTurn, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import type { decoderContract, GridFrame, PictureShape, PictureSize } from '../contract.ts';
import { FrameSlots } from '../frames/outputs.ts';
import { fillStill, partWithin } from './still.ts';

type FramesRequest = Request<typeof decoderContract, 'stored_frames'>;
type SizeRequest = Request<typeof decoderContract, 'stored_size'>;

interface Decoded extends PictureSize {
  /** width×height×3 RGB bytes. */
  readonly rgb: Buffer;
}

export async function* storedFrames(request: FramesRequest, turn: FeedTurn): AsyncGenerator<Sent<GridFrame>> {
  const shapes = [request.shape, ...(request.further_shapes ?? [])];
  const slots = new FrameSlots(turn, shapes.length);
  for (const { frame_index, jpeg } of request.frames) {
    turn.throwIfCancelled();
    const picture = await decoded(jpeg, turn);
    if (picture === null) continue;
    const { handles, bytes } = await slots.take();
    for (const [i, shape] of shapes.entries()) await fill(picture, shape, bytes[i]!);
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

async function fill(picture: Decoded, shape: PictureShape, slot: Uint8Array): Promise<void> {
  const { rgb, width, height } = picture;
  const within = partWithin(rgb, { width, height, shape });
  const isSame = shape.width === width && shape.height === height && !within;
  if (isSame) slot.set(rgb);
  else await fillStill({ ...picture, shape, within, preview: null }, slot);
}

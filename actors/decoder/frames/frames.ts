// The picture of every grid second of a file, each scaled to one or several shapes.
import { type FeedTurn, Sent } from '../../../runtime/actor.ts';
import type { Request, SlotHandle } from '../../../runtime/contract.ts';
import { type decoderContract, type GridFrame, mediaErrors, type PictureShape } from '../contract.ts';
import { gridLength } from '../grid.ts';
import { type Hardware, isDamaged } from '../packets/picture-decoder.ts';
import type { Bars } from '../pixels/bars.ts';
import { fillStill, previewStill, reduceStill } from '../pixels/still.ts';
import { expectUnchanged, readFileStamp, undecodable } from '../source/file.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { openStill } from '../source/still.ts';
import type { Still } from '../source/stills/still.ts';
import { mostSeconds, pictureSeconds } from '../source/stream.ts';
import { filmBars } from './film-bars.ts';
import type { GridPicture } from './gop-walk.ts';
import { gridPictures } from './grid-pictures.ts';
import { FrameSlots, PictureOutputs } from './outputs.ts';
import { sectionPictures } from './sections.ts';

type FramesRequest = Request<typeof decoderContract, 'frames'>;

/** Every grid frame. `hardware`: a device to decode on, or null. */
export async function* frames(
  request: FramesRequest,
  turn: FeedTurn,
  hardware: Hardware | null,
): AsyncGenerator<Sent<GridFrame>> {
  const { path, from_frame } = request;
  const stamp = await readFileStamp(path);
  const still = await openStill(path);
  if (still) {
    if (from_frame === 0) yield await stillFrame(still, request, turn);
  } else {
    let count = 0;
    for await (const frame of filmFramesOnAnyDevice(request, turn, hardware)) {
      count++;
      yield frame;
    }
    if (count === 0 && from_frame === 0 && !request.sections) {
      throw await undecodable(path);
    }
  }
  await expectUnchanged(path, stamp);
}

/**
 * Hardware may fail where software can decode. As long as no frame was sent, the file is tried again in
 * software.
 */
async function* filmFramesOnAnyDevice(
  request: FramesRequest,
  turn: FeedTurn,
  hardware: Hardware | null,
): AsyncGenerator<Sent<GridFrame>> {
  const { path } = request;
  const slots = new FrameSlots(turn, shapesOf(request));
  const bars = shapesOf(request).some(({ trim_bars }) => trim_bars) ? await filmBars(path, turn) : null;
  let hasSentFrame = false;
  try {
    for await (const frame of filmFrames(request, turn, { hardware, slots, bars })) {
      hasSentFrame = true;
      yield frame;
    }
    if (hasSentFrame || !hardware) return;
  } catch (error) {
    const undecodable = mediaErrors.NO_PICTURE.is(error) || mediaErrors.NOT_MEDIA.is(error);
    if (hasSentFrame || !hardware || undecodable || turn.cancelled()) throw error;
    turn.log.warn('not decoded in hardware, so decoded in software', { path, error });
  }
  yield* filmFrames(request, turn, { hardware: null, slots, bars });
}

interface FilmPass {
  readonly hardware: Hardware | null;
  readonly slots: FrameSlots;
  readonly bars: Bars | null;
}

async function* filmFrames(
  request: FramesRequest,
  turn: FeedTurn,
  { hardware, slots, bars }: FilmPass,
): AsyncGenerator<Sent<GridFrame>> {
  const { path, mode, from_frame, preview, sections, small } = request;
  const source = await openSource(path, { turn, pictures: 0, beforeStill: () => slots.take() });
  const outputs = new PictureOutputs(source, shapesOf(request), preview, bars);
  try {
    const onEnd = (counts: object) => turn.log.debug('walked', { path, ...counts });
    const gridRequest = { ...range(source, from_frame), mode, hardware, turn, onEnd };
    const pictures = sections
      ? sectionPictures(source, gridRequest, sections)
      : gridPictures(source, { ...gridRequest, ...(small && { small }) });
    for await (const picture of pictures) {
      const { handles, bytes } = await slots.take();
      outputs.fill(picture, bytes);
      const shown = { ...picture, damaged: isDamaged(picture.frame) };
      const frame = gridFrame(shown, handles, outputs.preview(picture));
      slots.sent();
      yield frame;
    }
  } finally {
    outputs.close();
    source.close();
  }
}

/** Slots are taken only when the still is decoded: a large one takes seconds. */
async function stillFrame(still: Still, request: FramesRequest, turn: FeedTurn): Promise<Sent<GridFrame>> {
  const { preview } = request;
  const reduced = await reduceStill(still, shapesOf(request), preview, turn);
  turn.throwIfCancelled();
  const { handles, bytes } = await new FrameSlots(turn, shapesOf(request)).take();
  for (const [i, picture] of reduced.entries()) {
    await fillStill(picture, bytes[i]!);
    turn.throwIfCancelled();
  }
  const jpeg = preview && (await previewStill(reduced[0]!, preview.quality));
  const damaged = reduced.some((part) => part.isDamaged);
  return gridFrame({ second: 0, seconds: 0, damaged }, handles, jpeg);
}

function shapesOf({ shape, further_shapes = [] }: FramesRequest): readonly PictureShape[] {
  return [shape, ...further_shapes];
}

interface ShownPicture extends Pick<GridPicture, 'second' | 'seconds' | 'small'> {
  readonly damaged: boolean;
}

function gridFrame(
  { second, seconds, damaged, small }: ShownPicture,
  slots: readonly SlotHandle[],
  preview: Uint8Array<ArrayBuffer> | null,
): Sent<GridFrame> {
  const [picture, ...further] = slots;
  const value: GridFrame = {
    frame_index: second,
    seconds,
    picture: picture!,
    preview,
    ...(further.length > 0 && { further_pictures: further }),
    ...(damaged && { is_damaged: true }),
    ...(small && { small }),
  };
  const moved = [...(preview ? [preview.buffer] : []), ...(small ? [small.pictures.buffer] : [])];
  return new Sent(value, { slots, transfer: moved });
}

/** Grid seconds of the whole video; `endless` where the file does not say how long it is. */
function range(source: Source, from: number) {
  if (isStillContainer(source.container)) return { from, to: 1 };
  const seconds = pictureSeconds(source);
  return { from, to: gridLength(seconds ?? mostSeconds(source)), endless: seconds === null };
}

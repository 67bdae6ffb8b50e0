// The two questions for pixels: every grid frame of a file, and the picture at one moment.
import { type FeedTurn, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Reply, Request, SlotHandle } from '../../../runtime/contract.ts';
import { type decoderContract, type GridFrame, mediaErrors } from '../contract.ts';
import { gridLength } from '../grid.ts';
import type { Hardware } from '../packets/hardware.ts';
import { PictureFiller } from '../pixels/picture.ts';
import { PreviewMaker } from '../pixels/preview.ts';
import { fillStill, previewStill, reduceStill } from '../pixels/still.ts';
import { expectUnchanged, readFileStamp } from '../source/file-stamp.ts';
import { isStillContainer } from '../source/formats.ts';
import { openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { codedSize, pictureSeconds } from '../source/stream.ts';
import type { GridPicture } from './gop-walk.ts';
import { gridPictures } from './grid-pictures.ts';

type FramesRequest = Request<typeof decoderContract, 'frames'>;
type PictureRequest = Request<typeof decoderContract, 'picture'>;
type PictureReply = Reply<typeof decoderContract, 'picture'>;

/** Every grid frame. `hardware`: a device to decode on, or null. */
export async function* frames(
  request: FramesRequest,
  turn: FeedTurn,
  hardware: Hardware | null,
): AsyncGenerator<Sent<GridFrame>> {
  const { path, from_frame } = request;
  const stamp = await readFileStamp(path);
  if (await isStill(path)) {
    if (from_frame === 0) yield await stillFrame(request, turn);
  } else {
    let found = 0;
    for await (const frame of filmFramesAnywhere(request, turn, hardware)) {
      found++;
      yield frame;
    }
    if (found === 0 && from_frame === 0) {
      throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
    }
  }
  await expectUnchanged(path, stamp);
}

/** A device may fail at what software can do; as long as nothing was found, nothing is lost by trying again. */
async function* filmFramesAnywhere(
  request: FramesRequest,
  turn: FeedTurn,
  hardware: Hardware | null,
): AsyncGenerator<Sent<GridFrame>> {
  let found = false;
  // A slot that was taken and not filled serves the second attempt: there may be no other.
  let spare: SlotHandle | null = null;
  const takeSlot = async () => (spare ??= await turn.freeSlot());
  const { path } = request;
  try {
    for await (const frame of filmFrames(request, turn, hardware, takeSlot)) {
      found = true;
      spare = null;
      yield frame;
    }
    if (found || !hardware) return;
  } catch (error) {
    const hopeless = mediaErrors.NO_PICTURE.is(error) || mediaErrors.NOT_MEDIA.is(error);
    if (found || !hardware || hopeless || turn.cancelled()) throw error;
    turn.log.warn('not decoded in hardware, so decoded in software', { path, error });
  }
  for await (const frame of filmFrames(request, turn, null, takeSlot)) {
    spare = null;
    yield frame;
  }
}

async function* filmFrames(
  request: FramesRequest,
  turn: FeedTurn,
  hardware: Hardware | null,
  takeSlot: () => Promise<SlotHandle>,
): AsyncGenerator<Sent<GridFrame>> {
  const { path, mode, from_frame } = request;
  const source = await openSource(path);
  const tools = new Tools(source, request);
  try {
    const asked = { ...range(source, from_frame), mode, hardware, ...asks(turn, path) };
    for await (const found of gridPictures(source, asked)) {
      const handle = await takeSlot();
      tools.fill(source, found, turn.slot(handle));
      const preview = tools.preview(source, found);
      yield gridFrame({ frame_index: found.second, seconds: found.seconds, picture: handle, preview });
    }
  } finally {
    tools.close();
    source.close();
  }
}

/** The picture at one moment. */
export async function picture(request: PictureRequest, turn: Turn): Promise<Sent<PictureReply>> {
  const { path } = request;
  await readFileStamp(path);
  const slot = turn.slot(request.picture);
  if (await isStill(path)) {
    const preview = await stillPictures(request, turn, async () => slot);
    return pictureReply(0, preview);
  }
  const source = await openSource(path);
  const tools = new Tools(source, request);
  try {
    const still = isStillContainer(source.container);
    const offset = still ? 0 : withinVideo(source, request.seconds);
    const asked = { mode: 'exact', from: 0, to: 1, offset, ...asks(turn, path) } as const;
    for await (const found of gridPictures(source, asked)) {
      tools.fill(source, found, slot);
      return pictureReply(found.seconds, tools.preview(source, found));
    }
    throw mediaErrors.DECODE_FAILED(`${path}: no picture can be decoded at ${request.seconds} s`, { path });
  } finally {
    tools.close();
    source.close();
  }
}

/** What one request needs beside the source; freed with it. */
class Tools {
  readonly #filler: PictureFiller;
  readonly #preview: PreviewMaker | null;
  /** The preview made last, for seconds that show the same picture. */
  #last: { readonly seconds: number; readonly jpeg: Uint8Array<ArrayBuffer> } | null = null;

  constructor(source: Source, { shape, preview }: Pick<FramesRequest, 'shape' | 'preview'>) {
    const transfer = source.video?.codecpar.colorTrc ?? 0;
    this.#filler = new PictureFiller(shape, transfer);
    this.#preview = preview ? new PreviewMaker(preview, transfer) : null;
  }

  fill(source: Source, { frame }: GridPicture, slot: Uint8Array) {
    this.#filler.fill(frame, codedSize(source.video!), slot);
  }

  preview(source: Source, { frame, seconds }: GridPicture): Uint8Array<ArrayBuffer> | null {
    if (!this.#preview) return null;
    if (this.#last?.seconds !== seconds) {
      this.#last = { seconds, jpeg: this.#preview.make(frame, codedSize(source.video!)) };
    }
    // What is sent is moved away, so each second has its own.
    return this.#last.jpeg.slice();
  }

  close() {
    this.#filler.close();
    this.#preview?.close();
  }
}

async function stillFrame(request: FramesRequest, turn: FeedTurn): Promise<Sent<GridFrame>> {
  let picture: SlotHandle | null = null;
  const preview = await stillPictures(request, turn, async () => {
    picture = await turn.freeSlot();
    return turn.slot(picture);
  });
  return gridFrame({ frame_index: 0, seconds: 0, picture: picture!, preview });
}

/** Fills a slot, asked for when the still is decoded, and answers the preview. A large still takes seconds. */
async function stillPictures(
  { path, shape, preview }: Pick<FramesRequest, 'path' | 'shape' | 'preview'>,
  turn: Turn,
  slot: () => Promise<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  turn.throwIfCancelled();
  const still = await reduceStill(path, shape, preview);
  turn.throwIfCancelled();
  await fillStill(still, shape, await slot());
  turn.throwIfCancelled();
  return preview && previewStill(still, preview.quality);
}

function gridFrame(frame: GridFrame & { preview: Uint8Array | null }): Sent<GridFrame> {
  return new Sent(frame, { slots: [frame.picture], transfer: moved(frame.preview) });
}

function pictureReply(seconds: number, preview: Uint8Array | null): Sent<PictureReply> {
  return new Sent({ seconds, preview }, { transfer: moved(preview) });
}

function moved(bytes: Uint8Array | null): ArrayBuffer[] {
  return bytes ? [bytes.buffer as ArrayBuffer] : [];
}

/** Grid seconds of the whole video; without an end where the file does not say how long it is. */
function range(source: Source, from: number) {
  if (isStillContainer(source.container)) return { from, to: 1 };
  const seconds = pictureSeconds(source);
  return { from, to: seconds === null ? Number.POSITIVE_INFINITY : gridLength(seconds) };
}

/** A moment after the end asks for the last picture; containers may count the length to where it begins. */
function withinVideo(source: Source, seconds: number): number {
  const length = pictureSeconds(source);
  return length === null ? seconds : Math.min(seconds, length + 1);
}

function asks(turn: Turn, path: string) {
  return {
    turn,
    onEnd: (counts: { read: number; decoded: number }) => turn.log.debug('walked', { path, ...counts }),
  };
}

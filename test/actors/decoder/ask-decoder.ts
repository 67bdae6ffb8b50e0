// Calls the decoder's handlers without a thread: with a turn whose slots are plain memory; replies are plain
// values.
import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import { definition } from '../../../actors/decoder/actor.ts';
import type {
  GridFrame,
  MomentPicture,
  PictureShape,
  PreviewShape,
  Probe,
  SoundBlock,
} from '../../../actors/decoder/contract.ts';
import type { Section, SectionsOf } from '../../../actors/decoder/frames/contract.ts';
import { type FeedTurn, Sent } from '../../../runtime/actor.ts';
import { overBudget } from '../../../runtime/budget.ts';
import type { SlotHandle } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';

export const stampShape: PictureShape = { width: 192, height: 108, fit: 'stretch', resample: 'area' };

export interface Got {
  readonly second: number;
  readonly seconds: number;
  readonly rgb: Uint8Array;
  /** The same picture in each further shape. */
  readonly further: readonly Uint8Array[];
  readonly preview: Uint8Array | null;
}

export interface FramesAsk {
  readonly path: string;
  readonly shape?: PictureShape;
  readonly further?: readonly PictureShape[];
  readonly preview?: PreviewShape | null;
  readonly mode?: 'exact' | 'keyframes';
  readonly from?: number;
  readonly sections?: Static<typeof SectionsOf>;
}

/** A turn with as many slots as are asked for; `lines` collects the log. */
export class TestTurn implements FeedTurn {
  readonly #controller = new AbortController();
  readonly #slots: Uint8Array[] = [];
  readonly #bytes: number;
  readonly lines: LogLine[] = [];
  /** Bytes of memory that the turn reserves now, and at most. */
  reserved = 0;
  mostReserved = 0;
  /** Above it nothing is granted. */
  memoryLimit = 2 ** 31;
  /** Calls of `alive`. */
  alives = 0;
  readonly log = createLog('decoder', (line) => this.lines.push(line));

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel() {
    this.#controller.abort();
  }

  cancelled(): boolean {
    return this.signal.aborted;
  }

  alive() {
    this.alives++;
  }

  throwIfCancelled() {
    if (this.cancelled()) throw engineErrors.CANCELLED();
  }

  async reserve(bytes: number): Promise<() => void> {
    if (bytes > this.memoryLimit) throw overBudget(bytes, this.memoryLimit);
    this.reserved += bytes;
    this.mostReserved = Math.max(this.mostReserved, this.reserved);
    return () => {
      this.reserved -= bytes;
    };
  }

  slot({ slot }: SlotHandle): Uint8Array {
    return this.#slots[slot]!;
  }

  async freeSlot(): Promise<SlotHandle> {
    this.throwIfCancelled();
    this.#slots.push(new Uint8Array(new SharedArrayBuffer(this.#bytes)));
    return { slot: this.#slots.length - 1, generation: 1 };
  }
}

const environment = {
  settings: undefined,
  log: createLog('decoder', () => {}),
  stopping: new AbortController().signal,
};

const { handlers } = await definition.create(environment);

const plain = <T>(value: T | Sent<T>): T => (value instanceof Sent ? value.value : value);

/** The items of the `frames` feed as they come. */
export async function* frameItems(ask: FramesAsk, turn: TestTurn): AsyncGenerator<GridFrame> {
  const { path, shape = stampShape, further, preview = null, mode = 'exact', from = 0, sections } = ask;
  const more = { ...(further && { further_shapes: [...further] }), ...(sections && { sections }) };
  for await (const item of handlers.frames({ path, shape, ...more, preview, mode, from_frame: from }, turn)) {
    yield plain(item);
  }
}

export async function askSections(path: string, frames: number, from = 0): Promise<Section[]> {
  const { sections } = plain(await handlers.sections({ path, frames, from_frame: from }, new TestTurn(0)));
  return sections;
}

export async function askFrames(ask: FramesAsk, turn = turnFor(ask.shape, ...(ask.further ?? []))) {
  const got: Got[] = [];
  const { shape = stampShape, further = [] } = ask;
  const bytesOf = (handle: SlotHandle, { width, height }: PictureShape) =>
    turn.slot(handle).subarray(0, width * height * 3);
  for await (const { frame_index, seconds, picture, further_pictures = [], preview } of frameItems(
    ask,
    turn,
  )) {
    assert.equal(further_pictures.length, further.length);
    got.push({
      second: frame_index,
      seconds,
      rgb: bytesOf(picture, shape),
      further: further_pictures.map((handle, i) => bytesOf(handle, further[i]!)),
      preview,
    });
  }
  return got;
}

export async function askPicture(
  path: string,
  seconds: number,
  shape = stampShape,
  turn = turnFor(shape),
): Promise<Got & { readonly trimmed: boolean }> {
  const picture = await turn.freeSlot();
  const preview = { max_side: 640, quality: 80 };
  const reply = plain(await handlers.picture({ path, seconds, shape, preview, picture }, turn));
  const rgb = turn.slot(picture).subarray(0, shape.width * shape.height * 3);
  const { preview: jpeg, trimmed } = reply;
  return { second: 0, seconds: reply.seconds, rgb, further: [], preview: jpeg, trimmed };
}

/** The pictures of moments, by their index in `seconds`. */
export async function askMoments(
  path: string,
  seconds: readonly number[],
  turn = turnFor(),
  preview: PreviewShape = { max_side: 192, quality: 95 },
): Promise<Map<number, MomentPicture>> {
  const got = new Map<number, MomentPicture>();
  for await (const item of handlers.moments({ path, seconds: [...seconds], preview }, turn)) {
    const picture = plain(item);
    got.set(picture.moment, picture);
  }
  return got;
}

/** Size of the slots for sound, in bytes. */
export const soundSlotBytes = 786_432;

/** The blocks of the `sound` feed as they come. */
export async function* soundBlocks(
  path: string,
  channels: number[] | null,
  turn: TestTurn,
): AsyncGenerator<SoundBlock> {
  for await (const item of handlers.sound({ path, channels }, turn)) yield plain(item);
}

/** All samples of each requested channel; fails when the blocks are not contiguous. */
export async function askSound(
  path: string,
  channels: number[] | null = null,
  turn = new TestTurn(soundSlotBytes),
): Promise<Float32Array[]> {
  const parts = Array.from({ length: channels?.length ?? 1 }, () => [] as Float32Array[]);
  const lengths = parts.map(() => 0);
  for await (const { channel, first_sample, count, samples } of soundBlocks(path, channels, turn)) {
    assert.equal(first_sample, lengths[channel]);
    parts[channel]!.push(new Float32Array(turn.slot(samples).buffer, 0, count));
    lengths[channel]! += count;
  }
  return parts.map((blocks, i) => {
    const whole = new Float32Array(lengths[i]!);
    let at = 0;
    for (const block of blocks) {
      whole.set(block, at);
      at += block.length;
    }
    return whole;
  });
}

export async function askSubtitles(path: string, stream_index: number, turn = turnFor()) {
  return plain(await handlers.subtitles({ path, stream_index }, turn));
}

export async function askShrink(jpegs: Uint8Array[], preview: PreviewShape, turn = turnFor()) {
  return plain(await handlers.shrink({ jpegs, preview }, turn)).jpegs;
}

export async function askProbe(path: string, turn = turnFor(), pace = false): Promise<Probe> {
  return plain(await handlers.probe({ path, pace }, turn));
}

export async function askIdentity(path: string) {
  return plain(await handlers.identify({ path }, turnFor()));
}

/** A turn whose slots hold a picture of any of the shapes. */
export function turnFor(...shapes: readonly (PictureShape | undefined)[]): TestTurn {
  const bytes = [stampShape, ...shapes].map((shape) => (shape ? shape.width * shape.height * 3 : 0));
  return new TestTurn(Math.max(...bytes));
}

/** Packets read and decoded in the walks of a turn. */
export function walkCounts({ lines }: TestTurn): { read: number; decoded: number } {
  const counts = lines.filter(({ message }) => message === 'walked').map(({ fields }) => fields);
  const sum = (name: string) => counts.reduce((total, fields) => total + Number(fields[name]), 0);
  return { read: sum('read'), decoded: sum('decoded') };
}

// The stage of things: in every grid frame of a file the object detector finds things; those that stay are joined over the
// seconds, and stored.

import type { SlotHandle } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { mediaErrors, type PictureShape } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import {
  detectorSide,
  type ObjectDetector,
  type Thing,
  type thingsContract,
} from '../../../things/contract.ts';
import { Tracker } from '../../../things/tracks.ts';
import { expectUnchanged } from '../../media/survey.ts';
import { faceShape } from '../faces/shape.ts';
import type { Item } from '../kind.ts';
import type { FileWork, SpanRules, Stage, StageSession, Underway } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { type ThingFacts, thingsKind } from './kind.ts';

export type Things = Ref<typeof thingsContract>;

export const thingsStage: Stage = {
  kind: thingsKind,
  journal: 'things',
  reads: 'frames',
  open: async (task) => {
    const { things } = task.parts;
    if (!things) throw engineErrors.INTERNAL('an engine that only searches was asked for things');
    return new ThingSession(task, things, await things.ask('load', {}, { signal: task.signal }));
  },
};

/** Frames in a span: two minutes of footage. */
const spanFrames = 120;
/** Frames decoded ahead. */
const credit = 3;

/** What was found in one frame, as spans keep it. */
type FrameThings = readonly [frame: number, things: readonly Thing[]];

class ThingSession implements StageSession {
  readonly #task: TaskContext;
  readonly #things: Things;
  readonly #model: ObjectDetector;
  /** Of files that were looked at before, by content. */
  readonly #stored = new Map<string, { readonly tracks: number; readonly fromPreviews: boolean }>();

  constructor(task: TaskContext, things: Things, model: ObjectDetector) {
    this.#task = task;
    this.#things = things;
    this.#model = model;
  }

  modelOf(): string {
    return this.#model.model_key;
  }

  applies({ probe }: MediaRecord): boolean {
    return probe.grid_frames > 0;
  }

  /** What was found in previews stands until the file is there again. */
  async isStored({ identity: { hash_str } }: MediaRecord, _: Item, isGone: boolean): Promise<boolean> {
    const { parts, request, signal } = this.#task;
    const asked = { cache_dir: request.cache_dir, hashes: [hash_str] };
    const { stored } = await parts.index.ask('things_stored', asked, { signal });
    const [found = null] = stored;
    if (found?.model_key !== this.#model.model_key || (found.from_previews && !isGone)) return false;
    this.#stored.set(hash_str, { tracks: found.tracks, fromPreviews: found.from_previews });
    return true;
  }

  storedFacts({ identity }: MediaRecord) {
    const { tracks = 0, fromPreviews = false } = this.#stored.get(identity.hash_str) ?? {};
    return this.#facts({ tracks, missing_frames: 0 }, fromPreviews);
  }

  spans(): SpanRules {
    const { parts, request } = this.#task;
    const settings = { device: this.#model.device, hardware: parts.hardware, decode: request.decode };
    return { every: spanFrames, settings };
  }

  async work(file: FileWork): Promise<Underway> {
    const { media, previews, spans, worked, signal, frames } = file;
    const kept = ((await spans?.all()) ?? []).flatMap(({ bytes }) => framesIn(bytes));
    spans?.takenUp(kept.length);
    const tracker = new Tracker();
    for (const [frame, things] of kept) tracker.add(frame, things);
    const from = (kept.at(-1)?.[0] ?? -1) + 1;
    const shape = this.#shapeOf(previews ?? media.probe);
    let [looked, since]: [number, FrameThings[]] = [kept.length, []];
    if (from < media.probe.grid_frames) {
      for await (const { frame_index, picture } of frames({ shape, from, preview: false, credit, signal })) {
        const things = await this.#find(picture, shape, signal);
        tracker.add(frame_index, things);
        since.push([frame_index, things]);
        looked++;
        worked(1);
        if (spans?.isDue(looked)) {
          await spans.keep(looked, bytesOf(since));
          since = [];
        }
      }
    }
    return { finished: this.#commit(file, tracker, looked) };
  }

  /** As large as the detector looks at it; a smaller one is not made larger. */
  #shapeOf(size: Pick<MediaRecord['probe'], 'width' | 'height'>): PictureShape {
    return faceShape(size, detectorSide, this.#task.parts.pool.memory.slotBytes);
  }

  async #find(picture: SlotHandle, { width, height }: PictureShape, signal: AbortSignal): Promise<Thing[]> {
    const { pool } = this.#task.parts;
    const request = { model_key: this.#model.model_key, picture, width, height };
    const call = { signal, slots: [picture] };
    const holder = pool.holder();
    pool.hold(picture, holder);
    try {
      return (await this.#things.ask('find', request, call)).things;
    } catch (error) {
      // An actor that came back after a crash has no model yet.
      if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
      await this.#things.ask('load', {}, { signal });
      return (await this.#things.ask('find', request, call)).things;
    } finally {
      pool.releaseAll(holder);
    }
  }

  async #commit({ media, previews }: FileWork, tracker: Tracker, looked: number) {
    const { path, probe } = media;
    if (looked === 0 && probe.grid_frames > 0) {
      throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
    }
    const from_previews = previews !== null;
    if (!from_previews) await expectUnchanged(media);
    const { parts, request } = this.#task;
    const tracks = tracker.end();
    // Not cancellable: a commit that was begun is finished, and what is finished stays.
    await parts.index.ask('store_things', {
      cache_dir: request.cache_dir,
      media,
      model_key: this.#model.model_key,
      tracks,
      from_previews,
    });
    const missing_frames = Math.max(0, probe.grid_frames - looked);
    return this.#facts({ tracks: tracks.length, missing_frames }, from_previews);
  }

  #facts(counts: Pick<ThingFacts, 'tracks' | 'missing_frames'>, fromPreviews: boolean) {
    const warning = 'found in stored previews, since the file is not there: small things may be missing';
    const things: ThingFacts = { model_key: this.#model.model_key, ...counts };
    return { things: fromPreviews ? { ...things, warning } : things };
  }

  /** The model is used by nobody else; what it takes is given back. */
  async close(): Promise<void> {
    await this.#things.ask('unload', {}).catch((error) => {
      this.#task.parts.log.warn('the object detector cannot be freed', { error });
    });
  }
}

function bytesOf(frames: readonly FrameThings[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify(frames)));
}

/** Written by this program under a checksum. */
function framesIn(bytes: Uint8Array): FrameThings[] {
  return JSON.parse(Buffer.from(bytes).toString()) as FrameThings[];
}

// The stage of things: in every grid frame of a file the object detector finds things; those that stay are joined over the
// seconds, and stored.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { PictureShape } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { detectorSide, type ObjectDetector, type Thing } from '../../../things/contract.ts';
import { Tracker } from '../../../things/tracks.ts';
import { faceShape } from '../faces/shape.ts';
import { LookingSession, loadedFor, spanFrames } from '../looking.ts';
import type { Things } from '../parts.ts';
import type { FileWork, SpanRules, Stage, Underway } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { type ThingFacts, thingsKind } from './kind.ts';

export const thingsStage: Stage = {
  kind: thingsKind,
  journal: 'things',
  reads: 'frames',
  open: async (task) => {
    const { things } = task.parts;
    if (!things) throw engineErrors.INTERNAL('an engine that only searches was asked for things');
    return new ThingSession(task, things, await loadedFor(modelOf(things), task.signal));
  },
};

/** Frames decoded ahead. */
const credit = 3;

/** What was found in one frame, as spans keep it. */
type FrameThings = readonly [frame: number, things: readonly Thing[]];

const modelOf = (things: Things) => ({
  load: (signal: AbortSignal) => things.ask('load', {}, { signal }),
  unload: () => things.ask('unload', {}),
});

class ThingSession extends LookingSession<ObjectDetector> {
  readonly #things: Things;

  constructor(task: TaskContext, things: Things, model: ObjectDetector) {
    super(task, modelOf(things), model);
    this.#things = things;
  }

  protected async stored(hash_str: string) {
    const { parts, request, signal } = this.task;
    const asked = { cache_dir: request.cache_dir, hashes: [hash_str] };
    const { stored } = await parts.index.ask('things_stored', asked, { signal });
    return stored[0] ? { ...stored[0], count: stored[0].tracks } : null;
  }

  spans(): SpanRules {
    const { parts, request } = this.task;
    const settings = { device: this.model.device, hardware: parts.hardware, decode: request.decode };
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
    const { width, height } = shape;
    let [looked, since]: [number, FrameThings[]] = [kept.length, []];
    if (from < media.probe.grid_frames) {
      for await (const { frame_index, picture } of frames({ shape, from, preview: false, credit, signal })) {
        const request = { model_key: this.modelOf(), picture, width, height };
        const find = () => this.#things.ask('find', request, { signal, slots: [picture] });
        const { things } = await this.asked(find, signal);
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
    return { finished: this.#store(file, tracker, looked) };
  }

  /** As large as the detector looks at it; a smaller one is not made larger. */
  #shapeOf(size: Pick<MediaRecord['probe'], 'width' | 'height'>): PictureShape {
    return faceShape(size, detectorSide, this.task.parts.pool.memory.slotBytes);
  }

  #store(file: FileWork, tracker: Tracker, looked: number) {
    const { parts, request } = this.task;
    const tracks = tracker.end();
    const stored = { cache_dir: request.cache_dir, media: file.media, model_key: this.modelOf(), tracks };
    const store = (from_previews: boolean) => parts.index.ask('store_things', { ...stored, from_previews });
    return this.commit(file, { looked, count: tracks.length }, store);
  }

  protected factsOf(tracks: number, missing_frames: number, fromPreviews: boolean) {
    const warning = 'found in stored previews, since the file is not there: small things may be missing';
    const things: ThingFacts = { model_key: this.modelOf(), tracks, missing_frames };
    return { things: fromPreviews ? { ...things, warning } : things };
  }
}

function bytesOf(frames: readonly FrameThings[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify(frames)));
}

/** Written by this program under a checksum. */
function framesIn(bytes: Uint8Array): FrameThings[] {
  return JSON.parse(Buffer.from(bytes).toString()) as FrameThings[];
}

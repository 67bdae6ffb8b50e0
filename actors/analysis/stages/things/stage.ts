// The stage of things: in every grid frame of a file the object detector finds things; those that stay are
// joined over the seconds, and stored.
import type { SlotHandle } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { PictureShape } from '../../../decoder/contract.ts';
import { isSure } from '../../../things/confidence.ts';
import type { ObjectDetector, Sight, Thing } from '../../../things/contract.ts';
import { ThingTracker } from '../../../things/tracks.ts';
import { faceShape } from '../faces/file-faces.ts';
import { frameAnalysis, loadedFor, spanFrames } from '../frame-analysis.ts';
import type { ThingsActor } from '../parts.ts';
import type { FileWork, Stage, StageRun } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { type ThingFacts, thingsKind } from './kind.ts';

export const thingsStage: Stage = {
  kind: thingsKind,
  journal: 'things',
  reads: 'frames',
  open: async (task) => {
    const { things } = task.parts;
    if (!things) throw engineErrors.INTERNAL('an engine that only searches was asked for things');
    return thingRun(task, things, await loadedFor(modelOf(things), task.signal));
  },
};

/** Frames decoded ahead. */
const credit = 3;

/** Detections in one frame, in the form of spans. */
type FrameThings = readonly [frame: number, things: readonly Thing[]];

const modelOf = (things: ThingsActor) => ({
  load: (signal: AbortSignal) => things.ask('load', {}, { signal }),
  unload: () => things.ask('unload', {}),
});

function thingRun(task: TaskContext, things: ThingsActor, model: ObjectDetector): StageRun {
  const { parts, request, signal } = task;
  const { cache_dir, decode } = request;
  const { model_key, device } = model;
  const analysis = frameAnalysis(parts.log, {
    model,
    actor: modelOf(things),
    ...{ index: parts.index, cache_dir, type: 'things', signal },
    factsOf: (tracks, missing_frames, from_previews) => {
      const facts: ThingFacts = { model_key, tracks, missing_frames, from_previews };
      return { things: from_previews ? { ...facts, warning } : facts };
    },
  });
  return {
    ...analysis.run,
    spans: () => ({ every: spanFrames, settings: { device, hardware: parts.hardware, decode } }),
    work: async (file) => {
      const { side } = model;
      // A smaller picture is made larger only for a detector that takes one size.
      const shape: PictureShape =
        model.fit === 'stretch'
          ? { width: side, height: side, fit: 'stretch', resample: 'bilinear' }
          : faceShape(file.previews ?? file.media.probe, side, parts.pool.memory.slotBytes);
      const { width, height } = shape;
      let before: Sight | null = null;
      const { tracker, looked } = await tracked(file, shape, async (picture) => {
        const call = { signal: file.signal, slots: [picture] };
        const find = () => things.ask('find', { model_key, picture, width, height, before }, call);
        before = await analysis.askModel(find, file.signal);
        return before.things;
      });
      const tracks = tracker.end();
      const { grid_frames } = file.media.probe;
      const count = tracks.filter((track) => isSure(track, grid_frames)).length;
      return { finished: analysis.commit(file, { looked, count }, { type: 'things', items: tracks }) };
    },
  };
}

const warning = 'found in stored previews, not in the file: small things may be missing';

/** Looks at what no span holds. `looked`: frames in all. */
async function tracked(
  { media, spans, worked, signal, frames }: FileWork,
  shape: PictureShape,
  find: (picture: SlotHandle) => Promise<Thing[]>,
): Promise<{ tracker: ThingTracker; looked: number }> {
  const savedFrames = ((await spans?.all()) ?? []).flatMap(({ bytes }) => framesIn(bytes));
  spans?.takenUp(savedFrames.length);
  const tracker = new ThingTracker();
  for (const [frame, things] of savedFrames) tracker.add(frame, things);
  const from = (savedFrames.at(-1)?.[0] ?? -1) + 1;
  let [looked, since]: [number, FrameThings[]] = [savedFrames.length, []];
  if (from >= media.probe.grid_frames) return { tracker, looked };
  for await (const { frame_index, picture } of frames({ shape, from, preview: false, credit, signal })) {
    const things = await find(picture);
    tracker.add(frame_index, things);
    since.push([frame_index, things]);
    looked++;
    worked(1);
    if (!spans?.isDue(looked)) continue;
    await spans.keep(looked, bytesOf(since));
    since = [];
  }
  return { tracker, looked };
}

function bytesOf(frames: readonly FrameThings[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify(frames)));
}

/** Written by this program under a checksum. */
function framesIn(bytes: Uint8Array): FrameThings[] {
  return JSON.parse(Buffer.from(bytes).toString()) as FrameThings[];
}

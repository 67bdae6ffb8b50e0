// Takes over what another engine of a cluster has found: stage by stage, each in the place of what was stored
// before.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { renameSync } from '../../../runtime/files/names.ts';
import type { SpeakerVoices } from '../../diarizer/contract.ts';
import { faceAt } from '../people/face-columns.ts';
import { resultKinds } from '../results/contract.ts';
import { countFrames } from '../visual/frames.ts';
import type { MediaRecord } from './contract.ts';
import { flushFolder } from './disk.ts';
import { storeFault } from './faults.ts';
import { openFolder } from './names.ts';
import { placeBytes, readAligned, readDisplay, readVectors } from './people/face-rolls.ts';
import type { FaceChunk } from './people/face-stage.ts';
import { type ContentFaces, idsOf, type OpenRolls } from './people/stored-faces.ts';
import type { Results } from './results.ts';
import type { Store } from './store.ts';
import type { MediaVoices } from './voices/voice-records.ts';
import type { SealedStage } from './writer.ts';

/**
 * `source`: a folder on the same disk, of which nothing is left to use. What is applied twice is the same as
 * once. *Flushed* on return. The errors of the store.
 */
export function adoptAll(target: Store, source: Store): void {
  source.followRoots();
  const hashes = source.media.hashes();
  const contents = hashes.flatMap((hash) => visualOf(source, hash));
  if (contents.length > 0) {
    moveBundles(source.folder, target.folder, contents);
    target.adopt(contents);
  }
  const visualHashes = new Set(contents.map(({ hash }) => hash));
  for (const hash of hashes) takeOver(target, source, hash, visualHashes.has(hash));
  for (const hash of hashes) takeFaces(target, source, hash);
}

/** Visual results of every model. */
function visualOf(source: Store, hash: string): SealedStage[] {
  const media = mediaOf(source, hash);
  return source.inventory.models().flatMap(({ model_key: modelKey }) => {
    const visual = source.visual.stage(modelKey, hash);
    const previews = source.visual.pictures(hash);
    if (visual === null || previews === null) return [];
    const { dimensions, frame_runs } = visual;
    return [
      {
        hash,
        modelKey,
        dimensions,
        media,
        visual: { ...visual, frames: countFrames(frame_runs) },
        previews,
        from_previews: visual.from_previews === 1,
      },
    ];
  });
}

/** Copies results that are stored in records alone. */
function takeOver(target: Store, source: Store, hash: string, isKnown: boolean): void {
  const media = mediaOf(source, hash);
  if (!isKnown) target.media.remember(media);
  const transcript = source.transcripts.transcript(hash);
  if (transcript !== null) {
    const voices = source.transcripts.voices.of(hash);
    target.transcripts.store(media, transcript.mark, transcript.segments, voices && speakerVoices(voices));
  }
  for (const { type } of resultKinds) {
    const result = source.results(type).of(hash);
    if (result !== null) (target.results(type) as Results).store(media, result);
  }
}

function mediaOf(source: Store, hash: string): MediaRecord {
  // It was listed a moment ago, and nobody else uses the folder.
  return source.media.byHash(hash)!;
}

function speakerVoices({ model, voices }: MediaVoices): SpeakerVoices {
  const d = voices[0]?.vector.length ?? 0;
  const vectors = new Float32Array(voices.length * d);
  for (const [at, { vector }] of voices.entries()) vectors.set(vector, at * d);
  return { model, speakers: voices.map(({ speaker, seconds }) => ({ speaker, seconds })), vectors };
}

/** To where a writer of the target has them before a record names them. */
function moveBundles(from: string, to: string, contents: readonly SealedStage[]): void {
  const open = openFolder(to);
  const places = contents.flatMap(({ visual, previews }) => [visual.file, previews.file]);
  try {
    makeFolder(open);
    for (const place of places) {
      // One that is missing was moved by an attempt that was cut short.
      if (place !== '' && existsSync(join(from, place)))
        renameSync(join(from, place), join(open, basename(place)));
    }
    flushFolder(open);
  } catch (error) {
    throw storeFault(error, open, 'write');
  }
}

const facesTogether = 256;

/** Copies faces of every pair of models. Known faces keep their id, new ones have that of the source. */
function takeFaces(target: Store, source: Store, hash: string): void {
  const { faces } = source.people;
  for (const { model_key } of source.inventory.faceModels()) {
    const contentFaces = faces.content(model_key, hash);
    if (contentFaces === null) continue;
    const { head, facts } = contentFaces;
    const writer = target.peopleWriter().faces;
    const stage = writer.begin(hash, model_key, head.dimensions);
    const rolls = faces.rolls();
    try {
      for (const chunk of chunksOf(contentFaces, rolls)) writer.append(stage, chunk);
      writer.commit(stage, mediaOf(source, hash), head.from_previews === 1, idsOf(facts));
    } catch (error) {
      writer.abort(stage);
      throw error;
    } finally {
      rolls.close();
    }
  }
}

/** Whole frames. */
function* chunksOf({ head, facts, places }: ContentFaces, rolls: OpenRolls): Generator<FaceChunk> {
  const { frames } = facts;
  for (let from = 0; from < frames.length; ) {
    let to = Math.min(frames.length, from + facesTogether);
    while (to < frames.length && frames[to] === frames[to - 1]) to++;
    const roll = rolls.get(places.file);
    const contentPlaces = places.places.subarray(from * placeBytes, to * placeBytes);
    const vectors = new Float32Array((to - from) * head.dimensions);
    readVectors(roll, head.dimensions, contentPlaces, frames.subarray(from, to), vectors, 0);
    const positions = Array.from({ length: to - from }, (_, i) => from + i);
    const byFrame = Map.groupBy(positions, (at) => frames[at]!);
    yield {
      frames: [...byFrame].map(([frame_index, all]) => ({
        frame_index,
        faces: all.map((at) => faceAt(facts, at)),
      })),
      vectors,
      aligned: positions.map((at) => readAligned(roll, places.places, at)),
      displays: positions.map((at) => readDisplay(roll, places.places, at)),
    };
    from = to;
  }
}

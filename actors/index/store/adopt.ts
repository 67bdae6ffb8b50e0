// Takes over what another engine of a cluster has found: stage by stage, each in the place of what was stored
// before.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { renameSync } from '../../../runtime/files/names.ts';
import type { SpeakerVoices } from '../../diarizer/contract.ts';
import { countFrames } from '../visual/frames.ts';
import type { MediaRecord } from './contract.ts';
import { flushFolder } from './disk.ts';
import { storeFault } from './faults.ts';
import { openFolder } from './names.ts';
import type { Store } from './store.ts';
import type { MediaVoices } from './voices/voice-records.ts';
import type { Found } from './writer.ts';

/**
 * `source`: a folder on the same disk, of which nothing is left to use. What is applied twice is the same as
 * once. *Flushed* on return. The errors of the store.
 */
export function adoptAll(target: Store, source: Store): void {
  source.followRoots();
  const hashes = source.media.hashes();
  const found = hashes.flatMap((hash) => visualOf(source, hash));
  if (found.length > 0) {
    moveBundles(source.folder, target.folder, found);
    target.adopt(found);
  }
  const known = new Set(found.map(({ hash }) => hash));
  for (const hash of hashes) takeOver(target, source, hash, known.has(hash));
}

/** By every model. */
function visualOf(source: Store, hash: string): Found[] {
  const media = mediaOf(source, hash);
  return source.holdings.models().flatMap(({ model_key: modelKey }) => {
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
        visual: { ...visual, frames: countFrames(frame_runs), camera: source.cameras.movementsOf(hash) },
        previews,
        from_previews: visual.from_previews === 1,
      },
    ];
  });
}

/** What is stored in records alone. */
function takeOver(target: Store, source: Store, hash: string, isKnown: boolean): void {
  const media = mediaOf(source, hash);
  if (!isKnown) target.media.remember(media);
  const transcript = source.transcripts.transcript(hash);
  if (transcript !== null) {
    const voices = source.transcripts.voices.of(hash);
    target.transcripts.store(media, transcript.mark, transcript.segments, voices && speakerVoices(voices));
  }
  const written = source.written.of(hash);
  if (written !== null) target.written.store(media, written);
  const things = source.things.of(hash);
  if (things !== null) target.things.store(media, things);
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
function moveBundles(from: string, to: string, found: readonly Found[]): void {
  const open = openFolder(to);
  const places = found.flatMap(({ visual, previews }) => [visual.file, previews.file]);
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

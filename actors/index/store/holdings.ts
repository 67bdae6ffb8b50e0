// What an analysis folder holds of each media, as a person asks for it: by which model, since when, how much.

import type { HeldMedia, HeldModel } from '../library/contract.ts';
import { countFrames } from '../visual/frames.ts';
import type { ContentPaths, ListedContent } from './content-paths.ts';
import type { Environment } from './environment.ts';
import { readable } from './faults.ts';
import { isWithin } from './footage-path.ts';
import type { FileMark, MediaRecords } from './media.ts';
import {
  decodeModelKey,
  encodeModelKey,
  faceModelPrefix,
  facesKey,
  modelPrefix,
  previewKey,
  stageKey,
  thingsKey,
  transcriptKey,
  writtenKey,
} from './names.ts';
import { readFaceModel } from './people/face-model.ts';
import { deadOf, rollsOf } from './people/face-rolls.ts';
import { readRecord } from './read-record.ts';
import { FaceModel, Faces, Model, Previews, Transcript, Visual } from './records.ts';
import type { Summaries } from './summaries/summaries.ts';
import { unseal } from './table.ts';
import { columnsOf } from './transcripts.ts';

/** Media between two looks at whether to stop. */
const stride = 64;

export class Holdings {
  readonly #reading: () => Environment | null;
  readonly #media: MediaRecords;
  readonly #paths: ContentPaths;
  readonly #summaries: Summaries;

  constructor(
    reading: () => Environment | null,
    media: MediaRecords,
    paths: ContentPaths,
    summaries: Summaries,
  ) {
    this.#reading = reading;
    this.#media = media;
    this.#paths = paths;
    this.#summaries = summaries;
  }

  /** In the order of paths; `under`: only what lies in this folder. `pause` may throw to stop. */
  list(
    { under, offset, limit }: { under: string | null; offset: number; limit: number },
    pause: () => void,
  ): { total: number; media: HeldMedia[] } {
    const all = this.#paths.all(pause);
    const found = under === null ? all : all.filter(({ path }) => isWithin(path, under));
    const models = this.#models();
    const faceModels = this.#faceModels();
    const media = found.slice(offset, offset + limit).map((one, i) => {
      if (i % stride === 0) pause();
      return this.#held(one, models, faceModels);
    });
    return { total: found.length, media };
  }

  /** Null for a file of which nothing is known as it is now. */
  files(files: readonly (FileMark & { readonly path: string })[], pause: () => void): (HeldMedia | null)[] {
    const models = this.#models();
    const faceModels = this.#faceModels();
    return files.map(({ path, ...mark }, i) => {
      if (i % stride === 0) pause();
      const hash = this.#media.known(path, mark)?.identity.hash_str;
      return hash === undefined ? null : this.#held({ path, hash, replaced: false }, models, faceModels);
    });
  }

  /** Says of a content whether anything is stored of it beside what it is. `pause` may throw to stop. */
  isAnalysed(pause: () => void): (hash: string) => boolean {
    const environment = this.#reading();
    if (environment === null) return () => false;
    const models = this.#models().map(({ model_key }) => model_key);
    const faceModels = this.#faceModels().map(({ model_key }) => encodeModelKey(model_key));
    let asked = 0;
    return (hash) => {
      if (asked++ % stride === 0) pause();
      return (
        models.some((key) => environment.has(stageKey(key, hash))) ||
        environment.has(transcriptKey(hash)) ||
        environment.has(writtenKey(hash)) ||
        environment.has(thingsKey(hash)) ||
        faceModels.some((key) => environment.has(facesKey(key, hash))) ||
        this.#summaries.countOf(hash) > 0
      );
    };
  }

  #held(
    { path, hash, replaced }: ListedContent,
    models: readonly Model[],
    faceModels: readonly FaceModel[],
  ): HeldMedia {
    const record = readable(() => this.#media.byHash(hash));
    const own = record?.path === path || replaced ? record : this.#media.byPath(path);
    const known = own ?? record;
    const unreadable: string[] = [];
    const read = <T>(what: string, look: () => T | null): T | null => {
      const found = readable(() => ({ value: look() }));
      if (found === null) unreadable.push(what);
      return found?.value ?? null;
    };
    const visual = models.flatMap(({ model_key }) => {
      const row = read(model_key, () => readRecord(this.#reading(), Visual, stageKey(model_key, hash)));
      if (row === null) return [];
      const frames = countFrames(row.frame_runs);
      return [{ model_key, frames, stored_ms: row.stored_ms || null }];
    });
    const faces = faceModels.flatMap(({ model_key }) => {
      const key = facesKey(encodeModelKey(model_key), hash);
      const row = read(model_key, () => readRecord(this.#reading(), Faces, key));
      return row === null ? [] : [{ model_key, faces: row.count, stored_ms: row.stored_ms || null }];
    });
    const previews = read('previews', () => readRecord(this.#reading(), Previews, previewKey(hash)));
    return {
      path,
      hash_str: hash,
      replaced,
      size_bytes: known?.identity.size_bytes ?? null,
      kind: known?.probe.kind ?? null,
      duration_seconds: known?.probe.duration_seconds ?? null,
      volume: known?.volume ?? null,
      visual,
      faces,
      transcript: read('transcript', () => this.#transcript(hash)),
      summaries: this.#summaries.countOf(hash),
      preview_bytes: previews?.size_bytes ?? 0,
      unreadable,
    };
  }

  #transcript(hash: string): HeldMedia['transcript'] {
    const row = readRecord(this.#reading(), Transcript, transcriptKey(hash));
    if (row === null) return null;
    const { mark, starts_ms, speakerIds } = columnsOf(row);
    const { model_key, spoken } = mark;
    return {
      model_key,
      language: spoken,
      segments: starts_ms.length,
      speakers: speakerIds.length,
      stored_ms: row.stored_ms || null,
    };
  }

  #models(): Model[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(modelPrefix), ({ key, value }) =>
      readable(() => unseal(Model, key, value, environment.file)),
    ).filter((model) => model !== null);
  }

  #faceModels(): FaceModel[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(faceModelPrefix), ({ key, value }) => {
      const modelKey = decodeModelKey(key.slice(faceModelPrefix.length));
      if (modelKey !== null) return readFaceModel(environment, modelKey);
      return readable(() => unseal(FaceModel, key, value, environment.file));
    }).filter((model) => model !== null);
  }

  faceModels(): HeldModel[] {
    const environment = this.#reading();
    return this.#faceModels().map(({ model_key, dimensions }) => {
      const all = environment === null ? [] : rollsOf(environment, encodeModelKey(model_key));
      const rolls = all.flatMap(({ roll }) => roll ?? []);
      const rows = rolls.reduce((sum, { faces }) => sum + faces, 0);
      return { model_key, dimensions, rows, dead: rolls.reduce((sum, roll) => sum + deadOf(roll), 0) };
    });
  }

  models(): HeldModel[] {
    return this.#models().map(({ model_key, dimensions, rows }) => ({
      model_key,
      dimensions,
      rows,
      dead: 0,
    }));
  }
}

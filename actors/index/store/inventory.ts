// Inventory of an analysis folder for a person: results of each media with their model, date and size.

import type { HeldMedia, HeldModel, HeldResult } from '../library/contract.ts';
import { upheaval } from './changes.ts';
import type { Environment } from './environment.ts';
import { readable } from './faults.ts';
import { isWithin } from './footage-path.ts';
import { everyKind } from './kind.ts';
import { kinds } from './kinds.ts';
import type { FileMark, MediaRecords } from './media.ts';
import { decodeModelKey, encodeModelKey, faceModelPrefix, modelPrefix } from './names.ts';
import { deadOf, rollsOf } from './people/face-rolls.ts';
import { readFaceModel } from './people/stored-faces.ts';
import { FaceModelRow, ModelUseRow } from './records.ts';
import { unseal } from './table.ts';

/** Media between two looks at whether to stop. */
const stride = 64;

type StoredResults = Pick<HeldMedia, 'results' | 'unreadable'>;

export class Inventory {
  readonly #reading: () => Environment | null;
  readonly #media: MediaRecords;
  readonly #paths: ContentPaths;

  constructor(reading: () => Environment | null, media: MediaRecords, paths: ContentPaths) {
    this.#reading = reading;
    this.#media = media;
    this.#paths = paths;
  }

  /** In the order of paths; `under`: only what lies in this folder. `pause` may throw to stop. */
  list(
    { under, offset, limit }: { under: string | null; offset: number; limit: number },
    pause: () => void,
  ): { total: number; media: HeldMedia[] } {
    const all = this.#paths.all(pause);
    const contents = under === null ? all : all.filter(({ path }) => isWithin(path, under));
    const resultsOf = this.#results();
    const media = contents.slice(offset, offset + limit).map((content, i) => {
      if (i % stride === 0) pause();
      return this.#held(content, resultsOf);
    });
    return { total: contents.length, media };
  }

  /** Null for a file of which nothing is known as it is now. */
  files(files: readonly (FileMark & { readonly path: string })[], pause: () => void): (HeldMedia | null)[] {
    const resultsOf = this.#results();
    return files.map(({ path, ...mark }, i) => {
      if (i % stride === 0) pause();
      const hash = this.#media.known(path, mark)?.identity.hash_str;
      return hash === undefined ? null : this.#held({ path, hash, replaced: false }, resultsOf);
    });
  }

  /** Says of a content whether anything is stored of it beside what it is. `pause` may throw to stop. */
  isAnalysed(pause: () => void): (hash: string) => boolean {
    const environment = this.#reading();
    if (environment === null) return () => false;
    const analyses = everyKind(environment, kinds).filter(({ kind }) => kind.isAnalysis);
    let checks = 0;
    return (hash) => {
      if (checks++ % stride === 0) pause();
      return analyses.some(({ kind, keysOf }) => {
        const [first] = keysOf(hash);
        return first !== undefined && (kind.isSeveral || environment.has(first));
      });
    };
  }

  #held({ path, hash, replaced }: ListedContent, resultsOf: (hash: string) => StoredResults): HeldMedia {
    const record = readable(() => this.#media.byHash(hash));
    const recordAtPath = record?.path === path || replaced ? record : this.#media.byPath(path);
    const knownRecord = recordAtPath ?? record;
    return {
      path,
      hash_str: hash,
      replaced,
      size_bytes: knownRecord?.identity.size_bytes ?? null,
      kind: knownRecord?.probe.kind ?? null,
      duration_seconds: knownRecord?.probe.duration_seconds ?? null,
      volume: knownRecord?.volume ?? null,
      ...resultsOf(hash),
    };
  }

  /** Says what is stored of a content, by kind and model, and what of it is damaged. */
  #results(): (hash: string) => StoredResults {
    const environment = this.#reading();
    if (environment === null) return () => ({ results: [], unreadable: [] });
    const all = everyKind(environment, kinds);
    return (hash) => {
      const results: HeldResult[] = [];
      const unreadable: string[] = [];
      for (const { kind, model, keysOf } of all) {
        const keys = keysOf(hash);
        for (const key of kind.isSeveral
          ? keys
          : keys.slice(0, 1).filter((candidate) => environment.has(candidate))) {
          const shown = readable(() => kind.show({ environment, hash, key }));
          if (shown === null) unreadable.push(model ?? kind.type);
          else results.push({ type: kind.type, model_key: model, ...shown });
        }
      }
      return { results, unreadable };
    };
  }

  #models(): ModelUseRow[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(modelPrefix), ({ key, value }) =>
      readable(() => unseal(ModelUseRow, key, value, environment.file)),
    ).filter((model) => model !== null);
  }

  #faceModels(): FaceModelRow[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries(faceModelPrefix), ({ key, value }) => {
      const modelKey = decodeModelKey(key.slice(faceModelPrefix.length));
      if (modelKey !== null) return readFaceModel(environment, modelKey);
      return readable(() => unseal(FaceModelRow, key, value, environment.file));
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

// Every path at which a content was seen. Read once, then kept in step with what is stored, whoever writes
// it.

/** Records between two looks at whether to stop. */
const pathStride = 256;

export interface ListedContent {
  readonly path: string;
  readonly hash: string;
  /** Another content was seen at the path since: what is stored of this one belongs to no file any more. */
  readonly replaced: boolean;
}

export class ContentPaths {
  readonly #media: MediaRecords;
  #position: number | null = null;
  #hashOf = new Map<string, string>();
  #pathsOf = new Map<string, Set<string>>();
  #listed: readonly ListedContent[] | null = null;

  constructor(media: MediaRecords) {
    this.#media = media;
  }

  /** For each hash its paths, ascending; none where it is not known. `pause` may throw to stop. */
  of(hashes: readonly string[], pause: () => void): string[][] {
    this.#follow(pause);
    return hashes.map((hash) => [...(this.#pathsOf.get(hash) ?? [])].sort());
  }

  /** Everything the folder knows, in the order of paths. *Borrowed until the next change*. */
  all(pause: () => void): readonly ListedContent[] {
    this.#follow(pause);
    this.#listed ??= this.#list(pause);
    return this.#listed;
  }

  /**
   * After these contents were removed, of which `of` was asked before: where nothing else changed, nothing is
   * read anew.
   */
  removed(hashes: readonly string[]): void {
    const { position } = this.#media.changes(null);
    if (this.#position === null || position !== this.#position + upheaval) return;
    for (const hash of hashes) {
      for (const path of this.#pathsOf.get(hash) ?? []) this.#hashOf.delete(path);
      this.#pathsOf.delete(hash);
    }
    this.#position = position;
    this.#listed = null;
  }

  #follow(pause: () => void): void {
    const { position, changed } = this.#media.changes(this.#position);
    if (changed === null) this.#readAll(pause);
    else for (const { path, hash } of changed) this.#set(path, hash);
    if (position !== this.#position) this.#listed = null;
    this.#position = position;
  }

  #list(pause: () => void): ListedContent[] {
    const listed = Array.from(this.#hashOf, ([path, hash]) => ({ path, hash, replaced: false }));
    const lost = this.#media.hashes().filter((hash) => (this.#pathsOf.get(hash)?.size ?? 0) === 0);
    for (const [i, hash] of lost.entries()) {
      if (i % pathStride === 0) pause();
      listed.push({ path: readable(() => this.#media.pathOf(hash)) ?? '', hash, replaced: true });
    }
    return listed.sort((a, b) => (a.path === b.path ? order(a.hash, b.hash) : order(a.path, b.path)));
  }

  #readAll(pause: () => void): void {
    this.#position = null;
    this.#hashOf = new Map();
    this.#pathsOf = new Map();
    let records = 0;
    for (const { row } of this.#media.remembered('path/')) {
      if (records++ % pathStride === 0) pause();
      if (row !== null) this.#set(row.path, row.hash_str);
    }
  }

  #set(path: string, hash: string): void {
    const before = this.#hashOf.get(path);
    if (before === hash) return;
    if (before !== undefined) this.#pathsOf.get(before)?.delete(path);
    this.#hashOf.set(path, hash);
    const paths = this.#pathsOf.get(hash);
    if (paths === undefined) this.#pathsOf.set(hash, new Set([path]));
    else paths.add(path);
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

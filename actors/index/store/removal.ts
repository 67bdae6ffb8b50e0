// Takes contents out of the records of a folder, and gives paths their new names. What is done in one
// transaction is seen whole or not at all.
import { countFrames } from '../visual/frames.ts';
import { countChange, noteUpheaval } from './changes.ts';
import type { Environment, Writes } from './environment.ts';
import { readable } from './faults.ts';
import {
  mediaKey,
  modelPrefix,
  pathKey,
  previewKey,
  speakersKey,
  thingsKey,
  transcriptKey,
  writtenChangesKey,
  writtenKey,
} from './names.ts';
import { Media, Model, Previews, Visual } from './records.ts';
import { type Fields, type Row, seal, type Table, unseal } from './table.ts';
import { removeVoices } from './voices/voice-records.ts';

export interface Removed {
  readonly hash: string;
  readonly vectors: number;
  readonly preview_bytes: number;
  readonly transcript: boolean;
}

/** A path of a content, with its new name. */
export interface PathMove {
  readonly from: string;
  readonly to: string;
  /** Of the new path; null when nothing lies there. */
  readonly volume: string | null;
}

type Read = <F extends Fields>(shape: Table<F>, key: string) => Row<F> | null;

/** Null for what is not there, and for what is damaged. */
function reader(writes: Writes, file: string): Read {
  return (shape, key) => {
    const bytes = writes.get(key);
    return bytes === undefined ? null : readable(() => unseal(shape, key, bytes, file));
  };
}

/** `contents`: all paths of each hash. Answers what went. */
export function removeContents(
  writes: Writes,
  { file }: Environment,
  modelKeys: readonly string[],
  contents: ReadonlyMap<string, readonly string[]>,
): Removed[] {
  const read = reader(writes, file);
  const freed = new Map<string, number>();
  const removed = [...contents].map(([hash, paths]): Removed => {
    let vectors = 0;
    for (const encoded of modelKeys) {
      const key = `visual/${encoded}/${hash}`;
      const visual = read(Visual, key);
      writes.remove(key);
      if (visual === null) continue;
      const rows = countFrames(visual.frame_runs);
      if (visual.dimensions === read(Model, modelPrefix + encoded)?.dimensions)
        freed.set(encoded, (freed.get(encoded) ?? 0) + rows);
      vectors += rows;
    }
    const preview_bytes = read(Previews, previewKey(hash))?.size_bytes ?? 0;
    const transcript = writes.get(transcriptKey(hash)) !== undefined;
    removeVoices(writes, hash, file);
    for (const keyOf of [previewKey, transcriptKey, speakersKey, thingsKey, writtenKey, mediaKey])
      writes.remove(keyOf(hash));
    for (const path of paths) {
      // Another content may have been seen there meanwhile.
      const row = read(Media, pathKey(path));
      if (row === null || row.hash_str === hash) writes.remove(pathKey(path));
    }
    return { hash, vectors, preview_bytes, transcript };
  });
  for (const [encoded, rows] of freed) {
    const key = modelPrefix + encoded;
    const model = read(Model, key);
    if (model !== null) writes.put(key, seal(Model, key, { ...model, rows: Math.max(0, model.rows - rows) }));
  }
  countChange(writes, writtenChangesKey, file);
  noteUpheaval(writes, file);
  return removed;
}

/** Answers the paths that stayed, because another content is known at their new name. */
export function movePaths(writes: Writes, { file }: Environment, moves: readonly PathMove[]): string[] {
  const read = reader(writes, file);
  const stayed: string[] = [];
  for (const { from, to, volume } of moves) {
    if (from === to) continue;
    const row = read(Media, pathKey(from));
    // Moved by somebody else, or damaged: then the next look at the file writes it anew.
    if (row === null) continue;
    const there = read(Media, pathKey(to));
    if (there !== null && there.hash_str !== row.hash_str) {
      stayed.push(from);
      continue;
    }
    const moved: Media = { ...row, path: to, volume: volume ?? '' };
    // What is known at the new name already is newer: it was read there.
    if (there === null) writes.put(pathKey(to), seal(Media, pathKey(to), moved));
    writes.remove(pathKey(from));
    const key = mediaKey(row.hash_str);
    const content = read(Media, key);
    if (content === null || content.path === from) writes.put(key, seal(Media, key, there ?? moved));
  }
  noteUpheaval(writes, file);
  return stayed;
}

// Joins an imported library with what an analysis folder holds already. Contents that are there stay as they
// are: the imported one forgets them first. So the two have nothing in common but what is of no content, and
// one transaction brings over the rest.
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flushFolder } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { countChange, noteUpheaval } from '../../index/store/changes.ts';
import { Environment, type Writes } from '../../index/store/environment.ts';
import { readable } from '../../index/store/faults.ts';
import {
  clusteringPrefix,
  databaseFile,
  faceChangesKey,
  faceModelPrefix,
  formatKey,
  goneKey,
  leaseKey,
  mediaKey,
  modelPrefix,
  pathKey,
  voiceUndoKey,
  writtenChangesKey,
} from '../../index/store/names.ts';
import { OpenWork } from '../../index/store/open-work.ts';
import { PathMap } from '../../index/store/path-map.ts';
import { checkFormat, FaceModel, Media, Model, Visual } from '../../index/store/records.ts';
import {
  noteRoots,
  prefixesIn,
  type RootRecord,
  RootsFile,
  recordedRoots,
} from '../../index/store/roots-file.ts';
import { Store } from '../../index/store/store.ts';
import { summaryChangesKey } from '../../index/store/summaries/rows.ts';
import { readRecord, seal, unseal } from '../../index/store/table.ts';
import { type Merged, type Transfer, transferErrors } from './contract.ts';
import { bundleFolders, failed } from './copy.ts';

/** Records of the folder itself, which the other one has too. */
const own = [formatKey, leaseKey, voiceUndoKey, 'changes', 'change/', 'gone/', 'summary-open/'];
const counts = [faceChangesKey, writtenChangesKey, summaryChangesKey];

/**
 * `from`: an analysis folder on the same disk, of which nothing is left to use. LIBRARY_CHANGES, and the
 * errors of the store.
 */
export async function mergeLibrary(
  from: string,
  { cacheDir, roots }: Pick<Transfer, 'cacheDir' | 'roots'>,
): Promise<Merged> {
  const { all } = new RootsFile(roots).read();
  const target = checkFormat(Environment.open(databaseFile(cacheDir), 'write'), cacheDir);
  try {
    const known = await forget(from, target);
    const source = Environment.open(databaseFile(from), 'read');
    try {
      moveBundles(from, cacheDir);
      const work = new OpenWork(target, {}, { taken: () => {}, released: () => {} });
      const brought = work.exclusively(() => target.transact((writes) => bring(writes, source, target, all)));
      return { ...brought, ...known };
    } finally {
      await source.close();
    }
  } finally {
    await target.close();
  }
}

/** Contents of one transaction. */
const TOGETHER = 64;

/** Of the folder whatever the target knows by its hash, perhaps another content of that hash. */
async function forget(folder: string, target: Environment): Promise<Pick<Merged, 'known' | 'different'>> {
  const store = new Store(folder);
  try {
    const both = store.media.hashes().filter((hash) => target.has(mediaKey(hash)));
    const different = both.flatMap((hash) => {
      const [here, there] = [
        store.media.content(hash),
        readable(() => readRecord(target, Media, mediaKey(hash))),
      ];
      const digest = here?.identity.content_digest ?? '';
      const isOther = digest !== '' && there !== null && !['', digest].includes(there.content_digest);
      return isOther ? [here!.path] : [];
    });
    for (let at = 0; at < both.length; at += TOGETHER) store.remove(both.slice(at, at + TOGETHER), () => {});
    return { known: both.length, different };
  } finally {
    await store.close();
  }
}

function moveBundles(from: string, to: string): void {
  for (const within of bundleFolders.filter((name) => existsSync(join(from, name)))) {
    for (const entry of readdirSync(join(from, within), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const source = join(entry.parentPath, entry.name);
      const place = join(to, source.slice(from.length + 1));
      try {
        makeFolder(dirname(place));
        renameSync(source, place);
        flushFolder(dirname(place));
      } catch (error) {
        throw failed(place, 'written', error);
      }
    }
  }
}

function bring(
  writes: Writes,
  source: Environment,
  target: Environment,
  roots: readonly RootRecord[],
): Pick<Merged, 'imported' | 'clusterings'> {
  const { file } = target;
  const left = [...own, ...counts, ...unequal(writes, source, file)];
  const clusterings = takenClusterings(writes, source);
  noteRoots(writes, target, roots);
  const there = recordedRoots(target);
  const move = pathsBetween(recordedRoots(source), new Map([...there, ...prefixesIn(roots, there)]));
  let imported = 0;
  for (const { key, value } of source.all()) {
    if (left.some((one) => (one.endsWith('/') ? key.startsWith(one) : key === one))) {
      const place = placeIn(key, value, source.file);
      if (place !== '') writes.put(goneKey(place), new Uint8Array(1));
      continue;
    }
    if (clusterings.some((name) => key === `people/${name}` || key === `people-state/${name}`)) continue;
    if (key.startsWith('media/') || key.startsWith('path/')) {
      const row = readable(() => unseal(Media, key, value, source.file));
      if (row === null) continue;
      const moved = move(row);
      const at = key.startsWith('media/') ? key : pathKey(moved.path);
      const isFree = writes.get(at) === undefined;
      if (at.startsWith('media/') && !isFree) {
        const what = 'Media were analysed there meanwhile; import the library again';
        throw transferErrors.LIBRARY_CHANGES(what);
      }
      if (isFree) writes.put(at, seal(Media, at, moved));
      if (at.startsWith('media/')) imported++;
    } else if (key.startsWith(modelPrefix))
      addRows(writes, key, unseal(Model, key, value, source.file), file);
    else if (writes.get(key) === undefined) writes.put(key, value);
  }
  for (const key of counts) countChange(writes, key, file);
  noteUpheaval(writes, file);
  return { imported, clusterings: clusterings.map(decodeURIComponent) };
}

/** Of the bundle that a record names. */
function placeIn(key: string, value: Uint8Array, file: string): string {
  if (key.startsWith('face-roll/')) return `people/f-${key.slice('face-roll/'.length)}.faces`;
  if (!key.startsWith('visual/')) return '';
  return readable(() => unseal(Visual, key, value, file))?.file ?? '';
}

/** What models of the same key made that had another number of dimensions then: prefixes of keys. */
function unequal(writes: Writes, source: Environment, file: string): string[] {
  const differ = <T extends typeof Model | typeof FaceModel>(shape: T, prefix: string) =>
    [...source.entries(prefix)].flatMap(({ key, value }) => {
      const there = writes.get(key);
      if (there === undefined) return [];
      const [a, b] = [unseal(shape, key, value, source.file), unseal(shape, key, there, file)];
      return a.dimensions === b.dimensions ? [] : [key.slice(prefix.length)];
    });
  const visual = differ(Model, modelPrefix).flatMap((model) => [`visual/${model}/`, modelPrefix + model]);
  const faces = differ(FaceModel, faceModelPrefix).flatMap((model) =>
    ['faces', 'face-facts', 'face-places', 'face-roll', 'face-in'].map((kind) => `${kind}/${model}/`),
  );
  return [...visual, ...faces];
}

function takenClusterings(writes: Writes, source: Environment): string[] {
  const names = source.keys(clusteringPrefix).map((key) => key.slice(clusteringPrefix.length));
  return names.filter((name) => writes.get(clusteringPrefix + name) !== undefined);
}

function addRows(writes: Writes, key: string, row: Model, file: string): void {
  const there = writes.get(key);
  const before = there === undefined ? null : unseal(Model, key, there, file);
  const made_ms = before === null ? row.made_ms : Math.min(row.made_ms, before.made_ms);
  writes.put(key, seal(Model, key, { ...row, rows: row.rows + (before?.rows ?? 0), made_ms }));
}

/** As a row is stored where the roots have other prefixes. */
function pathsBetween(
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): (row: Media) => Media {
  const roots = [...from].map(([name, prefix]) => {
    return { name, prefix, folder: to.get(name) ?? prefix, volume: null };
  });
  const map = new PathMap(roots);
  return (row) => {
    const root = map.rootOfStored(row.path);
    if (root === null || root.prefix === root.folder) return row;
    return { ...row, path: map.shown(row.path), root_folder: row.root_folder || root.prefix };
  };
}

// Joins an imported library with what an analysis folder holds already. Contents that are there stay as they
// are: the imported one forgets them first. What is left in common is of no content alone, such as people and
// counts, and one transaction brings over the rest.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flushFolder } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { renameSync } from '../../../runtime/files/names.ts';
import { countChange, noteUpheaval } from '../../index/store/changes.ts';
import { Environment, type Transaction } from '../../index/store/environment.ts';
import { readable } from '../../index/store/faults.ts';
import { kinds } from '../../index/store/kinds.ts';
import { folderOf } from '../../index/store/media.ts';
import {
  clusteringPrefix,
  databaseFile,
  formatKey,
  leaseKey,
  modelPrefix,
  pathKey,
  replicaKey,
  voiceUndoKey,
} from '../../index/store/names.ts';
import { OpenWork } from '../../index/store/open-work.ts';
import { PathMap } from '../../index/store/path-map.ts';
import { checkFormat, FaceRollRow, MediaRow, ModelUseRow } from '../../index/store/records.ts';
import {
  noteRoots,
  prefixesIn,
  type RootRecord,
  RootsFile,
  recordedRoots,
} from '../../index/store/roots-file.ts';
import { Store } from '../../index/store/store.ts';
import { seal, unseal } from '../../index/store/table.ts';
import { personIn, putPerson } from '../../index/store/voices/voice-records.ts';
import { type LibraryTransfer, type Merged, transferErrors } from './contract.ts';
import { failed } from './copy.ts';
import { placesNamed } from './export.ts';

/** Records of the folder itself, which the other one has too. */
const ownKeys = [formatKey, leaseKey, replicaKey, voiceUndoKey, 'changes', 'change/', 'gone/'];
const counts = kinds.flatMap(({ changesKey }) => changesKey ?? []);
const rolls = 'face-roll/';
const people = 'voice-person/';

/**
 * `from`: an analysis folder on the same disk, of which nothing is left to use. LIBRARY_CHANGES, and the
 * errors of the store.
 */
export async function mergeLibrary(
  from: string,
  { cacheDir, roots }: Pick<LibraryTransfer, 'cacheDir' | 'roots'>,
): Promise<Merged> {
  const { all } = new RootsFile(roots).read();
  const target = checkFormat(Environment.open(databaseFile(cacheDir), 'write'), cacheDir);
  const there = new Store(cacheDir);
  try {
    const knownHashes = await forget(from, target, there);
    const source = Environment.open(databaseFile(from), 'read');
    try {
      const work = new OpenWork(target, {}, { taken: () => {}, released: () => {} });
      // From the first bundle on: a writer of the target removes what no record names.
      return work.exclusively(() => {
        target.refresh();
        expectApart(source, target, there);
        const duplicateKeys = source.keys(clusteringPrefix).filter((key) => target.has(key));
        const clusterings = duplicateKeys.map((key) => key.slice(clusteringPrefix.length));
        const isLeftOut = leftOut(source, target, clusterings);
        moveBundles(from, cacheDir, source, isLeftOut);
        const imported = target.transact((writes) => {
          work.confirmIn(writes);
          return bring(writes, { source, target, isLeftOut, roots: all });
        });
        return { ...knownHashes, imported, clusterings: clusterings.map(decodeURIComponent) };
      });
    } finally {
      await source.close();
    }
  } finally {
    await there.close();
    await target.close();
  }
}

/** Contents of one transaction. */
const TOGETHER = 64;

/**
 * Removes from the folder all media that the target has analysed, and other contents that share a hash with
 * them.
 */
async function forget(
  folder: string,
  target: Environment,
  there: Store,
): Promise<Pick<Merged, 'known' | 'different'>> {
  await eraseKnownRolls(folder, target);
  const store = new Store(folder);
  try {
    const isAnalysed = there.inventory.isAnalysed(() => {});
    const different: string[] = [];
    const both = store.media.hashes().filter((hash) => {
      const here = store.media.content(hash);
      const [digest = '', otherDigest = ''] = [here, readable(() => there.media.byHash(hash))].map(
        (record) => record?.identity.content_digest,
      );
      const isOther = digest !== '' && otherDigest !== '' && digest !== otherDigest;
      if (isOther) different.push(here!.path);
      return isOther || isAnalysed(hash);
    });
    for (let at = 0; at < both.length; at += TOGETHER) store.remove(both.slice(at, at + TOGETHER), () => {});
    // Pending removals are completed here; in the target they could hit trees of the same name that are in
    // use.
    while (!store.summaryWriter().sweep());
    for (const { model_key } of store.inventory.faceModels()) while (!store.compactFaces(model_key));
    return { known: both.length, different };
  } finally {
    await store.close();
  }
}

/**
 * A roll of faces grows. One that the target has too, from an earlier import, may hold other faces there by
 * now: what is left of it has to move to another roll.
 */
async function eraseKnownRolls(folder: string, target: Environment): Promise<void> {
  const source = Environment.open(databaseFile(folder), 'write');
  try {
    const common = [...source.entries(rolls)].filter(({ key }) => target.has(key));
    source.transact((writes) => {
      for (const { key, value } of common) {
        // A damaged record is as good as one that says so.
        const roll = readable(() => unseal(FaceRollRow, key, value, source.file));
        if (roll !== null) writes.put(key, seal(FaceRollRow, key, { ...roll, erased: 1 }));
      }
    });
  } finally {
    await source.close();
  }
}

/** True if the record with this key is not imported. */
type LeftOut = (key: string) => boolean;

/** LIBRARY_CHANGES when both have an analysis of one content by now, or faces in one roll. */
function expectApart(source: Environment, target: Environment, there: Store): void {
  const isAnalysed = there.inventory.isAnalysed(() => {});
  const isShared =
    source.keys(rolls).some((key) => target.has(key)) ||
    source.keys('media/').some((key) => isAnalysed(key.slice('media/'.length)));
  if (!isShared) return;
  throw transferErrors.LIBRARY_CHANGES(`${there.folder} has changed meanwhile: import the library again`);
}

/** `clusterings`: encoded names of those that both have. */
function leftOut(source: Environment, target: Environment, clusterings: readonly string[]): LeftOut {
  const names = clusterings.flatMap((name) => [`people/${name}`, `people-state/${name}`]);
  const excluded = [...ownKeys, ...counts, ...unequal(source, target), ...names];
  const [prefixes, keys] = [excluded.filter((prefix) => prefix.endsWith('/')), new Set(excluded)];
  return (key) => keys.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}

function moveBundles(from: string, to: string, records: Environment, isLeftOut: LeftOut): void {
  const folders = new Set<string>();
  for (const { key, place } of placesNamed(records)) {
    // One that is missing was so in the exported library, or was moved by an import that was cut short.
    if (isLeftOut(key) || !existsSync(join(from, place))) continue;
    const target = join(to, place);
    try {
      makeFolder(dirname(target));
      renameSync(join(from, place), target);
    } catch (error) {
      throw failed(target, 'written', error);
    }
    folders.add(dirname(target));
  }
  for (const folder of folders) flushFolder(folder);
}

interface Bringing {
  readonly source: Environment;
  readonly target: Environment;
  readonly isLeftOut: LeftOut;
  readonly roots: readonly RootRecord[];
}

/** Answers how many media came. */
function bring(writes: Transaction, { source, target, isLeftOut, roots }: Bringing): number {
  const { file } = target;
  noteRoots(writes, target, roots);
  const there = recordedRoots(target);
  const move = pathsBetween(recordedRoots(source), new Map([...there, ...prefixesIn(roots, there)]));
  let imported = 0;
  for (const { key, value } of source.all()) {
    if (isLeftOut(key)) continue;
    if (key.startsWith('media/') || key.startsWith('path/')) {
      const row = readable(() => unseal(MediaRow, key, value, source.file));
      if (row === null) continue;
      const moved = move(row);
      const isContent = key.startsWith('media/');
      const at = isContent ? key : pathKey(moved.path);
      // Where the file was seen there is what counts there.
      if (writes.get(at) === undefined) writes.put(at, seal(MediaRow, at, moved));
      if (isContent) imported++;
    } else if (key.startsWith(modelPrefix))
      addRows(writes, key, unseal(ModelUseRow, key, value, source.file), file);
    else if (key.startsWith(people)) addPerson(writes, key.slice(people.length), source, file);
    else if (writes.get(key) === undefined) writes.put(key, value);
  }
  for (const key of counts) countChange(writes, key, file);
  noteUpheaval(writes, file);
  return imported;
}

/** Prefixes of keys whose models have other dimensions in the target under the same model key. */
function unequal(source: Environment, target: Environment): string[] {
  return kinds.flatMap(({ models, records }) => {
    if (models === undefined) return [];
    const { prefix, table, shared = [] } = models;
    return [...source.entries(prefix)].flatMap(({ key, value }) => {
      const there = target.get(key);
      if (there === undefined) return [];
      const [a, b] = [unseal(table, key, value, source.file), unseal(table, key, there, target.file)];
      const model = key.slice(prefix.length);
      if (a.dimensions === b.dimensions) return [];
      return [key, ...[...records, ...shared].map((record) => `${record}${model}/`)];
    });
  });
}

/** Somebody who is in media of both, since an earlier import. */
function addPerson(writes: Transaction, id: string, source: Environment, file: string): void {
  const [here, there] = [personIn(source, id, source.file), personIn(writes, id, file)];
  const hashes = [...there.hashes, ...here.hashes];
  putPerson(writes, id, { hashes, apart: [...there.apart, ...here.apart] });
}

function addRows(writes: Transaction, key: string, row: ModelUseRow, file: string): void {
  const there = writes.get(key);
  const before = there === undefined ? null : unseal(ModelUseRow, key, there, file);
  const made_ms = before === null ? row.made_ms : Math.min(row.made_ms, before.made_ms);
  writes.put(key, seal(ModelUseRow, key, { ...row, rows: row.rows + (before?.rows ?? 0), made_ms }));
}

/** Rewrites a stored row for roots with other prefixes. */
function pathsBetween(
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): (row: MediaRow) => MediaRow {
  const roots = [...from].map(([name, prefix]) => {
    return { name, prefix, folder: to.get(name) ?? prefix, volume: null };
  });
  const map = new PathMap(roots);
  return (row) => {
    const root = map.rootOfStored(row.path);
    if (root === null || root.prefix === root.folder) return row;
    return { ...row, path: map.shown(row.path), root_folder: folderOf(root, row) };
  };
}

// Copies an analysis folder to a folder that can be carried elsewhere. The manifest comes last: without it
// nothing there counts, and the same export goes on with the files that are whole.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf } from '../../../runtime/errors.ts';
import { flushFolder, replaceFile } from '../../../runtime/files/atomic-write.ts';
import { realFolder } from '../../../runtime/files/folder.ts';
import { rename, rm } from '../../../runtime/files/names.ts';
import { Environment } from '../../index/store/environment.ts';
import { readable } from '../../index/store/faults.ts';
import { isWithin } from '../../index/store/footage-path.ts';
import { naming } from '../../index/store/kind.ts';
import { kinds } from '../../index/store/kinds.ts';
import {
  bundleFolders,
  clusteringPrefix,
  databaseFile,
  leaseKey,
  openFolder,
} from '../../index/store/names.ts';
import { ClusteringRow, checkFormat, formatVersion } from '../../index/store/records.ts';
import { noteRoots, RootsFile, recordedRoots } from '../../index/store/roots-file.ts';
import { type LibraryTransfer, type Manifest, manifestFile, transferErrors } from './contract.ts';
import { alone, type Copied, checksumOf, claimFile, copyFile, failed, partEnd, sizeOf } from './copy.ts';

/** Name of the manifest until the export is complete. */
const unfinished = `${manifestFile}${partEnd}`;
/** How often the records are taken again because bundles that they name were replaced meanwhile. */
const ATTEMPTS = 5;

/** NO_LIBRARY, FOLDER_TAKEN, LIBRARY_CHANGES, TRANSFER_FAILED, and the errors of the store. */
export async function exportLibrary(transfer: LibraryTransfer): Promise<Manifest> {
  const { cacheDir, folder } = transfer;
  if (!Environment.exists(databaseFile(cacheDir))) {
    throw transferErrors.NO_LIBRARY(`${cacheDir} holds no analysis`, { path: cacheDir });
  }
  await expectPlace(transfer);
  return alone(folder, () => exported(transfer));
}

async function exported(transfer: LibraryTransfer): Promise<Manifest> {
  const { cacheDir, folder } = transfer;
  await withdraw(folder);
  let lost = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const { roots, places } = await takeRecords(transfer);
    const { files, missing } = await copyBundles(transfer, places);
    // A bundle that is missing twice was not replaced in between.
    const isSame = missing.length === lost.size && missing.every((place) => lost.has(place));
    if (isSame) return finish(transfer, { version: 1, format: formatVersion, roots, missing, files });
    if (attempt === ATTEMPTS) {
      throw transferErrors.LIBRARY_CHANGES(
        `${cacheDir} changes faster than it can be copied to ${folder}: export it again when no task is running`,
        { path: cacheDir },
      );
    }
    lost = new Set(missing);
  }
}

/** FOLDER_TAKEN for one in which something else lies. */
async function expectPlace({ cacheDir, folder, home }: LibraryTransfer): Promise<void> {
  const folderTaken = (what: string) => transferErrors.FOLDER_TAKEN(`${folder} ${what}`, { path: folder });
  const real = realFolder(folder);
  const within = [cacheDir, home].map(realFolder).find((ownFolder) => isWithin(real, ownFolder));
  if (within !== undefined) throw folderTaken(`is in ${within}: choose a folder outside it`);
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (codeOf(error) === 'ENOENT') return [];
    throw failed(folder, 'read', error);
  });
  if (names.includes(manifestFile) || names.includes(unfinished)) return;
  if (names.some((name) => !name.startsWith(claimFile)))
    throw folderTaken('holds other files: choose an empty folder');
}

/** From now on nothing there counts as an exported library. */
async function withdraw(folder: string): Promise<void> {
  const [whole, part] = [join(folder, manifestFile), join(folder, unfinished)];
  try {
    if (existsSync(whole)) {
      await rename(whole, part);
      flushFolder(folder);
    } else replaceFile(part, '{}\n', { flush: true });
  } catch (error) {
    throw failed(folder, 'written', error);
  }
}

/** A copy of the records as they are at one moment, in which every root that is known here has its place. */
async function takeRecords({ cacheDir, folder, roots: file }: LibraryTransfer) {
  const copy = `${databaseFile(folder)}${partEnd}`;
  await removeRecords(copy);
  const source = checkFormat(Environment.open(databaseFile(cacheDir), 'read'), cacheDir);
  try {
    await source.copyTo(copy);
  } finally {
    await source.close();
  }
  const environment = Environment.open(copy, 'write');
  try {
    const { all } = new RootsFile(file).read();
    environment.transact((writes) => {
      writes.remove(leaseKey);
      noteRoots(writes, environment, all);
    });
    environment.refresh();
    const recorded = [...recordedRoots(environment)];
    const roots = recorded.map(([name, stored_as]) => ({ name, stored_as }));
    return { roots, places: placesNamed(environment) };
  } finally {
    await environment.close();
  }
}

async function copyBundles(
  transfer: LibraryTransfer,
  places: readonly { readonly place: string; readonly bytes: number }[],
): Promise<{ files: Manifest['files']; missing: string[] }> {
  const { cacheDir, folder, signal } = transfer;
  const total = places.reduce((sum, { bytes }) => sum + bytes, 0);
  const files: Manifest['files'] = [];
  const missing: string[] = [];
  let done = 0;
  const read = (bytes: number) => {
    done += bytes;
    transfer.progress(done, Math.max(done, total));
  };
  for (const { place } of places) {
    signal.throwIfAborted();
    const source = await sourceOf(cacheDir, place);
    if (source === null) missing.push(place);
    else files.push({ path: place, ...(await copied(source, join(folder, place), signal, read)) });
  }
  return { files, missing };
}

/** A bundle that has not moved to its place yet is where it was written. */
async function sourceOf(
  cacheDir: string,
  place: string,
): Promise<{ readonly path: string; readonly bytes: number } | null> {
  // It may move in between.
  const first = join(cacheDir, place);
  for (const path of [first, join(openFolder(cacheDir), basename(place)), first]) {
    const bytes = await sizeOf(path);
    if (bytes !== null) return { path, bytes };
  }
  return null;
}

/** A copy of an earlier export may be damaged by now, so it counts only if it has the same content. */
async function copied(
  source: { readonly path: string; readonly bytes: number },
  to: string,
  signal: AbortSignal,
  read: (bytes: number) => void,
): Promise<Copied> {
  if ((await sizeOf(to)) === source.bytes) {
    const [sourceSum, there] = [
      await checksumOf(source.path, signal, () => {}),
      await checksumOf(to, signal, read),
    ];
    if (sourceSum.sha256 === there.sha256) return there;
  }
  return copyFile(source.path, to, signal, { read });
}

async function finish(transfer: LibraryTransfer, manifest: Manifest): Promise<Manifest> {
  const { folder, signal } = transfer;
  const records = databaseFile(folder);
  await keepListed(folder, manifest.files);
  const sum = await checksumOf(`${records}${partEnd}`, signal, () => {});
  const files = [...manifest.files, { path: basename(records), ...sum }];
  const whole = { ...manifest, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  try {
    await rm(`${records}${partEnd}-lock`, { force: true });
    await rename(`${records}${partEnd}`, records);
    flushFolder(folder);
    replaceFile(join(folder, manifestFile), `${JSON.stringify(whole, null, 1)}\n`, { flush: true });
    await rm(join(folder, unfinished), { force: true });
  } catch (error) {
    throw failed(folder, 'written', error);
  }
  return whole;
}

async function removeRecords(copy: string): Promise<void> {
  for (const file of [copy, `${copy}-lock`, `${copy}-spare`]) await rm(file, { force: true });
}

/** Removes other bundles, as of an earlier export to the same folder. */
export async function keepListed(folder: string, files: Manifest['files']): Promise<void> {
  const exportedPaths = new Set(files.map(({ path }) => path));
  for (const within of bundleFolders) await removeOthers(folder, within, exportedPaths);
}

async function removeOthers(
  folder: string,
  within: string,
  exportedPaths: ReadonlySet<string>,
): Promise<void> {
  if (!existsSync(join(folder, within))) return;
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    const path = `${within}/${entry.name}`;
    if (entry.isDirectory()) await removeOthers(folder, path, exportedPaths);
    else if (!exportedPaths.has(path)) {
      await rm(join(folder, path), { force: true }).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw failed(join(folder, path), 'written', error);
      });
    }
  }
}

interface NamedPlace {
  /** Key of the record that names it. */
  readonly key: string;
  /** From the folder on. */
  readonly place: string;
  /** At least; 0 where nobody knows. */
  readonly bytes: number;
}

/**
 * Every bundle that the records name, ascending. What a damaged record names is left out: it counts as not
 * analysed.
 */
export function placesNamed(environment: Environment): NamedPlace[] {
  const { file } = environment;
  const places = [...kinds.flatMap(({ bundles }) => bundles ?? []), clusterings].flatMap(
    ({ prefix, placeOf }) =>
      Array.from(environment.entries(prefix), ({ key, value }) => {
        const named = readable(() => placeOf({ key, value, file }));
        return named && { key, ...named };
      }),
  );
  const named = places.filter((entry) => entry !== null && entry.place !== '') as NamedPlace[];
  return named.sort((a, b) => (a.place < b.place ? -1 : 1));
}

/** They are of no content alone. */
const clusterings = naming(ClusteringRow, clusteringPrefix, ({ file }) => ({
  place: `people/${file}`,
  bytes: 0,
}));

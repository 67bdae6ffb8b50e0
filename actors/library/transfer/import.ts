// Makes an analysis folder of an exported library, or joins it with one. The records come last: without
// them there is no analysis, and the same import goes on with the files that are whole.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { Check } from 'typebox/value';
import { codeOf } from '../../../runtime/errors.ts';
import { flushFolder, takeName } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { rm } from '../../../runtime/files/names.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { Environment } from '../../index/store/environment.ts';
import { databaseFile, replicaKey } from '../../index/store/names.ts';
import { formatVersion } from '../../index/store/records.ts';
import {
  type LibraryTransfer,
  Manifest,
  type Merged,
  manifestFile,
  type Transferred,
  transferErrors,
} from './contract.ts';
import { alone, type Copied, checksumOf, copyFile, failed, partEnd, sizeOf } from './copy.ts';
import { keepListed } from './export.ts';
import { mergeLibrary } from './merge.ts';

type Listed = Manifest['files'][number];

/** Files that an error names. */
const NAMED = 5;

/**
 * NO_LIBRARY, INCOMPLETE, FOLDER_TAKEN, LIBRARY_DAMAGED naming the files, TRANSFER_FAILED, STORE_TOO_NEW,
 * STORE_TOO_OLD.
 */
export async function importLibrary(transfer: LibraryTransfer): Promise<Transferred> {
  const { cacheDir, folder } = transfer;
  const manifest = await manifestOf(folder);
  return alone(cacheDir, async () => ({ manifest, merged: await imported(transfer, manifest) }));
}

/**
 * Makes a new analysis folder of an exported library, where none is; of bundles that lie there those that it
 * has too are kept. Errors as `importLibrary`.
 */
export async function takeLibrary(transfer: LibraryTransfer): Promise<Manifest> {
  const manifest = await manifestOf(transfer.folder);
  await take(transfer, manifest);
  await keepListed(transfer.cacheDir, manifest.files);
  return manifest;
}

/**
 * The same, but the new folder follows no cluster, though the exported one may have. Errors as
 * `importLibrary`.
 */
export async function takeOwnLibrary(transfer: LibraryTransfer): Promise<Manifest> {
  const manifest = await manifestOf(transfer.folder);
  await takeOwn(transfer, manifest);
  return manifest;
}

async function takeOwn(transfer: LibraryTransfer, manifest: Manifest): Promise<void> {
  await take(transfer, manifest);
  const records = Environment.open(databaseFile(transfer.cacheDir), 'write');
  try {
    if (records.has(replicaKey)) records.transact((writes) => writes.remove(replicaKey));
  } finally {
    await records.close();
  }
}

/** FOLLOWS_CLUSTER: what came to this machine alone would be in no other replica. */
async function expectOwn(cacheDir: string): Promise<void> {
  const records = Environment.open(databaseFile(cacheDir), 'read');
  try {
    if (!records.has(replicaKey)) return;
  } finally {
    await records.close();
  }
  const what = `${cacheDir} follows the library of a cluster: to import for all of its machines, set FRAMEHOUND_CLUSTER and FRAMEHOUND_CLUSTER_FOLDER as for its service`;
  throw storeErrors.FOLLOWS_CLUSTER(what, { folder: cacheDir });
}

/** Null where nothing was there before. */
async function imported(transfer: LibraryTransfer, manifest: Manifest): Promise<Merged | null> {
  const { cacheDir } = transfer;
  if (!existsSync(databaseFile(cacheDir))) {
    await takeOwn(transfer, manifest);
    return null;
  }
  await expectOwn(cacheDir);
  const digest = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
  const beside = join(cacheDir, `${besidePrefix}${digest.slice(0, 16)}`);
  await removeOthers(cacheDir, basename(beside));
  if (!existsSync(databaseFile(beside))) await takeOwn({ ...transfer, cacheDir: beside }, manifest);
  const merged = await mergeLibrary(beside, transfer);
  await rm(beside, { recursive: true, force: true });
  return merged;
}

/** Prefix of libraries that are being merged into a folder. */
const besidePrefix = 'import-';

/** Removes remains of abandoned imports. */
async function removeOthers(cacheDir: string, ownName: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (name.startsWith(besidePrefix) && name !== ownName)
      await rm(join(cacheDir, name), { recursive: true, force: true });
  }
}

/** Makes a new analysis folder of it. */
async function take(transfer: LibraryTransfer, manifest: Manifest): Promise<void> {
  const { cacheDir, folder, signal } = transfer;
  const records = databaseFile(cacheDir);
  const name = basename(records);
  const listed = manifest.files.find(({ path }) => path === name);
  if (listed === undefined) throw damaged(`${join(folder, manifestFile)} names no ${name}`, [name]);
  try {
    makeFolder(cacheDir);
  } catch (error) {
    throw failed(cacheDir, 'written', error);
  }
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const read = (bytes: number) => {
    done += bytes;
    transfer.progress(done, total);
  };
  await expectRoom(transfer, manifest.files);
  const bad: string[] = [];
  for (const file of manifest.files) {
    signal.throwIfAborted();
    const to = join(cacheDir, file === listed ? `${name}${importEnd}` : file.path);
    if (!(await taken(join(folder, file.path), to, file, { signal, read }))) bad.push(file.path);
  }
  if (bad.length > 0) {
    const named = bad.slice(0, NAMED).join(', ');
    const more = bad.length > NAMED ? ` and ${bad.length - NAMED} more` : '';
    throw damaged(
      `In ${folder} these files are missing or damaged: ${named}${more}. Export the library there again; nothing was imported`,
      bad,
    );
  }
  await publish(`${records}${importEnd}`, records);
}

const importEnd = '.import';

async function publish(from: string, records: string): Promise<void> {
  try {
    // Somebody else may have begun an analysis there meanwhile.
    if (!takeName(from, records)) throw beganMeanwhile(dirname(records));
    await rm(from, { force: true });
    flushFolder(dirname(records));
  } catch (error) {
    throw transferErrors.FOLDER_TAKEN.is(error) ? error : failed(records, 'written', error);
  }
}

function beganMeanwhile(folder: string): Error {
  return transferErrors.FOLDER_TAKEN(`An analysis began in ${folder} meanwhile: import the library again`, {
    path: folder,
  });
}

async function manifestOf(folder: string): Promise<Manifest> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw failed(path, 'read', error);
    return null;
  });
  if (text === null) {
    if (!existsSync(`${path}${partEnd}`))
      throw transferErrors.NO_LIBRARY(`${folder} holds no exported library`, { path: folder });
    throw transferErrors.INCOMPLETE(
      `The export to ${folder} has not ended: run framehound library export again, with the same folder`,
      { path: folder },
    );
  }
  const value = parsed(text);
  const { format, version } = Object(value) as Partial<Manifest>;
  if (Number(version) > 1 || Number(format) > formatVersion) {
    throw storeErrors.STORE_TOO_NEW(`${folder} was exported by a newer version`, { folder });
  }
  if (!Check(Manifest, value) || value.files.some(({ path }) => !isBelow(path)))
    throw damaged(`${path} is not the list of an exported library`, [manifestFile]);
  if (value.format < formatVersion)
    throw storeErrors.STORE_TOO_OLD(`${folder} was exported by an older version`, { folder });
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A list may come from anybody: it names nothing outside the folder. */
function isBelow(path: string): boolean {
  return (
    path !== '' && !isAbsolute(path) && !/[\\\0]/.test(path) && !/^(\.\.|[A-Za-z]:)/.test(normalize(path))
  );
}

async function expectRoom({ cacheDir, folder }: LibraryTransfer, files: readonly Listed[]): Promise<void> {
  let needed = 0;
  for (const { path, bytes } of files) {
    if ((await sizeOf(join(cacheDir, path))) !== bytes) needed += bytes;
  }
  const { blocks, bavail, bsize } = await statfs(cacheDir);
  // A network file system may say nothing of its size.
  if (blocks === 0 || bavail * bsize >= needed) return;
  throw transferErrors.TRANSFER_FAILED(
    `The library in ${folder} needs ${needed} more bytes in ${cacheDir}, where ${bavail * bsize} are free`,
    { path: cacheDir },
  );
}

/** False when it is missing or not what the manifest says; what is in the new place already may be. */
async function taken(
  from: string,
  to: string,
  expected: Listed,
  { signal, read }: { readonly signal: AbortSignal; readonly read: (bytes: number) => void },
): Promise<boolean> {
  const isSame = ({ bytes, sha256 }: Copied) => bytes === expected.bytes && sha256 === expected.sha256;
  if ((await sizeOf(to)) === expected.bytes && isSame(await checksumOf(to, signal, read))) return true;
  if ((await sizeOf(from)) !== expected.bytes) return false;
  const accepts = (copied: Copied) => {
    if (!isSame(copied)) throw damaged(`${from} is damaged`, [expected.path]);
  };
  try {
    await copyFile(from, to, signal, { read, accepts });
    return true;
  } catch (error) {
    if (transferErrors.LIBRARY_DAMAGED.is(error)) return false;
    throw error;
  }
}

function damaged(what: string, files: readonly string[]): Error {
  return transferErrors.LIBRARY_DAMAGED(what, { files: files.join(', ') });
}

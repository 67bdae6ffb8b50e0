// What a person does with models: see which there are, fetch one, check it, remove it. Answers are data; printing is
// the command line's business.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../../runtime/clock.ts';
import { makeFolder } from '../../runtime/files/make-folder.ts';
import { type ModelFile, type ModelRow, modelErrors } from './contract.ts';
import { type Downloaded, downloadFile, dropPart } from './download.ts';
import type { RegistryProblem } from './registry.ts';
import { currentSystem, findRow, folderOf, isBuiltIn, missingFiles, readRegistry } from './registry.ts';
import { buildStarterVisual } from './starter/graph/graph.ts';
import { starterSpeakerFile } from './starter/speaker.ts';

export const huggingfaceUrl = 'https://huggingface.co/';

export interface ListedModel {
  readonly row: ModelRow;
  readonly builtIn: boolean;
  /** True when this system can run it. */
  readonly supported: boolean;
  readonly downloaded: boolean;
  /** Names of the files that are not there. */
  readonly missing: readonly string[];
  readonly folder: string;
}

export async function listModels(
  modelsDir: string,
): Promise<{ models: ListedModel[]; problems: readonly RegistryProblem[] }> {
  const { rows, problems } = await readRegistry(modelsDir);
  const system = currentSystem();
  const models: ListedModel[] = [];
  for (const row of rows) {
    const missing = await missingFiles(modelsDir, row);
    models.push({
      row,
      builtIn: isBuiltIn(row),
      supported: row.compatible_os.includes(system),
      downloaded: missing.length === 0,
      missing,
      folder: folderOf(modelsDir, row),
    });
  }
  return { models, problems };
}

export interface PullProgress {
  readonly file: string;
  /** Position of the file, from 0, and how many there are. */
  readonly index: number;
  readonly count: number;
  readonly received: number;
  readonly total: number | null;
}

export interface PullOptions {
  /** Address that relative urls start from, with or without a slash at its end. */
  readonly baseUrl?: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly progress?: (progress: PullProgress) => void;
  readonly stallMs?: number;
  readonly tries?: number;
}

export interface PulledFile extends Downloaded {
  readonly name: string;
  readonly path: string;
  /** False when the right file was there already. */
  readonly fetched: boolean;
}

/** Fetches what is missing of a model. Throws MODEL_UNKNOWN, MODEL_BUILT_IN and what downloadFile throws. */
export async function pullModel(
  modelsDir: string,
  key: string,
  options: PullOptions,
): Promise<{ key: string; folder: string; files: PulledFile[] }> {
  const row = findRow(await readRegistry(modelsDir), key);
  if (isBuiltIn(row)) throw modelErrors.MODEL_BUILT_IN(`"${key}" is part of the program; nothing to pull`);
  const folder = folderOf(modelsDir, row);
  const records = await readRecords(folder);
  const files: PulledFile[] = [];
  for (const [index, file] of row.files.entries()) {
    const pulled = await pullFile(folder, file, records.get(file.name) ?? null, options, (received, total) =>
      options.progress?.({ file: file.name, index, count: row.files.length, received, total }),
    );
    files.push(pulled);
    records.set(file.name, { size: pulled.size, sha256: pulled.sha256 });
    if (pulled.fetched) await writeRecords(folder, records);
  }
  return { key, folder, files };
}

async function pullFile(
  folder: string,
  file: ModelFile,
  record: FileRecord | null,
  options: PullOptions,
  progress: (received: number, total: number | null) => void,
): Promise<PulledFile> {
  const path = join(folder, file.name);
  const known = file.sha256 ?? record?.sha256 ?? null;
  const found = await check(path, file, known, options.signal);
  if (found.state === 'ok') {
    const verified = file.sha256 === null ? 'server' : 'pin';
    return { name: file.name, path, fetched: false, size: found.size, sha256: found.sha256, verified };
  }
  if (file.url === null) {
    throw modelErrors.MODEL_NOT_DOWNLOADED(`${path}: ${found.state}, and its model.json gives no url`, {
      file: path,
    });
  }
  const baseUrl = options.baseUrl ?? huggingfaceUrl;
  const url = new URL(file.url, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const { signal, clock, stallMs, tries } = options;
  const downloaded = await downloadFile(
    { url, path, size: file.size, sha256: file.sha256 },
    {
      signal,
      clock,
      progress: ({ received, total }) => progress(received, total),
      ...(stallMs === undefined ? {} : { stallMs }),
      ...(tries === undefined ? {} : { tries }),
    },
  );
  return { ...downloaded, name: file.name, path, fetched: true };
}

export type FileState = 'ok' | 'missing' | 'wrong size' | 'wrong sha256' | 'nothing to compare with';

export interface VerifiedFile {
  readonly name: string;
  readonly state: FileState;
  /** What is on the disk; null when the file is missing. */
  readonly size: number | null;
  readonly sha256: string | null;
  readonly expectedSha256: string | null;
}

export interface Verified {
  readonly key: string;
  readonly ok: boolean;
  readonly files: readonly VerifiedFile[];
}

/** Reads every file of a model and compares, those of the program with what they have to be. Throws MODEL_UNKNOWN. */
export async function verifyModel(modelsDir: string, key: string, signal: AbortSignal): Promise<Verified> {
  const row = findRow(await readRegistry(modelsDir), key);
  if (isBuiltIn(row)) return verifyBuiltIn(row);
  const folder = folderOf(modelsDir, row);
  const records = await readRecords(folder);
  const files: VerifiedFile[] = [];
  for (const file of row.files) {
    const expectedSha256 = file.sha256 ?? records.get(file.name)?.sha256 ?? null;
    const found = await check(join(folder, file.name), file, expectedSha256, signal);
    files.push({ name: file.name, expectedSha256, ...found });
  }
  return { key, ok: files.every(({ state }) => state === 'ok'), files };
}

/** A model of the program: its bytes, and the sha256 they have to have. */
interface BuiltIn {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expectedSha256: string;
}

/** By family. What is built is built twice and compared; what is shipped is compared with its pin. */
const builtIns: ReadonlyMap<string, () => Promise<BuiltIn>> = new Map([
  [
    'starter',
    async () => ({
      name: 'starter-visual.onnx (built)',
      bytes: buildStarterVisual(),
      expectedSha256: sha256Of(buildStarterVisual()),
    }),
  ],
  [
    'speaker-starter',
    async () => ({
      name: 'starter-speaker.onnx (shipped)',
      bytes: await readFile(starterSpeakerFile.path),
      expectedSha256: starterSpeakerFile.sha256,
    }),
  ],
]);

async function verifyBuiltIn({ key, family }: ModelRow): Promise<Verified> {
  const read = builtIns.get(family);
  if (!read)
    throw modelErrors.MODEL_INVALID(`The model "${key}" has no files and nothing builds it`, { key });
  const { name, bytes, expectedSha256 } = await read();
  const sha256 = sha256Of(bytes);
  const state = sha256 === expectedSha256 ? 'ok' : 'wrong sha256';
  const file = { name, state, size: bytes.length, sha256, expectedSha256 } as const;
  return { key, ok: state === 'ok', files: [file] };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Removes the files that can be pulled again and what an unfinished pull left. `kept`: files without a url, which are
 * the user's own. Throws MODEL_UNKNOWN and MODEL_BUILT_IN.
 */
export async function removeModel(
  modelsDir: string,
  key: string,
): Promise<{ key: string; removed: string[]; kept: string[] }> {
  const row = findRow(await readRegistry(modelsDir), key);
  if (isBuiltIn(row)) throw modelErrors.MODEL_BUILT_IN(`"${key}" is part of the program; it stays`);
  const folder = folderOf(modelsDir, row);
  const removed: string[] = [];
  const kept: string[] = [];
  for (const { name, url } of row.files) {
    const path = join(folder, name);
    if (url !== null) await dropPart({ path });
    if ((await sizeOf(path)) === null) continue;
    if (url === null) kept.push(name);
    else {
      await rm(path);
      removed.push(name);
    }
  }
  await rm(join(folder, RECORDS), { force: true });
  const rest = await readdir(folder).catch(() => ['unreadable or absent']);
  if (rest.length === 0) await rmdir(folder);
  return { key, removed, kept };
}

type Found =
  | { state: 'ok' | 'wrong sha256' | 'nothing to compare with'; size: number; sha256: string }
  | { state: 'missing'; size: null; sha256: null }
  | { state: 'wrong size'; size: number; sha256: null };

async function check(
  path: string,
  file: ModelFile,
  expected: string | null,
  signal: AbortSignal,
): Promise<Found> {
  const size = await sizeOf(path);
  if (size === null) return { state: 'missing', size, sha256: null };
  if (file.size !== null && size !== file.size) return { state: 'wrong size', size, sha256: null };
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
  }
  const sha256 = hash.digest('hex');
  if (expected === null) return { state: 'nothing to compare with', size, sha256 };
  return { state: sha256 === expected ? 'ok' : 'wrong sha256', size, sha256 };
}

async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

/** What was fetched, so that files without a pin can be checked later. */
const RECORDS = 'received.json';
const FileRecord = Type.Object({ size: Type.Integer(), sha256: Type.String() });
type FileRecord = { size: number; sha256: string };
const recordsChecker = Compile(Type.Record(Type.String(), FileRecord));

async function readRecords(folder: string): Promise<Map<string, FileRecord>> {
  const text = await readFile(join(folder, RECORDS), 'utf8').catch(() => null);
  if (text === null) return new Map();
  try {
    const value: unknown = JSON.parse(text);
    return recordsChecker.Check(value) ? new Map(Object.entries(value)) : new Map();
  } catch {
    // A damaged record means that unpinned files are fetched again.
    return new Map();
  }
}

async function writeRecords(folder: string, records: ReadonlyMap<string, FileRecord>): Promise<void> {
  makeFolder(folder);
  const path = join(folder, RECORDS);
  await writeFile(`${path}.part`, `${JSON.stringify(Object.fromEntries(records), null, 2)}\n`);
  await rename(`${path}.part`, path);
}

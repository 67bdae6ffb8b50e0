// Which models there are: the rows the program knows and those of the user's folders, each
// `<models>/<name>/model.json` of the same form. A wrong model.json is reported with its file and field, and
// does not hide the others.

import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Compile } from 'typebox/compile';
import { codeOf } from '../../runtime/errors.ts';
import { suggestion } from '../../runtime/text.ts';
import {
  bestThere,
  type FacePair,
  faceFamilies,
  facesCommand,
  isFaceKind,
  isModelWord,
  isRefused,
} from './advice.ts';
import {
  type FaceDetectorRow,
  type FaceEmbedderRow,
  type ListedModel,
  ModelRow,
  type ModelTest,
  modelErrors,
  mostPictureBytes,
  noModelErrors,
  type OperatingSystem,
  type RegistryProblem,
  refusalOf,
  type SpeakerRow,
  type SpeechRow,
  type SummaryRow,
  type VisualRow,
  type VisualSide,
} from './contract.ts';
import { isNpmFile } from './model-file.ts';
import { currentKey, instead, unavailableModel } from './other-keys.ts';
import { builtInRows } from './rows/list.ts';
import { lastTest } from './self-test.ts';

// Checks whether the model.json of a user's folder is a row, and names the wrong field if it is not.

const checker = Compile(ModelRow);

type Wrong = Omit<RegistryProblem, 'file'>;

/** Checks the text of a user's model.json; `name` is the folder's. Names the first wrong field. */
export function checkUserRow(
  file: string,
  name: string,
  text: string,
): { row: ModelRow } | { problem: RegistryProblem } {
  const wrong = (field: string, message: string) => ({ problem: { file, field, message } });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong('', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!checker.Check(value)) {
    const [first] = checker.Errors(value);
    return wrong(first?.instancePath ?? '', first?.message ?? 'has the wrong format');
  }
  const fault = wrongKey(value, name) ?? wrongSide(value) ?? wrongFiles(value) ?? wrongPlda(value);
  return fault ? wrong(fault.field, fault.message) : { row: value };
}

function wrongKey({ key }: ModelRow, name: string): Wrong | null {
  const wrong = (message: string) => ({ field: '/key', message });
  if (builtInRows.some((row) => row.key === key)) {
    return wrong(`${key} is the key of a built-in model; choose another key`);
  }
  if (isModelWord(key)) return wrong(`${key} is a group of models in "models pull"; choose another key`);
  return key === name ? null : wrong(`${key} is not the name of its folder, ${name}`);
}

/** The field of a row that a model of its kind has to have. */
const sides = {
  visual: 'visual',
  speech: 'speech',
  speaker: 'speaker',
  'face-detector': 'detector',
  'face-embedder': 'embedder',
  summary: 'summary',
} as const;

function wrongSide(row: ModelRow): Wrong | null {
  const side = Object.entries(sides).find(([kind]) => kind === row.kind)?.[1];
  if (side && !row[side]) return { field: `/${side}`, message: `is missing for a ${row.kind} model` };
  if (row.visual) return wrongPicture(row.visual);
  if (row.summary) return wrongSummary(row);
  if (!isFaceKind(row.kind)) return null;
  const families: readonly string[] = faceFamilies[row.kind];
  if (!families.includes(row.family)) {
    const message = `"${row.family}" is not a family of ${row.kind} models; use one of ${families.join(', ')}`;
    return { field: '/family', message };
  }
  return row.kind === 'face-detector' ? wrongDetector(row) : wrongCentre(row);
}

/** Required multiple of the picture size, by family of language models. */
const summaryFamilies: ReadonlyMap<string, number> = new Map([
  ['qwen3vl', 32],
  ['smolvlm', 1],
]);

function wrongSummary({ family, frame_resolution: side, summary }: ModelRow): Wrong | null {
  const multiple = summaryFamilies.get(family);
  if (multiple === undefined) {
    const families = [...summaryFamilies.keys()].join(', ');
    return {
      field: '/family',
      message: `"${family}" is not a family of summary models; use one of ${families}`,
    };
  }
  if (side < 32 || side > 2048 || side % multiple !== 0) {
    const message = `${side} is not a ${multiple > 1 ? `multiple of ${multiple}` : 'valid side of a picture'} from 32 to 2048`;
    return { field: '/frame_resolution', message };
  }
  const { answer, context } = summary!;
  if (2 * answer <= context) return null;
  return {
    field: '/summary/answer',
    message: `${answer} leaves no room for a prompt in a context of ${context}`,
  };
}

function wrongPicture({ shape: { width, height } }: VisualSide): Wrong | null {
  if (width * height * 3 <= mostPictureBytes) return null;
  const most = Math.sqrt(mostPictureBytes / 3);
  const message = `${width}×${height} is larger than the limit of ${most}×${most} pixels`;
  return { field: '/visual/shape', message };
}

/** Both families of detectors look at cells of 8, 16 and 32 px. */
const coarsest = 32;

function wrongDetector({ detector }: ModelRow): Wrong | null {
  const { fixed_side, multiple, least_face, most_face } = detector!;
  if (multiple % coarsest !== 0) {
    const message = `${multiple} is not a multiple of ${coarsest}, the step of the coarsest grid of its family`;
    return { field: '/detector/multiple', message };
  }
  if (fixed_side !== null && fixed_side % multiple !== 0) {
    return { field: '/detector/fixed_side', message: `${fixed_side} is not a multiple of ${multiple}` };
  }
  if (most_face >= least_face) return null;
  return { field: '/detector/most_face', message: `${most_face} is less than least_face, ${least_face}` };
}

function wrongCentre({ embedder }: ModelRow): Wrong | null {
  const { centre, dimensions } = embedder!;
  if (centre === undefined || centre.length === dimensions) return null;
  return { field: '/embedder/centre', message: `has ${centre.length} values, not ${dimensions}` };
}

function wrongFiles({ kind, files }: ModelRow): Wrong | null {
  const wrong = (message: string) => ({ field: '/files', message });
  const twice = files.find((file, at) =>
    files.some(
      (earlierFile, before) =>
        before < at && (earlierFile.role === file.role || earlierFile.name === file.name),
    ),
  );
  if (twice) return wrong(`names ${twice.role} (${twice.name}) twice`);
  const unclear = files
    .filter(isNpmFile)
    .find(
      ({ url, size, sha256, npm }) =>
        url !== null || size === null || sha256 === null || (npm.paths.length > 1 && !npm.convert),
    );
  if (unclear)
    return wrong(
      `${unclear.name} of a package needs size, sha256 and no url, and several paths a conversion`,
    );
  return isFaceKind(kind) && !files.some(({ role }) => role === 'graph')
    ? wrong('lists no file with the role "graph"')
    : null;
}

/** A PLDA and how it is used are nothing without each other. */
function wrongPlda({ speaker, files }: ModelRow): Wrong | null {
  const hasFile = files.some(({ role }) => role === 'plda');
  if (!speaker || hasFile === (speaker.evidence !== undefined)) return null;
  return hasFile
    ? { field: '/speaker/evidence', message: 'is required for a model that has a file with the role "plda"' }
    : { field: '/files', message: 'lists no file with the role "plda", which /speaker/evidence needs' };
}

export interface Registry {
  readonly rows: readonly ModelRow[];
  readonly problems: readonly RegistryProblem[];
}

/**
 * The rows of the program, then the user's, by folder name. A models folder that does not exist is an empty
 * one.
 */
export async function readRegistry(modelsDir: string): Promise<Registry> {
  const rows = [...builtInRows];
  const problems: RegistryProblem[] = [];
  for (const name of await foldersOf(modelsDir)) {
    const file = join(modelsDir, name, 'model.json');
    const text = await readOptional(file);
    if (text === null) continue;
    const result = checkUserRow(file, name, text);
    if ('row' in result) rows.push(result.row);
    else problems.push(result.problem);
  }
  return { rows, problems };
}

/**
 * The row with that key, or of the model that has taken its place. Throws MODEL_UNKNOWN, listing the keys
 * there are, and MODEL_UNSUPPORTED, saying why.
 */
export function findRow(registry: Registry, key: string): ModelRow {
  const row = registry.rows.find((entry) => entry.key === currentKey(key));
  if (row) return row;
  const broken = registry.problems.find(({ file }) => file.endsWith(join(key, 'model.json')));
  if (broken) throw modelErrors.MODEL_INVALID(`${broken.file}: ${broken.field} ${broken.message}`, { key });
  const unavailable = unavailableModel(key);
  if (unavailable) {
    const { reason, kind } = unavailable;
    throw modelErrors.MODEL_UNSUPPORTED(`"${key}" ${reason}${instead[kind] ?? ''}`, { key });
  }
  const keys = registry.rows.map((entry) => entry.key);
  const hint = suggestion(key, keys);
  throw modelErrors.MODEL_UNKNOWN(
    `There is no model with the key "${key}"${hint || `; available models: ${keys.join(', ')}`}`,
    { key },
  );
}

function isVisual(row: ModelRow): row is VisualRow {
  return row.kind === 'visual' && row.visual !== undefined;
}

export function isSpeech(row: ModelRow): row is SpeechRow {
  return row.kind === 'speech' && row.speech !== undefined;
}

export function isSpeaker(row: ModelRow): row is SpeakerRow {
  return row.kind === 'speaker' && row.speaker !== undefined;
}

export function isSummary(row: ModelRow): row is SummaryRow {
  return row.kind === 'summary' && row.summary !== undefined;
}

/** Like `findRow`, for rows of one kind. Throws MODEL_WRONG_KIND. */
function finder<R extends ModelRow>(
  isOfKind: (row: ModelRow) => row is R,
  what: string,
): (registry: Registry, key: string) => R {
  return (registry, key) => {
    const row = findRow(registry, key);
    if (isOfKind(row)) return row;
    throw modelErrors.MODEL_WRONG_KIND(`"${key}" is a ${row.kind} model, not ${what}`, { key });
  };
}

export const findVisualRow = finder(isVisual, 'a visual one');
export const findSpeechRow = finder(isSpeech, 'a speech model');
export const findSpeakerRow = finder(isSpeaker, 'a speaker model');
export const findSummaryRow = finder(isSummary, 'one that writes summaries');

/**
 * The face models in use: of the user's folders and the downloaded ones, as `bestThere` ranks them. Throws
 * NO_FACE_MODEL, which says what is missing and names the command that brings it.
 */
export async function chooseFaces(modelsDir: string): Promise<FacePair> {
  const registry = await readRegistry(modelsDir);
  const models = await downloadedOf(modelsDir, registry.rows, isFaceKind);
  const detector = bestThere(models, 'face-detector');
  const embedder = bestThere(models, 'face-embedder');
  if (detector?.detector && embedder?.embedder) {
    return { detector: detector as FaceDetectorRow, embedder: embedder as FaceEmbedderRow };
  }
  throwRefused(models.filter(({ row: { kind } }) => !(kind === 'face-detector' ? detector : embedder)));
  const missing = [...(detector ? [] : ['face detector']), ...(embedder ? [] : ['face embedder'])];
  const ownFaults = await unusableModels(modelsDir, ['face-detector', 'face-embedder'], registry);
  const message = `No ${missing.join(' and no ')} is downloaded; to download: ${facesCommand}, or ${facesCommand}-npm${ownFaults}`;
  throw noModelErrors.NO_FACE_MODEL(message, { missing: missing.join(', '), command: facesCommand });
}

/** Rows of these kinds, and whether they can be used here. Throws MODEL_LOAD_FAILED for a damaged file. */
function downloadedOf(
  modelsDir: string,
  rows: readonly ModelRow[],
  isWanted: (kind: ModelRow['kind']) => boolean,
) {
  const system = currentSystem();
  const candidates = rows.filter(({ kind }) => isWanted(kind));
  return Promise.all(
    candidates.map(async (row) => {
      await requireUndamaged(modelsDir, row);
      return {
        row,
        downloaded: (await missingFiles(modelsDir, row)).length === 0,
        supported: row.compatible_os.includes(system),
        test: await testOf(modelsDir, row),
      };
    }),
  );
}

/** The model that reads printed words. Throws NO_TEXT_MODEL, which names the command that brings one. */
export async function chooseTextModel(modelsDir: string): Promise<ModelRow> {
  const { row, ownFaults } = await bestDownloaded(modelsDir, 'text-recognition');
  if (row) return row;
  const command = 'framehound models pull pp-ocr-v4';
  const message = `No model for printed words is downloaded; to download one: ${command}${ownFaults}`;
  throw noModelErrors.NO_TEXT_MODEL(message, { command });
}

/** The model that finds things. Throws NO_OBJECT_DETECTOR, which names the command that brings one. */
export async function chooseObjectDetector(modelsDir: string): Promise<ModelRow> {
  const { row, ownFaults } = await bestDownloaded(modelsDir, 'object-detection');
  if (row) return row;
  const command = 'framehound models pull nanodet-416';
  const message = `No object detector is downloaded; to download one: ${command}${ownFaults}`;
  throw noModelErrors.NO_OBJECT_DETECTOR(message, { command });
}

/** The model that hears music and singing. Throws NO_SOUND_MODEL, which names the command that brings one. */
export async function chooseSoundModel(modelsDir: string): Promise<ModelRow> {
  const { row, ownFaults } = await bestDownloaded(modelsDir, 'sound-detection');
  if (row) return row;
  const command = 'framehound models pull firered-aed';
  const message = `No model for music and singing is downloaded; to download one: ${command}${ownFaults}`;
  throw noModelErrors.NO_SOUND_MODEL(message, { command });
}

async function bestDownloaded(
  modelsDir: string,
  kind: 'text-recognition' | 'object-detection' | 'sound-detection',
): Promise<{ readonly row: ModelRow | null; readonly ownFaults: string }> {
  const registry = await readRegistry(modelsDir);
  const models = await downloadedOf(modelsDir, registry.rows, (rowKind) => rowKind === kind);
  const row = bestThere(models, kind);
  if (!row) throwRefused(models);
  return { row, ownFaults: row ? '' : await unusableModels(modelsDir, [kind], registry) };
}

export function isBuiltIn(row: ModelRow): boolean {
  return row.files.length === 0;
}

export function folderOf(modelsDir: string, row: ModelRow): string {
  return join(modelsDir, row.key);
}

/** Names of the files that are not there, or not of the pinned size; empty when the model is whole. */
export async function missingFiles(modelsDir: string, row: ModelRow): Promise<string[]> {
  const missing: string[] = [];
  for (const file of row.files) {
    const sizeOnDisk = await sizeOf(join(folderOf(modelsDir, row), file.name));
    if (sizeOnDisk === null || (file.size !== null && sizeOnDisk !== file.size)) missing.push(file.name);
  }
  return missing;
}

/** Files of a model that are there, but not of the pinned size: cut off, or replaced by something else. */
export async function damagedFiles(modelsDir: string, row: ModelRow): Promise<RegistryProblem[]> {
  const damaged: RegistryProblem[] = [];
  for (const { name, size } of row.files) {
    const file = join(folderOf(modelsDir, row), name);
    const sizeOnDisk = await sizeOf(file);
    if (sizeOnDisk === null || size === null || sizeOnDisk === size) continue;
    damaged.push({ file, field: '', message: `has ${sizeOnDisk} bytes, expected ${size}` });
  }
  return damaged;
}

/**
 * Throws MODEL_LOAD_FAILED for a damaged file. Where a model is chosen, it would otherwise count as not
 * downloaded, and another one would stand in for it unnoticed.
 */
async function requireUndamaged(modelsDir: string, row: ModelRow): Promise<void> {
  const [damage] = await damagedFiles(modelsDir, row);
  if (damage === undefined) return;
  const { file, message } = damage;
  const again = isDownload(row) ? `; to download it again: framehound models pull ${row.key}` : '';
  throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${message}${again}`, { file });
}

/** False for a folder of the user with files that nothing downloads. */
function isDownload({ files }: ModelRow): boolean {
  return files.every(({ url, npm }) => url !== null || npm !== undefined);
}

/**
 * The models of these kinds that cannot be used, each with what is wrong: those of the program that failed
 * their self-test, and folders of the user. Each begins with `; `, so that the text can follow the message
 * that no model is there; it is empty where all can be used.
 */
export async function unusableModels(
  modelsDir: string,
  kinds: readonly ModelRow['kind'][],
  { rows, problems }: Registry,
): Promise<string> {
  const faults = problems.map(
    ({ file, field, message }) => `; ${file}: ${[field, message].filter(Boolean).join(' ')}`,
  );
  for (const row of rows) {
    if (!kinds.includes(row.kind)) continue;
    const test = await testOf(modelsDir, row);
    if (test && isRefused(row, test)) faults.push(`; ${refusalOf(row.key, test).message}`);
    if (builtInRows.includes(row)) continue;
    const missing = await missingFiles(modelsDir, row);
    if (missing.length > 0) faults.push(`; ${folderOf(modelsDir, row)} lacks ${missing.join(', ')}`);
  }
  return faults.join('');
}

/** The last self-test of a model's files; undefined where there is none. */
export async function testOf(modelsDir: string, row: ModelRow): Promise<ModelTest | undefined> {
  return isBuiltIn(row) ? undefined : (await lastTest(folderOf(modelsDir, row), row))?.test;
}

/**
 * True if its files are there. Throws MODEL_LOAD_FAILED for a damaged file, and MODEL_REFUSED where it failed
 * its self-test: otherwise a worse model would stand in for it unnoticed.
 */
export async function isUsable(modelsDir: string, row: ModelRow): Promise<boolean> {
  await requireUndamaged(modelsDir, row);
  if ((await missingFiles(modelsDir, row)).length > 0) return false;
  throwRefused([{ row, downloaded: true, test: await testOf(modelsDir, row) }]);
  return true;
}

/** Throws MODEL_REFUSED for the first that is there and failed its self-test. */
function throwRefused(models: readonly Pick<ListedModel, 'row' | 'downloaded' | 'test'>[]): void {
  for (const { row, downloaded, test } of models) {
    if (!downloaded || !test || !isRefused(row, test)) continue;
    throw refusalOf(row.key, test);
  }
}

/**
 * Throws MODEL_REFUSED, MODEL_LOAD_FAILED for a damaged file, and MODEL_NOT_DOWNLOADED naming the files and,
 * if there is one, the command that downloads them.
 */
export async function requireFiles(modelsDir: string, row: ModelRow): Promise<void> {
  await requireUndamaged(modelsDir, row);
  const missing = await missingFiles(modelsDir, row);
  if (missing.length === 0) {
    throwRefused([{ row, downloaded: true, test: await testOf(modelsDir, row) }]);
    return;
  }
  if (
    !builtInRows.includes(row) &&
    row.files.some(({ name, url }) => url === null && missing.includes(name))
  ) {
    const folder = folderOf(modelsDir, row);
    const message = `The model "${row.key}" is incomplete: ${folder} lacks ${missing.join(', ')}`;
    throw modelErrors.MODEL_NOT_DOWNLOADED(message, { key: row.key, folder });
  }
  throw modelErrors.MODEL_NOT_DOWNLOADED(
    `The model "${row.key}" is not downloaded (${missing.join(', ')}); to download it: framehound models pull ${row.key}`,
    { key: row.key, command: `framehound models pull ${row.key}` },
  );
}

/** Path of the file with that role. Throws MODEL_INVALID when the row names none. */
export function fileOf(modelsDir: string, row: ModelRow, role: string): string {
  const file = row.files.find((candidate) => candidate.role === role);
  if (file) return join(folderOf(modelsDir, row), file.name);
  throw modelErrors.MODEL_INVALID(`The model "${row.key}" names no file with the role "${role}"`, {
    key: row.key,
    role,
  });
}

/** The system this program runs on, as the service reports it. */
export function currentSystem(platform = process.platform, arch = process.arch): OperatingSystem {
  if (platform === 'darwin') return arch === 'arm64' ? 'mac-arm' : 'mac-x86';
  return platform === 'win32' ? 'windows' : 'linux';
}

async function foldersOf(modelsDir: string): Promise<string[]> {
  if (!isAbsolute(modelsDir)) throw new TypeError(`models folder ${modelsDir}: not an absolute path`);
  try {
    const entries = await readdir(modelsDir, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? stats.size : null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw error;
  }
}

/** Family of a row. Throws MODEL_INVALID if no code runs it. */
export function familyIn<F>(
  families: ReadonlyMap<string, F>,
  { key, family }: Pick<ModelRow, 'key' | 'family'>,
): F {
  const match = families.get(family);
  if (match !== undefined) return match;
  const names = [...families.keys()].join(', ');
  const why = `The model "${key}" is of the family "${family}"; there is ${names}`;
  throw modelErrors.MODEL_INVALID(why, { key });
}

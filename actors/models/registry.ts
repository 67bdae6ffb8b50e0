// Which models there are: the rows the program knows and those of the user's folders, each `<models>/<name>/model.json`
// of the same form. A wrong model.json is reported with its file and field, and does not hide the others.
import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Compile } from 'typebox/compile';
import { suggestion } from '../../runtime/nearest.ts';
import {
  ModelRow,
  modelErrors,
  mostPictureBytes,
  type OperatingSystem,
  type RegistryProblem,
  type SpeakerRow,
  type SpeechRow,
  type VisualRow,
} from './contract.ts';
import { builtInRows } from './rows/list.ts';

export interface Registry {
  readonly rows: readonly ModelRow[];
  readonly problems: readonly RegistryProblem[];
}

const checker = Compile(ModelRow);

/** The rows of the program, then the user's, by folder name. A models folder that does not exist is an empty one. */
export async function readRegistry(modelsDir: string): Promise<Registry> {
  const rows = [...builtInRows];
  const problems: RegistryProblem[] = [];
  for (const name of await foldersOf(modelsDir)) {
    const file = join(modelsDir, name, 'model.json');
    const text = await readOptional(file);
    if (text === null) continue;
    const found = checkUserRow(file, name, text);
    if ('row' in found) rows.push(found.row);
    else problems.push(found.problem);
  }
  return { rows, problems };
}

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
    return wrong(first?.instancePath ?? '', first?.message ?? 'has the wrong form');
  }
  if (builtInRows.some((row) => row.key === value.key)) {
    return wrong('/key', `${value.key} is a model of the program; choose another key`);
  }
  if (value.key !== name) return wrong('/key', `${value.key} is not the name of its folder, ${name}`);
  if (value.kind === 'visual' && !value.visual) return wrong('/visual', 'is missing for a visual model');
  const bytes = value.visual ? value.visual.shape.width * value.visual.shape.height * 3 : 0;
  if (bytes > mostPictureBytes) {
    const { width, height } = value.visual!.shape;
    const most = Math.sqrt(mostPictureBytes / 3);
    return wrong('/visual/shape', `${width}×${height} is larger than the limit of ${most}×${most} pixels`);
  }
  if (value.kind === 'speech' && !value.speech) return wrong('/speech', 'is missing for a speech model');
  if (value.kind === 'speaker' && !value.speaker) return wrong('/speaker', 'is missing for a speaker model');
  const twice = value.files.find((one, at) =>
    value.files.some((other, before) => before < at && (other.role === one.role || other.name === one.name)),
  );
  if (twice) return wrong('/files', `names ${twice.role} (${twice.name}) twice`);
  return { row: value };
}

/** The row with that key. Throws MODEL_UNKNOWN, listing the keys there are. */
export function findRow(registry: Registry, key: string): ModelRow {
  const row = registry.rows.find((one) => one.key === key);
  if (row) return row;
  const broken = registry.problems.find(({ file }) => file.endsWith(join(key, 'model.json')));
  if (broken) throw modelErrors.MODEL_INVALID(`${broken.file}: ${broken.field} ${broken.message}`, { key });
  const keys = registry.rows.map((one) => one.key);
  const meant = suggestion(key, keys);
  throw modelErrors.MODEL_UNKNOWN(
    `No model has the key "${key}"${meant || `; there is ${keys.join(', ')}`}`,
    { key },
  );
}

/** The same, for looking at pictures. Throws MODEL_UNKNOWN and MODEL_WRONG_KIND. */
export function findVisualRow(registry: Registry, key: string): VisualRow {
  const row = findRow(registry, key);
  if (isVisual(row)) return row;
  throw modelErrors.MODEL_WRONG_KIND(`"${key}" is a ${row.kind} model, not a visual one`, { key });
}

function isVisual(row: ModelRow): row is VisualRow {
  return row.kind === 'visual' && row.visual !== undefined;
}

/** The same, for listening to speech. Throws MODEL_UNKNOWN and MODEL_WRONG_KIND. */
export function findSpeechRow(registry: Registry, key: string): SpeechRow {
  const row = findRow(registry, key);
  if (isSpeech(row)) return row;
  throw modelErrors.MODEL_WRONG_KIND(`"${key}" is a ${row.kind} model, not a speech model`, { key });
}

export function isSpeech(row: ModelRow): row is SpeechRow {
  return row.kind === 'speech' && row.speech !== undefined;
}

/** The same, for telling voices apart. Throws MODEL_UNKNOWN and MODEL_WRONG_KIND. */
export function findSpeakerRow(registry: Registry, key: string): SpeakerRow {
  const row = findRow(registry, key);
  if (isSpeaker(row)) return row;
  throw modelErrors.MODEL_WRONG_KIND(`"${key}" is a ${row.kind} model, not a speaker model`, { key });
}

export function isSpeaker(row: ModelRow): row is SpeakerRow {
  return row.kind === 'speaker' && row.speaker !== undefined;
}

export function isBuiltIn(row: ModelRow): boolean {
  return row.files.length === 0;
}

/** Where the files of a model lie. */
export function folderOf(modelsDir: string, row: ModelRow): string {
  return join(modelsDir, row.key);
}

/** Names of the files that are not there, or not of the pinned size; empty when the model is whole. */
export async function missingFiles(modelsDir: string, row: ModelRow): Promise<string[]> {
  const missing: string[] = [];
  for (const file of row.files) {
    const found = await sizeOf(join(folderOf(modelsDir, row), file.name));
    if (found === null || (file.size !== null && found !== file.size)) missing.push(file.name);
  }
  return missing;
}

/** Throws MODEL_NOT_DOWNLOADED, naming the command that downloads it. */
export async function requireFiles(modelsDir: string, row: ModelRow): Promise<void> {
  const missing = await missingFiles(modelsDir, row);
  if (missing.length === 0) return;
  throw modelErrors.MODEL_NOT_DOWNLOADED(
    `The model "${row.key}" is not downloaded (${missing.join(', ')}): framehound models pull ${row.key}`,
    { key: row.key, command: `framehound models pull ${row.key}` },
  );
}

/** Path of the file with that role. Throws MODEL_INVALID when the row names none. */
export function fileOf(modelsDir: string, row: ModelRow, role: string): string {
  const file = row.files.find((one) => one.role === role);
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
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

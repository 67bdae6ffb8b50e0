// The self-test of a model: questions with known answers, asked in a process of its own. What came of it lies
// beside the files of the model, and counts until they, the device or the runtime change.
import { readFileSync } from 'node:fs';
import { mkdtemp, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJson } from '../../runtime/files/json-file.ts';
import { rm } from '../../runtime/files/names.ts';
import { askIsolated } from '../../runtime/process/isolated.ts';
import { moduleUrl } from '../../runtime/process/program.ts';
import { type ModelRow, ModelTest, type SelfTestAnswer, type SelfTestOrder } from './contract.ts';
import type { DeviceChoice } from './device.ts';

/** A language model of gigabytes is opened within this time, ms, from a slow disk too. */
const longest = 600_000;
const program = moduleUrl('../self-test/process', import.meta.url);

/** Beside the files of the model. */
export const testFile = 'self-test.json';

const TestRecord = Type.Object({
  test: ModelTest,
  /** Device of the settings, runtime and driver. */
  machine: Type.String(),
  files: Type.Record(Type.String(), Type.String()),
});
type TestRecord = Static<typeof TestRecord>;

export interface TestOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly device: DeviceChoice;
}

/** A tested model: its row, the folder of its files, and those of the models it works with. */
export interface TestedModel {
  readonly row: ModelRow;
  /** Null for a model that is part of the program. */
  readonly folder: string | null;
  readonly partners: readonly string[];
}

/** Rejects only with CANCELLED. */
export async function selfTest(
  { row: { key, kind, languages }, folder, partners }: TestedModel,
  { signal, clock, device }: TestOptions,
): Promise<ModelTest> {
  const modelsDir = await mkdtemp(join(tmpdir(), 'framehound-self-test-'));
  try {
    if (folder !== null) await symlink(resolve(folder), join(modelsDir, key), 'junction');
    for (const partner of partners) await symlink(partner, join(modelsDir, basename(partner)), 'junction');
    const order: SelfTestOrder = { model: { key, kind, languages }, modelsDir, device };
    const answer = await askIsolated<SelfTestAnswer>(program, order, { signal, clock, limitMs: longest });
    return testOf('answer' in answer ? answer.answer : answer, join(modelsDir, key), folder);
  } finally {
    await rm(modelsDir, { recursive: true, force: true });
  }
}

/** Keeps the result in the folder of the model. */
export async function keepTest(
  folder: string,
  row: ModelRow,
  test: ModelTest,
  device: DeviceChoice,
): Promise<void> {
  const record: TestRecord = { test, machine: machineOf(device), files: await marksOf(folder, row) };
  replaceFile(join(folder, testFile), JSON.stringify(record), { flush: false });
}

/** Paths are those of the folder, and not of `link`, by which it was tested. */
function testOf(answer: SelfTestAnswer, link: string, folder: string | null): ModelTest {
  if ('test' in answer) return answer.test;
  const [passed, text] = 'failure' in answer ? [false, answer.failure] : [null, answer.untested];
  const reason = folder === null ? text : text.replaceAll(link, folder);
  return { ...nothingAsked, passed, reason };
}

const nothingAsked = { right: null, of: null, counted: '', milliseconds: null, each: '', device: null };

/** The test that can be relied on: of these very files. Null where there is none. */
export async function lastTest(folder: string, row: ModelRow): Promise<(TestRecord & object) | null> {
  const record = await readJson(TestRecord, join(folder, testFile)).catch(() => undefined);
  if (!record) return null;
  const files = await marksOf(folder, row);
  return row.files.every(({ name }) => record.files[name] === files[name]) ? record : null;
}

async function marksOf(folder: string, { files }: ModelRow): Promise<Record<string, string>> {
  const marks = files.map(async ({ name }) => {
    const stats = await stat(join(folder, name)).catch(() => null);
    return [name, stats ? `${stats.size} ${stats.mtimeMs}` : ''];
  });
  return Object.fromEntries(await Promise.all(marks)) as Record<string, string>;
}

/**
 * Machine properties that answers depend on beside the files of the model; the text changes when a driver is
 * updated.
 */
export function machineOf(device: DeviceChoice): string {
  const driver = readOrEmpty('/proc/driver/nvidia/version').split('\n', 1)[0];
  return [device, process.platform, process.arch, `onnxruntime ${runtimeVersion()}`, driver].join('; ');
}

function runtimeVersion(): string {
  const manifest = import.meta.resolve('onnxruntime-node/package.json');
  return (JSON.parse(readFileSync(new URL(manifest), 'utf8')) as { version: string }).version;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

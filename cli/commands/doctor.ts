// `framehound doctor`: what this machine has and what is missing, each with the command that repairs it; and
// `framehound config`: every setting and the source of its value.
import { constants } from 'node:fs';
import { access, readdir, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ClusterAdmin, DatabaseFacts } from '../../actors/cluster/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import type { NativePackages } from '../../actors/installation.ts';
import {
  bestThere,
  downloadNote,
  isRefused,
  modelsInUse,
  modelWords,
  recommendedSummaryModel,
} from '../../actors/models/advice.ts';
import {
  type ListedModel,
  type ModelRow,
  type RegistryProblem,
  testText,
} from '../../actors/models/contract.ts';
import { type DeviceChoice, deviceText, partsOf } from '../../actors/models/device.ts';
import { currentKey } from '../../actors/models/other-keys.ts';
import { reasonOf } from '../../runtime/errors.ts';
import { makeFolder } from '../../runtime/files/folder.ts';
import { openToOthers, type SharedWith } from '../../runtime/files/permissions.ts';
import { usableMemory } from '../../runtime/process/limits.ts';
import { fetchCuda } from '../../runtime/process/nvidia.ts';
import { folders, keptAtHome, settingRows } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import {
  type Command,
  type Context,
  exit,
  flagsOf,
  installCommand,
  keptAlive,
  typed,
  usageErrors,
} from '../context.ts';
import { databaseAddress } from './cluster.ts';

export const config: Command = async (args, { config: configuration, out }) => {
  const rows = settingRows(configuration).map(({ name, ...row }) => ({ setting: name, ...row }));
  const values = flagsOf(commandTable.config, args);
  if (values.json) out(`${JSON.stringify(rows)}\n`);
  else {
    for (const { setting, value, source, doc } of rows) {
      out(`${setting.padEnd(18)} ${String(value).padEnd(28)} ${source.padEnd(12)} ${doc}\n`);
    }
  }
  return exit.ok;
};

export function problemText({ file, field, message }: RegistryProblem): string {
  return `${file}${field ? ` ${field}` : ''}: ${message}`;
}

export const doctor: Command = async (args, context) => {
  const values = flagsOf(commandTable.doctor, args);
  const { json, fix: repairName, ...joining } = values;
  if (repairName !== undefined) return repair(repairName, context);
  const cluster = () => clusterFindings(joining, context);
  const checks = [versions, nativePackages, models, storage, roots, cluster, privacy];
  const findings = (await Promise.all(checks.map((check) => check(context)))).flat();
  if (json) context.out(`${JSON.stringify(findings)}\n`);
  else {
    for (const { name, ok, lacking, found, fix } of findings) {
      context.out(`${lacking ? '–' : ok ? '✓' : '✗'} ${name.padEnd(18)} ${found}\n`);
      if (fix) context.out(`  ${' '.repeat(18)} → ${typed(fix)}\n`);
    }
  }
  return findings.every(({ ok }) => ok) ? exit.ok : exit.error;
};

/** Installs a part that npm does not install. */
async function repair(what: string, { out }: Context): Promise<number> {
  if (what !== 'gpu')
    throw usageErrors.USAGE(`--fix: there is nothing to fix that is called ${what}; it can be "gpu"`);
  const problem = fetchCuda();
  out(
    problem === undefined
      ? '✓ the CUDA provider of ONNX Runtime is installed; "framehound doctor" says which device runs\n'
      : `✗ the CUDA provider of ONNX Runtime is not installed: ${problem}; models run on the processor\n`,
  );
  return problem === undefined ? exit.ok : exit.error;
}

async function versions(): Promise<Finding[]> {
  const machine = `${process.platform} ${process.arch}, ${availableParallelism()} processors, ${gigabytes(usableMemory())} memory`;
  const right = process.versions.node.startsWith('22.');
  const node: Finding = { name: 'node', ok: right, found: process.versions.node };
  return [{ name: 'machine', ok: true, found: machine }, right ? node : { ...node, fix: installCommand }];
}

/** Loads the native packages, because a package that is there may still not load on this system. */
async function nativePackages({ installation, values }: Context): Promise<Finding[]> {
  const { native } = await installation();
  const media = await attempt('media', native.media);
  const { name, ok, found } = await attempt('clip encoder', () =>
    native.clipEncoders(values.hardware_encoding),
  );
  // Clips and proxies need one, and nothing else does; what does not load is a finding of `media`.
  const encoder = ok ? { name, ok, found } : { name, ok: true, lacking: true, found };
  const devices = await modelDevices(native, values.device);
  const detector = await attempt('object detector', async () => (await native.objectDetector()) ?? '');
  const store = await attempt('store', async () => {
    await native.store();
    return 'opens';
  });
  return [
    media,
    await confinement(native),
    encoder,
    ...devices,
    ...(detector.found === '' ? [] : [detector]),
    store,
  ];
}

/** Finding about the processes in which files are read first. */
async function confinement(native: NativePackages): Promise<Finding> {
  const name = 'confinement';
  const reason = await native.unconfined();
  if (reason === null)
    return {
      name,
      ok: true,
      found: 'files are first read where nothing can be written or sent (bubblewrap)',
    };
  const found = `files are first read in a process with limits, which can write and reach the network: ${reason}`;
  const fix = /not found/.test(reason) ? { fix: 'install the package bubblewrap of your system' } : {};
  return { name, ok: true, lacking: true, found, ...fix };
}

const cudaFix = 'framehound doctor --fix gpu, then install CUDA and cuDNN as described in docs/gpu.md';

/**
 * Devices that run a graph, and a finding for each present one that does not. `choice`: from the settings.
 */
async function modelDevices(native: NativePackages, choice: DeviceChoice): Promise<Finding[]> {
  const name = 'model devices';
  let probed: Awaited<ReturnType<typeof native.modelDevices>> = [];
  const whole = await attempt(name, async () => {
    probed = await native.modelDevices();
    const works = probed.filter(({ reason }) => reason === null).map(({ device }) => deviceText(device));
    const absent = probed
      .filter(({ tried }) => !tried)
      .map(({ device, reason }) => `${deviceText(device)}: ${reason}`);
    return [works.join(', '), ...absent].join('; ');
  });
  const failed = probed.filter(({ reason, tried }) => tried && reason !== null);
  return [
    whole,
    ...failed.map(({ device, reason }): Finding => {
      const needed = device === partsOf(choice).device || device === 'cpu';
      const fix = device === 'cuda' || device === 'tensorrt' ? { fix: cudaFix } : {};
      return { name: deviceText(device), ok: !needed, lacking: !needed, found: reason ?? '', ...fix };
    }),
  ];
}

async function models({ installation, values }: Context): Promise<Finding[]> {
  const { models: library } = await installation();
  const visualKey = currentKey(values.model);
  const speakerKey = values.speaker_model;
  const { models: rows, problems } = await library.list();
  const configured = rows.find(({ row }) => row.key === visualKey);
  const there = rows.filter(({ downloaded, builtIn }) => downloaded || builtIn).map(({ row }) => row.key);
  const model: Finding = !configured
    ? {
        name: 'model',
        ok: false,
        found: `there is no model with the key ${visualKey}`,
        fix: 'framehound models list',
      }
    : configured.builtIn || configured.downloaded
      ? { name: 'model', ok: true, found: `${visualKey} (available here: ${there.join(', ')})` }
      : {
          name: 'model',
          ok: false,
          found: `${visualKey} is not downloaded`,
          fix: `framehound models pull ${visualKey}`,
        };
  const broken = problems.map(
    (problem): Finding => ({
      name: 'model folder',
      ok: false,
      found: problemText(problem),
      fix: problem.file.endsWith('model.json')
        ? 'fix or delete that model.json'
        : `framehound models pull ${basename(dirname(problem.file))}`,
    }),
  );
  const failing = rows.flatMap(({ row, test }): Finding[] => {
    if (test?.passed !== false) return [];
    const refused = isRefused(row, test);
    const use = refused ? 'is not used' : 'is used all the same';
    const found = `${row.key} failed its self-test and ${use}: ${testText(test)}`;
    return [{ name: 'self-test', ok: !refused, found, fix: `framehound models check ${row.key}` }];
  });
  const chosen = { model: visualKey, speaker_model: speakerKey };
  return [model, ...abilities(rows, chosen), ...failing, ...broken];
}

/** Features that need a downloaded model, and features that this version lacks. */
function abilities(rows: readonly ListedModel[], chosen: Parameters<typeof modelsInUse>[1]): Finding[] {
  const used = modelsInUse(rows, chosen);
  const ability = (name: string, kind: ModelRow['kind'], how: Finding): Finding => {
    const real = rows.filter(({ row, builtIn }) => row.kind === kind && !builtIn);
    const working = real.find(({ row }) => used.has(row.key));
    if (working) return { name, ok: true, found: `by ${working.row.key}` };
    const present = real.find(({ downloaded }) => downloaded);
    if (present) {
      const found = `${present.row.key} is downloaded but not in use`;
      return { name, ok: true, lacking: true, found, fix: `framehound models use ${present.row.key}` };
    }
    const advised = real.find((model) => model.advised);
    if (!advised) return { name, ok: true, lacking: true, found: 'no model for this runs on this machine' };
    const use = kind === 'visual' ? ' --use' : '';
    const fix = `framehound models pull ${advised.row.key}${use} (${downloadNote([advised.row])})`;
    return { ...how, fix };
  };
  const without = (name: string, found: string): Finding => ({ name, ok: true, lacking: true, found });
  const objects = 'open vocabulary';
  return [
    ability(objects, 'visual', without(objects, 'no model downloaded')),
    ability('speech', 'speech', without('speech', 'no model downloaded; only subtitles can be read')),
    voices(rows, used, chosen.speaker_model),
    sight(rows),
    faces(rows),
    summaries(rows),
  ];
}

/**
 * Speaker diarization needs a model that tells voices apart, and is better with one that hears two at once.
 */
function voices(rows: readonly ListedModel[], used: ReadonlySet<string>, speakerKey: string): Finding {
  const name = 'voices';
  const usedOf = (kind: ModelRow['kind']) =>
    rows.find(({ row }) => row.kind === kind && used.has(row.key))?.row.key;
  const [speaker, turns] = [usedOf('speaker'), usedOf('turns')];
  if (speaker === undefined) {
    const found = `${speakerKey}, which is to tell voices apart, is not downloaded`;
    return { name, ok: false, found, fix: `framehound models pull ${speakerKey}` };
  }
  const ok = { name, ok: true, found: turns === undefined ? `by ${speaker}` : `by ${speaker} and ${turns}` };
  // A user who chose the included model has a reason.
  if (turns !== undefined || speakerKey !== 'auto') return ok;
  const missing = missingModels(rows, modelWords.voices);
  if (missing.length === 0) return ok;
  const found = `by ${speaker} alone: the number of speakers is often wrong`;
  const fix = `framehound models pull voices (${downloadNote(missing)})`;
  return { name, ok: true, lacking: true, found, fix };
}

/** A language model writes them where one is downloaded that fits. */
function summaries(rows: readonly ListedModel[]): Finding {
  const name = 'summaries';
  const working = recommendedSummaryModel(rows);
  if (working) return { name, ok: true, found: `by ${working.key}` };
  const there = rows.find(({ row, downloaded }) => row.kind === 'summary' && downloaded);
  const why = there
    ? `${there.row.key} needs more memory than this machine has`
    : 'no language model is downloaded';
  const found = `written from templates: ${why}`;
  const [advised] = missingModels(rows, ['summary']);
  if (!advised) return { name, ok: true, lacking: true, found };
  const fix = `framehound models pull ${advised.key} (${downloadNote([advised])})`;
  return { name, ok: true, lacking: true, found, fix };
}

function sight(rows: readonly ListedModel[]): Finding {
  const name = 'things and words';
  const kinds = { 'object-detection': 'things', 'text-recognition': 'printed words' } as const;
  const there = modelWords.sight.flatMap((kind) => {
    const row = bestThere(rows, kind);
    return row ? [`${kinds[kind]} by ${row.key}`] : [];
  });
  if (there.length === modelWords.sight.length) return { name, ok: true, found: there.join(', ') };
  const found = there.length > 0 ? `only ${there.join()}` : 'no model downloaded';
  const missing = missingModels(rows, modelWords.sight);
  const lacking = { name, ok: true, lacking: true, found };
  if (missing.length === 0) return lacking;
  return { ...lacking, fix: `framehound setup (downloads ${downloadNote(missing)})` };
}

/** Advised models of these kinds that are not downloaded. */
function missingModels(rows: readonly ListedModel[], kinds: readonly string[]): ModelRow[] {
  return rows.flatMap(({ row, advised, downloaded }) =>
    kinds.includes(row.kind) && advised && !downloaded ? [row] : [],
  );
}

/** It takes a model that finds faces and one that tells them apart. */
function faces(rows: readonly ListedModel[]): Finding {
  const name = 'faces';
  const detector = bestThere(rows, 'face-detector');
  const embedder = bestThere(rows, 'face-embedder');
  if (detector && embedder) return { name, ok: true, found: `by ${detector.key} and ${embedder.key}` };
  const found = detector
    ? `${detector.key} finds faces, but no model to tell them apart is downloaded`
    : embedder
      ? `${embedder.key} tells faces apart, but no model to find them is downloaded`
      : 'no model downloaded';
  const lacking = { name, ok: true, lacking: true, found };
  const kinds: readonly string[] = modelWords.faces;
  const advised = rows.filter(({ row, advised }) => kinds.includes(row.kind) && advised);
  if (advised.length < 2) return { ...lacking, found: `${found}; no model for this runs on this machine` };
  const note = downloadNote(missingModels(rows, kinds));
  return { ...lacking, fix: `framehound models pull faces (${note})` };
}

async function storage({ values }: Context): Promise<Finding[]> {
  const { home, cache } = folders(values);
  return Promise.all(
    Object.entries({ home, 'analysis folder': cache }).map(async ([name, path]): Promise<Finding> => {
      try {
        makeFolder(path);
        await access(path, constants.R_OK | constants.W_OK);
        const { bavail, bsize } = await statfs(path);
        const free = bavail * bsize;
        const found = `${path}, ${gigabytes(free)} free`;
        if (free > 1e9) return { name, ok: true, found };
        return { name, ok: false, found, fix: 'free up space, or choose another folder with --cache-dir' };
      } catch (error) {
        const found = `${path}: ${reasonOf(error)}`;
        return { name, ok: false, found, fix: 'choose another folder with --home or --cache-dir' };
      }
    }),
  );
}

/** Roots whose footage is out of reach now; none of it is forgotten. */
async function roots({ installation, values }: Context): Promise<Finding[]> {
  const { libraries } = await installation();
  const all = await libraries.roots(folders(values).roots).catch((error: unknown) => {
    if (storeErrors.ROOTS_DAMAGED.is(error)) return error;
    throw error;
  });
  if (!Array.isArray(all)) {
    const fix = 'repair the file, or remove it and add the roots again by the same names';
    return [{ name: 'roots', ok: false, found: all.message, fix }];
  }
  return all.map(({ name, folder, away }): Finding => {
    const finding = { name: `root ${name}`, ok: true, found: away === null ? folder : `${folder} ${away}` };
    if (away === null) return finding;
    const fix = `connect its volume, or if it is elsewhere now: framehound roots move ${name} FOLDER`;
    return { ...finding, lacking: true, fix };
  });
}

/** Files of the home folder and the analysis folder that other users of this machine can read. */
async function privacy({ values }: Context): Promise<Finding[]> {
  const { home, cache } = folders(values);
  const sharedWith = values.shared_with as SharedWith;
  // A folder that nobody can enter keeps what is in it.
  const inside = (folder: string, paths: readonly string[]) =>
    openToOthers([folder], sharedWith).length === 0 ? [] : openToOthers(paths, sharedWith);
  const stored = await readdir(cache).catch(() => []);
  const open = [
    ...inside(home, keptAtHome(home)),
    ...inside(
      cache,
      stored.map((name) => join(cache, name)),
    ),
  ];
  const name = 'privacy';
  const whom = sharedWith === 'group' ? "only members of the folders' group" : 'nobody else';
  if (open.length === 0)
    return [{ name, ok: true, found: `${whom} on this machine can read the stored data` }];
  const [first] = open;
  const more = open.length === 1 ? '' : ` and ${open.length - 1} more`;
  const off = sharedWith === 'group' ? 'o=' : 'go=';
  return [
    {
      name,
      ok: false,
      found: `others on this machine can read ${first}${more}`,
      fix: `chmod -R ${off} ${open.map((path) => `'${path}'`).join(' ')}`,
    },
  ];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

// Findings of `framehound doctor`.

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** Nothing is broken, but it cannot be done as things are. */
  readonly lacking?: boolean;
  /** Command or step that repairs it, or that brings what is lacking. */
  readonly fix?: string;
}

/** `fix`: the repair where `look` throws. */
async function attempt(name: string, look: () => Promise<string>, fix = installCommand): Promise<Finding> {
  try {
    return { name, ok: true, found: await look() };
  } catch (error) {
    return { name, ok: false, found: error instanceof Error ? error.message : String(error), fix };
  }
}

// Findings of `framehound doctor` about a cluster: its database, its folder, and this machine as a node.

/** First version of PostgreSQL that is supported. */
const OLDEST = 15;
/** Seconds of difference between clocks, and megabytes a second of the folder, that are told. */
const CLOCK_TELL = 60;
const SLOW = 10;

/** Options of the command line that take precedence over settings. */
interface Joining {
  readonly cluster?: string | undefined;
  readonly 'cluster-folder'?: string | undefined;
}

/** Nothing where neither it nor the settings name a cluster. */
export async function clusterFindings(joining: Joining, context: Context): Promise<Finding[]> {
  const { installation, values, clock } = context;
  const url = databaseAddress(joining.cluster, values);
  if (url === '') return [];
  const admin = await (await installation()).cluster(url, clock);
  return keptAlive(looked(admin, joining, context).finally(() => admin.close()));
}

async function looked(admin: ClusterAdmin, joining: Joining, context: Context): Promise<Finding[]> {
  let facts: DatabaseFacts | null = null;
  const reached = await attempt(
    'cluster database',
    async () => {
      facts = await admin.examine();
      return `PostgreSQL ${facts.server}, answers in ${facts.milliseconds.toFixed(1)} ms`;
    },
    `check the address of the database, its user and password, and that PostgreSQL ${OLDEST} or newer runs there`,
  );
  const database = facts as DatabaseFacts | null;
  const { 'cluster-folder': folder = context.values.cluster_folder } = joining;
  const shared = await folderFinding(admin, folder, database);
  if (database === null) return [reached, shared];
  return [
    reached,
    ...(database.major < OLDEST ? [tooOld(database)] : []),
    tables(database),
    clockFinding(database),
    ...(await rootFindings(database, context)),
    shared,
  ];
}

function tooOld({ server }: DatabaseFacts): Finding {
  const fix = `update the server to PostgreSQL ${OLDEST} or newer`;
  return { name: 'cluster server', ok: false, found: `PostgreSQL ${server} is not supported`, fix };
}

function tables({ tables: version, supported, may_create }: DatabaseFacts): Finding {
  const name = 'cluster tables';
  if (version > supported) {
    const found = `version ${version}; this program knows ${supported}`;
    return { name, ok: false, found, fix: 'update framehound on this machine' };
  }
  if (version === supported) return { name, ok: true, found: `version ${version}` };
  if (version > 0) {
    const found = `version ${version}; the first machine that joins with this program brings them to ${supported}`;
    return { name, ok: true, found };
  }
  if (may_create) return { name, ok: true, found: 'none yet: the first machine that joins makes them' };
  const found = 'there are none, and this user may not make any';
  return {
    name,
    ok: false,
    found,
    fix: 'as the owner of the database: grant create on database NAME to USER',
  };
}

function clockFinding({ clock_seconds }: DatabaseFacts): Finding {
  const far = `${Math.abs(clock_seconds).toFixed(1)} s ${clock_seconds < 0 ? 'behind' : 'ahead of'} the database`;
  const finding = { name: 'cluster clock', ok: true, found: far };
  if (Math.abs(clock_seconds) <= CLOCK_TELL) return finding;
  return { ...finding, lacking: true, fix: 'set the clocks of both machines by a time server (NTP)' };
}

async function rootFindings({ roots }: DatabaseFacts, { installation, values }: Context): Promise<Finding[]> {
  const { libraries } = await installation();
  // One that cannot be read is told among the roots.
  const ownRoots = await libraries.roots(folders(values).roots).catch(() => []);
  const names = new Set(ownRoots.map(({ name }) => name));
  const missing = roots.filter((name) => !names.has(name));
  if (missing.length > 0) {
    return missing.map((name) => ({
      name: 'cluster roots',
      ok: false,
      found: `media of the cluster are in the root ${name}, which this machine does not have`,
      fix: `framehound roots add ${name} FOLDER`,
    }));
  }
  if (names.size > 0) return [{ name: 'cluster roots', ok: true, found: [...names].join(', ') }];
  const found = 'this machine has none, so no other one could find its files';
  return [{ name: 'cluster roots', ok: false, found, fix: 'framehound roots add NAME FOLDER' }];
}

async function folderFinding(
  admin: ClusterAdmin,
  folder: string,
  facts: DatabaseFacts | null,
): Promise<Finding> {
  const name = 'cluster folder';
  const fix =
    'mount the folder that all machines share, writable for this user, and name it with --cluster-folder';
  if (folder === '') return { name, ok: false, found: 'no folder is named', fix };
  let speed = 0;
  const finding = await attempt(
    name,
    async () => {
      const { megabytes_per_second, milliseconds, library } = await admin.tryFolder(folder);
      speed = megabytes_per_second;
      if (library !== null && facts !== null && library !== facts.library)
        throw new Error(`${folder} is the folder of another cluster`);
      return `${folder}, writes ${speed.toFixed(0)} MB/s, a small file in ${milliseconds.toFixed(1)} ms`;
    },
    fix,
  );
  if (!finding.ok || speed >= SLOW) return finding;
  return {
    ...finding,
    lacking: true,
    fix: 'what workers find passes through it: mount it over a faster network',
  };
}

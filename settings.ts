// Every setting of the product, in one table.
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Type } from 'typebox';
import { EncodingChoice } from './actors/decoder/clips/contract.ts';
import { DecodeMode } from './actors/decoder/contract.ts';
import { type Device, type DeviceChoice, numbered } from './actors/models/device.ts';
import { type Config, type Setting, type SettingSource, setting, type Values } from './runtime/config.ts';
import { physicalCores, usableMemory } from './runtime/process/limits.ts';
import { redactText } from './runtime/redact.ts';

const cores = availableParallelism();
const home = join(homedir(), '.framehound');
const anAddress = 'an address that begins with http:// or https://';
const aDatabase = 'an address that begins with postgres://';
const webAddress = Type.String({ pattern: '^(https?://\\S+)?$', description: anAddress });

export const settings = {
  home: setting(Type.String({ minLength: 1 }), {
    fallback: home,
    env: 'FRAMEHOUND_HOME',
    flag: 'home',
    doc: 'folder for the task journal, models, license keys and the default analysis folder',
  }),
  shared_with: setting(Type.Union([Type.Literal('nobody'), Type.Literal('group')]), {
    fallback: 'nobody',
    env: 'FRAMEHOUND_SHARED_WITH',
    doc: 'who else on this machine may access stored data: nobody, or the group that owns the folders',
  }),
  cache_dir: setting(Type.String(), {
    fallback: '',
    env: 'FRAMEHOUND_CACHE_DIR',
    flag: 'cache-dir',
    doc: 'analysis folder; empty means "analysis" in the home folder',
  }),
  model: setting(Type.String({ minLength: 1 }), {
    fallback: 'starter-visual-3',
    env: 'FRAMEHOUND_MODEL',
    flag: 'model',
    doc: 'key of the visual model, from `framehound models list`',
  }),
  speaker_model: setting(Type.String({ minLength: 1 }), {
    fallback: 'auto',
    env: 'FRAMEHOUND_SPEAKER_MODEL',
    doc: 'key of the model that tells voices apart; auto uses the most accurate one that is downloaded',
  }),
  device: setting(
    Type.Union([
      Type.Literal('auto'),
      Type.Literal('cpu'),
      Type.Literal('cuda'),
      Type.Literal('tensorrt'),
      Type.Literal('webgpu'),
      Type.Literal('dml'),
      Type.Literal('coreml'),
      Type.Unsafe<Exclude<DeviceChoice, Device | 'auto'>>(
        Type.String({
          pattern: `^(${numbered.join('|')}):\\d{1,2}$`,
          description: 'or one with a number such as cuda:1',
        }),
      ),
    ]),
    {
      fallback: 'auto',
      env: 'FRAMEHOUND_DEVICE',
      flag: 'device',
      doc: 'device that models run on; auto uses the best one that works; auto:1 and cuda:1 the second card',
    },
  ),
  decode: setting(DecodeMode, {
    fallback: 'exact',
    env: 'FRAMEHOUND_DECODE',
    flag: 'decode',
    doc: 'exact: the exact picture of every second; keyframes: the nearest keyframe, several times faster',
  }),
  hardware_decoding: setting(Type.Union([Type.Literal('auto'), Type.Literal('off')]), {
    fallback: 'auto',
    env: 'FRAMEHOUND_HARDWARE_DECODING',
    doc: 'use a device for decoding, if there is one',
  }),
  hardware_encoding: setting(EncodingChoice, {
    fallback: 'auto',
    env: 'FRAMEHOUND_HARDWARE_ENCODING',
    doc: 'encode precise clips on a device, if there is one that passes a test; off: always in software; only: clips and proxies never in software',
  }),
  decoders: setting(Type.Integer({ minimum: 1, maximum: 256 }), {
    fallback: cores,
    env: 'FRAMEHOUND_DECODERS',
    doc: 'number of files decoded at the same time, one thread each',
  }),
  still_memory_mb: setting(Type.Integer({ minimum: 64 }), {
    // Two GiB decode an AVIF of 130 megapixels, and no file takes all of a large machine; where more decoders
    // work at the same time, each may have pictures of 6K.
    fallback: Math.min(Math.max(2048, 512 * cores), Math.max(256, Math.floor(usableMemory() / 4 / 2 ** 20))),
    env: 'FRAMEHOUND_STILL_MEMORY_MB',
    doc: 'memory in MiB that all decoders together may use for stills, large pictures of films, and long indexes and attached files of films; files that need more are refused',
  }),
  model_threads: setting(Type.Integer({ minimum: 1, maximum: 256 }), {
    fallback: physicalCores(),
    env: 'FRAMEHOUND_MODEL_THREADS',
    doc: 'number of processor threads a model may use',
  }),
  preview_side: setting(Type.Integer({ minimum: 64, maximum: 4096 }), {
    fallback: 640,
    env: 'FRAMEHOUND_PREVIEW_SIDE',
    doc: 'longest side of stored previews, in pixels',
  }),
  preview_quality: setting(Type.Integer({ minimum: 1, maximum: 100 }), {
    fallback: 80,
    env: 'FRAMEHOUND_PREVIEW_QUALITY',
    doc: 'JPEG quality of stored previews',
  }),
  face_side: setting(Type.Integer({ minimum: 320, maximum: 1920 }), {
    fallback: 1280,
    env: 'FRAMEHOUND_FACE_SIDE',
    doc: 'longest side of film pictures searched for faces and words, in pixels',
  }),
  proxies_gb: setting(Type.Number({ minimum: 0.001, maximum: 100_000 }), {
    fallback: 20,
    env: 'FRAMEHOUND_PROXIES_GB',
    doc: 'disk space in GB for proxies in each analysis folder; the least recently used ones are removed first',
  }),
  watch_interval_seconds: setting(Type.Number({ minimum: 1, maximum: 86_400 }), {
    fallback: 30,
    env: 'FRAMEHOUND_WATCH_INTERVAL_SECONDS',
    doc: 'seconds between scans of watched folders; changes that the system reports are noticed sooner',
  }),
  watch_resume: setting(Type.Boolean({ description: 'true or false' }), {
    fallback: true,
    env: 'FRAMEHOUND_WATCH_RESUME',
    doc: 'whether a watch-folder service that was running is resumed when `serve` starts',
  }),
  models_url: setting(Type.String({ pattern: '^https?://', description: anAddress }), {
    fallback: 'https://huggingface.co',
    env: 'FRAMEHOUND_MODELS_URL',
    doc: 'server from which model files are downloaded',
  }),
  sight: setting(Type.Union([Type.Literal('auto'), Type.Literal('off')]), {
    fallback: 'auto',
    env: 'FRAMEHOUND_SIGHT',
    doc: 'auto: `tour` and `npm start` download the models that find things and read words, unless CI is set; off: never',
  }),
  host: setting(Type.String({ minLength: 1 }), {
    fallback: '127.0.0.1',
    env: 'FRAMEHOUND_HOST',
    flag: 'host',
    doc: 'address the service listens on; 0.0.0.0 means all addresses of the machine',
  }),
  port: setting(Type.Integer({ minimum: 0, maximum: 65_535 }), {
    fallback: 6699,
    env: 'FRAMEHOUND_PORT',
    flag: 'port',
    doc: 'port the service listens on; 0 means any free port',
  }),
  hosts: setting(Type.Array(Type.String({ minLength: 1 })), {
    fallback: [],
    env: 'FRAMEHOUND_HOSTS',
    doc: 'host names of the service besides the loopback names; a list, or separated by commas',
  }),
  origins: setting(Type.Array(Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#*\\s]+$' })), {
    fallback: [],
    env: 'FRAMEHOUND_ORIGINS',
    doc: 'origins of web pages that may call the service, each as scheme://name[:port]; a list, or separated by commas',
  }),
  webhook_hosts: setting(Type.Array(Type.String({ pattern: '^[^\\s/@]+$' })), {
    fallback: [],
    env: 'FRAMEHOUND_WEBHOOK_HOSTS',
    doc: 'other machines that webhooks may call, each as name or name:port; a list, or separated by commas',
  }),
  cluster: setting(Type.String({ pattern: '^(postgres(ql)?://\\S+)?$', description: aDatabase }), {
    fallback: '',
    env: 'FRAMEHOUND_CLUSTER',
    doc: 'database of a cluster that `serve` joins, postgres://user:password@host/name; empty means none',
    secret: true,
  }),
  cluster_folder: setting(Type.String(), {
    fallback: '',
    env: 'FRAMEHOUND_CLUSTER_FOLDER',
    doc: 'folder that all machines of the cluster share, for what workers find',
  }),
  roles: setting(Type.Array(Type.Union([Type.Literal('front'), Type.Literal('worker')]), { minItems: 1 }), {
    fallback: ['front', 'worker'],
    env: 'FRAMEHOUND_ROLES',
    doc: 'roles in the cluster: front, worker or both; only a worker analyses',
  }),
  server: setting(webAddress, {
    fallback: '',
    env: 'FRAMEHOUND_SERVER',
    flag: 'server',
    doc: 'address of a running service that commands use; empty means that commands start an engine of their own',
  }),
  license_key: setting(Type.String({ pattern: '^[\\x21-\\x7e]*$' }), {
    fallback: '',
    env: 'FRAMEHOUND_LICENSE_KEY',
    flag: 'key',
    doc: 'license key for the service in `server`; set it in the environment, because others can read command lines',
    secret: true,
  }),
  license_url: setting(webAddress, {
    fallback: '',
    env: 'FRAMEHOUND_LICENSE_URL',
    doc: 'address of a license server; empty means that keys come from `framehound license issue`',
  }),
  license_public_key: setting(Type.String(), {
    fallback: '',
    env: 'FRAMEHOUND_LICENSE_PUBLIC_KEY',
    doc: 'Ed25519 key that signs the machine files of the license server: PEM, its path, or 32 bytes as base64',
  }),
  log_level: setting(
    Type.Union([
      Type.Literal('auto'),
      Type.Literal('debug'),
      Type.Literal('info'),
      Type.Literal('warn'),
      Type.Literal('error'),
    ]),
    {
      fallback: 'auto',
      env: 'FRAMEHOUND_LOG_LEVEL',
      flag: 'log-level',
      doc: 'lowest level that is logged; auto: info for the service, warn for other commands',
    },
  ),
  log_format: setting(Type.Union([Type.Literal('auto'), Type.Literal('json'), Type.Literal('text')]), {
    fallback: 'auto',
    env: 'FRAMEHOUND_LOG_FORMAT',
    flag: 'log-format',
    doc: 'format of log lines; auto: text on a terminal, otherwise one JSON object per line',
  }),
};

export type SettingValues = Values<typeof settings>;

/** The folders that follow from the settings. */
export function folders(values: Pick<SettingValues, 'home' | 'cache_dir'>) {
  const homeFolder = resolve(values.home);
  return {
    home: homeFolder,
    cache: values.cache_dir ? resolve(values.cache_dir) : join(homeFolder, 'analysis'),
    models: join(homeFolder, 'models'),
    journal: join(homeFolder, 'journal.ndjson'),
    tasks: join(homeFolder, 'tasks'),
    lists: join(homeFolder, 'lists'),
    roots: join(homeFolder, 'roots.json'),
    searches: join(homeFolder, 'searches'),
    webhooks: join(homeFolder, 'webhooks'),
    licenses: join(homeFolder, 'licenses'),
    machine: join(homeFolder, 'machine'),
    sessions: join(homeFolder, 'sessions'),
  };
}

/** Private files and folders of the program in the home folder; models are not private. */
export function keptAtHome(home: string): string[] {
  const names = [
    ...['config.json', 'service.json', 'service.log', 'service.log.1', 'journal.ndjson'],
    ...[
      'analysis',
      'samples-analysis',
      'found',
      'tasks',
      'lists',
      'roots.json',
      'watch-folders',
      'searches',
      'webhooks',
      'licenses',
      'machine',
      'cluster',
    ],
    'sessions',
  ];
  return names.map((name) => join(home, name));
}

export interface SettingRow {
  readonly name: string;
  readonly value: unknown;
  readonly source: SettingSource;
  /** Its environment variable. */
  readonly environment: string | undefined;
  readonly doc: string;
}

/** Settings for display: secrets only as set or not, and addresses without passwords. */
export function settingRows({ values, sources }: Config<typeof settings>): SettingRow[] {
  return Object.entries(settings).map(([key, { doc, env, secret = false }]: [string, Setting]) => {
    const name = key as keyof typeof settings;
    const plain: unknown = values[name];
    const value = secret && plain !== '' ? '(set)' : typeof plain === 'string' ? redactText(plain) : plain;
    return { name, value, source: sources[name], environment: env, doc };
  });
}

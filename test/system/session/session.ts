// A session with a service: what is asked, what is answered, the events of tasks, and the files that are
// written, with all that differs between two runs taken out.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import type { ProgressEvent } from '../../../events/protocol.ts';
import { issueKey, KEY_BYTES } from '../../../http/license/store.ts';
import { newHome } from '../command-line.ts';
import { type RunningService, startService } from '../service.ts';
import { eventsOf } from './events.ts';
import { writeFaceModels } from './face-models.ts';
import { type LibraryPaths, makeLibrary } from './library.ts';
import { Mask } from './mask.ts';

/** Settings whose defaults depend on the machine. */
const settings = {
  decoders: 1,
  model_threads: 2,
  still_memory_mb: 512,
  device: 'cpu',
  hardware_decoding: 'off',
  hardware_encoding: 'off',
};

/** Headers that are part of an answer; the content type where it is not JSON. */
const texts = [
  'retry-after',
  'allow',
  'content-range',
  'content-security-policy',
  'access-control-allow-origin',
];

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is kept of the answer, when it is not all of it. */
  readonly keep?: (body: never) => unknown;
  /** Not below /api/v1. */
  readonly bare?: boolean;
}

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
}

export class Session {
  readonly service: RunningService;
  readonly media: LibraryPaths;
  readonly mask: Mask;
  /** Opens nothing. */
  readonly basicKey: string;
  /** Of the whole session, and where its exports are written. */
  readonly cacheDir: string;
  readonly out: string;
  readonly #topics = new Map<string, unknown[]>();
  readonly #asked = new Set<string>();
  #topic: unknown[] = [];

  constructor(service: RunningService, media: LibraryPaths, mask: Mask, basicKey: string) {
    this.service = service;
    this.media = media;
    this.mask = mask;
    this.basicKey = basicKey;
    const { folder } = service.home;
    this.cacheDir = join(folder, 'analysis');
    this.out = join(folder, 'out');
  }

  /** What follows is of this topic. */
  begin(topic: string): void {
    this.#topic = [];
    this.#topics.set(topic, this.#topic);
  }

  /** The topics as they are compared, and every `METHOD /path` that was asked. */
  get topics(): ReadonlyMap<string, unknown[]> {
    return this.#topics;
  }
  get asked(): ReadonlySet<string> {
    return this.#asked;
  }

  /** `POST` when there is a body. */
  async ask<T = Record<string, unknown>>(
    path: string,
    body?: unknown,
    { method = body === undefined ? 'GET' : 'POST', headers = {}, keep, bare = false }: AskOptions = {},
  ): Promise<Answer<T>> {
    const full = bare ? path : `/api/v1${path}`;
    const answer = await fetch(`${this.service.address}${full}`, {
      method,
      headers: { 'X-License-Key': this.service.key, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const type = answer.headers.get('content-type') ?? '';
    const isJson = type.includes('json');
    const text = await answer.text();
    const read = (isJson && text !== '' ? JSON.parse(text) : text) as T;
    this.#asked.add(`${method} ${full.split('?')[0]}`);
    const shown = texts.filter((name) => answer.headers.has(name));
    const kept = keep ? keep(read as never) : read;
    this.#topic.push({
      request: this.mask.text(`${method} ${path}`),
      ...(Object.keys(headers).length > 0 && { headers: this.mask.value(headers) }),
      ...(body !== undefined && { body: this.mask.value(body) }),
      status: answer.status,
      ...(type !== '' && !isJson && { type }),
      ...(shown.length > 0 && {
        answer_headers: Object.fromEntries(
          shown.map((name) => [name, this.mask.text(answer.headers.get(name)!)]),
        ),
      }),
      answer: this.mask.value(kept),
    });
    return { status: answer.status, body: read };
  }

  /** The same in the analysis folder of the session. */
  inFolder<T = Record<string, unknown>>(
    path: string,
    body: object = {},
    options?: AskOptions,
  ): Promise<Answer<T>> {
    return this.ask<T>(path, { cache_dir: this.cacheDir, ...body }, options);
  }

  /** Begins a task, waits for its end, and keeps its events and its record. */
  async run(path: string, body: object): Promise<string> {
    const { body: begun } = await this.ask<{ task_id: string }>(path, body);
    await this.follow(begun.task_id);
    return begun.task_id;
  }

  async follow(task_id: string): Promise<readonly ProgressEvent[]> {
    const events = await this.service.follow(task_id);
    this.#topic.push({ events: this.mask.value(eventsOf(events)) });
    await this.ask(`/tasks/${task_id}`, undefined, { keep: inOrder });
    return events;
  }

  /** Whatever else is known at this place of the session. */
  note(what: string, value: unknown): void {
    this.#topic.push({ [what]: this.mask.value(value) });
  }

  /**
   * The files that were written into a folder: JSON as it is, texts line by line, of others how they begin.
   */
  noteFiles(folder: string): void {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort();
    this.note('files', Object.fromEntries(files.map((path) => [relative(folder, path), contentOf(path)])));
  }
}

const isText = /\.(txt|csv|srt|vtt|xml|xmp|edl|fcpxml|md)$/;

function contentOf(path: string): unknown {
  const bytes = readFileSync(path);
  if (/\.(json|otio)$/.test(path)) return JSON.parse(bytes.toString('utf8'));
  if (isText.test(path)) return bytes.toString('utf8').split('\n');
  return `begins with ${JSON.stringify(bytes.subarray(0, 4).toString('latin1'))}`;
}

/** Results come as files end. */
function inOrder(body: { readonly results?: readonly { readonly type: string; readonly path: string }[] }) {
  if (!body.results) return body;
  const nameOf = ({ type, path }: { readonly type: string; readonly path: string }) => `${type} ${path}`;
  return { ...body, results: body.results.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
}

/** A server of models that has none. */
function emptyServer(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, answer) => answer.writeHead(404).end());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() });
    });
  });
}

/** A service on a home of its own, with a library and face models, and its visual model in use. */
export async function startSession(t: TestContext): Promise<Session> {
  const made = newHome();
  const folder = realpathSync(made.folder);
  const home = join(folder, 'home');
  const mask = new Mask();
  mkdirSync(home);
  mkdirSync(join(folder, 'out'));
  const models = await emptyServer();
  t.after(models.close);
  mask.name(models.url, 'server of models');
  writeFileSync(join(home, 'config.json'), JSON.stringify({ ...settings, models_url: models.url }));
  await writeFaceModels(join(home, 'models'));
  const basic = { tier: 'basic', name: '', days: null } as const;
  const { key } = issueKey(join(home, 'licenses'), basic, randomBytes(KEY_BYTES), Date.now());
  const starting = startService(['--no-guardian', '--cache-dir', join(folder, 'analysis')], made);
  t.after(async () => (await starting).end());
  const media = await makeLibrary(join(folder, 'media'));
  const service = await starting;
  for (const [name, path] of Object.entries({
    media: 'media',
    analysis: 'analysis',
    out: 'out',
    home: 'home',
  }))
    mask.name(join(folder, path), name);
  mask.name(folder, 'folder');
  mask.name(service.address, 'address');
  const { host, port } = new URL(service.address);
  mask.name(host, 'host');
  mask.name(`http://localhost:${port}`, 'page');
  await service.modelReady();
  return new Session({ ...service, home: { ...made, folder } }, media, mask, key);
}

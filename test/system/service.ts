// A running service for a test: the command line in a process of its own, its address read off its log.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type Socket as EventSocket, io } from 'socket.io-client';
import type { ProgressEvent } from '../../events/protocol.ts';
import { until } from '../until.ts';
import { type Home, newHome, type Running, SLOW_MS } from './command-line.ts';

export interface Answered<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface RunningService {
  readonly home: Home;
  readonly process: Running;
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly key: string;
  /** `path` below /api/v1; a body makes it a POST. */
  call<T = Record<string, unknown>>(path: string, body?: unknown, method?: string): Promise<Answered<T>>;
  /** The same, and it has to be 200 or 202. */
  ok<T = Record<string, unknown>>(path: string, body?: unknown, method?: string): Promise<T>;
  /** Resolves when the visual model is in use. */
  modelReady(): Promise<void>;
  /** Every event of a task up to its last one. */
  follow(task_id: string, seen?: (event: ProgressEvent) => void): Promise<ProgressEvent[]>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
  /** Whatever happened: nothing runs on, nothing is left. */
  end(): Promise<void>;
}

/** `home`: one that was used before; a new one otherwise. */
export async function startService(
  args: readonly string[] = ['--no-guardian'],
  home: Home = newHome(),
): Promise<RunningService> {
  const key = home.key();
  const running = home.start('serve', '--port', '0', '--log-format', 'json', ...args);
  await running.said('"message":"listening"');
  const line = running
    .printed()
    .split('\n')
    .find((one) => one.includes('"message":"listening"'))!;
  const address = new URL((JSON.parse(line) as { api: string }).api).origin;
  const call = async <T>(path: string, body?: unknown, method?: string): Promise<Answered<T>> => {
    const answer = await fetch(`${address}/api/v1${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'X-License-Key': key, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
  };
  const ok = async <T>(path: string, body?: unknown, method?: string) => {
    const { status, body: answer } = await call<T>(path, body, method);
    assert.ok(status === 200 || status === 202, `${path} ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    home,
    process: running,
    address,
    key,
    call,
    ok,
    modelReady: async () => {
      // Whether it is in use or cannot be: asked again and again, a service would take longer to load it.
      await running.said('visual model');
      await modelReady(() => ok('/models/loaded'));
    },
    follow: (task_id, seen) => follow(address, task_id, seen),
    stop: async () => {
      running.child.kill('SIGTERM');
      return (await running.ended).code;
    },
    end: async () => {
      running.child.kill('SIGKILL');
      await running.ended;
      home.remove();
    },
  };
}

/** One that nobody stops, with a new analysis folder for whoever asks. */
export interface SharedService extends Omit<RunningService, 'process' | 'stop' | 'end'> {
  readonly cache_dir: string;
}

const shared = new Map<unknown, Promise<RunningService>>();

/**
 * Files of one process share it, since a start takes two seconds of a processor; it ends with the process.
 * `prepare` is called with the folder of its models before it starts; another one, another service.
 */
export async function sharedService(prepare?: (models: string) => Promise<void>): Promise<SharedService> {
  if (!shared.has(prepare)) shared.set(prepare, startShared(prepare));
  const { process: _, stop: _stop, end: _end, ...service } = await shared.get(prepare)!;
  return { ...service, cache_dir: join(service.home.folder, `analysis-${randomUUID()}`) };
}

async function startShared(prepare?: (models: string) => Promise<void>): Promise<RunningService> {
  const home = newHome();
  await prepare?.(join(home.folder, 'home', 'models'));
  const service = await startService(['--no-guardian'], home);
  await service.modelReady();
  const { child } = service.process;
  // Nothing else may keep the process of the tests, which ends it.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket).unref();
  process.once('exit', () => child.kill('SIGKILL'));
  return service;
}

/** Of a service that loads its visual model; fails when it cannot. */
export async function modelReady(loaded: () => Promise<{ visual: { load_status: string } }>): Promise<void> {
  const isReady = async () => {
    const { load_status } = (await loaded()).visual;
    assert.ok(['ready', 'loading'].includes(load_status), load_status);
    return load_status === 'ready';
  };
  await until(isReady, { within: SLOW_MS });
}

async function follow(
  address: string,
  task_id: string,
  seen: (event: ProgressEvent) => void = () => {},
): Promise<ProgressEvent[]> {
  const socket: EventSocket = io(address, { transports: ['websocket'] });
  const events: ProgressEvent[] = [];
  const done = Promise.withResolvers<void>();
  socket.on('progress', (event: ProgressEvent) => {
    events.push(event);
    seen(event);
    if (event.done) done.resolve();
  });
  socket.on('connect_error', done.reject);
  // A service that is very busy may lose the connection; the next one has to join again.
  socket.on('connect', () => socket.emit('join', task_id));
  try {
    await done.promise;
    return events;
  } finally {
    socket.disconnect();
  }
}

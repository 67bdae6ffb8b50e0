// A service under its guardian whose engine a test kills: reads its log, and asks over connections of their
// own, so that no dead one is used again.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import type { ProgressEvent } from '../../events/protocol.ts';
import { Condition } from '../../runtime/sync/locks.ts';
import { until } from '../until.ts';
import { framehound, type Home, newHome, SLOW_MS } from './command-line.ts';
import { modelReady } from './service.ts';

interface LogEntry {
  readonly message: string;
  readonly pid?: number;
  readonly restarts?: number;
  readonly [field: string]: unknown;
}

export interface Said<T> {
  readonly status: number;
  readonly body: T;
}

export interface Ending {
  readonly code: number | null;
  /** From the signal to the end of the guardian and of all that holds its output. */
  readonly ms: number;
}

/**
 * `wrap`: a program and its arguments that start the service in their turn. `command`: the command line of
 * framehound, without the words of `serve`.
 */
export async function startGuarded(
  home: Home = newHome(),
  wrap: readonly string[] = [],
  command: readonly string[] = framehound,
) {
  const key = home.key();
  const port = await freePort();
  const [program = '', ...args] = [
    ...wrap,
    ...command,
    ...['serve', '--port', String(port), '--log-format', 'json'],
  ];
  const env = { ...process.env, FRAMEHOUND_HOME: join(home.folder, 'home') };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const service = new GuardedService(home, port, key, child);
  await service.logged(({ message }) => message === 'engine is ready');
  return service;
}

export class GuardedService {
  readonly home: Home;
  readonly port: number;
  readonly address: string;
  readonly key: string;
  readonly #child: ChildProcess;
  readonly #log: LogEntry[] = [];
  readonly #ended: Promise<number | null>;
  #rest = '';
  readonly #news = new Condition();
  #over = false;

  constructor(home: Home, port: number, key: string, child: ChildProcess) {
    this.home = home;
    this.port = port;
    this.address = `http://127.0.0.1:${port}`;
    this.key = key;
    this.#child = child;
    child.stderr!.on('data', (text) => this.#read(String(text)));
    this.#ended = new Promise((resolve) => {
      child.on('close', (code) => {
        this.#over = true;
        this.#news.notifyAll();
        resolve(code);
      });
    });
  }

  get log(): readonly LogEntry[] {
    return this.#log;
  }

  /** Process of the engine that lives now. */
  get engine(): number {
    return this.#log.findLast(({ message }) => message === 'engine started')!.pid!;
  }

  /** The first such line, from the `from`th on. */
  async logged(isIt: (entry: LogEntry) => boolean, from = 0): Promise<LogEntry> {
    const look = () => {
      const found = this.#log.slice(from).find(isIt);
      if (found || !this.#over) return found;
      const last = this.#log.slice(-5).map((one) => JSON.stringify(one));
      throw new Error(`the service ended:\n${last.join('\n')}`);
    };
    return until(look, { within: SLOW_MS, next: (signal) => this.#news.wait(signal) });
  }

  /** A body makes it a POST. Rejects when the connection ends without an answer. */
  ask<T = Record<string, unknown>>(path: string, body?: unknown, method?: string): Promise<Said<T>> {
    const url = `${this.address}${path.startsWith('/livez') ? '' : '/api/v1'}${path}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      'X-License-Key': this.key,
      ...(text ? { 'Content-Length': Buffer.byteLength(text) } : {}),
    };
    return new Promise((resolve, reject) => {
      const options = { method: method ?? (text ? 'POST' : 'GET'), agent: false, headers };
      const input = request(url, options, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          const read = JSON.parse(Buffer.concat(pieces).toString()) as T;
          resolve({ status: answer.statusCode ?? 0, body: read });
        });
      });
      input.on('error', reject);
      input.end(text);
    });
  }

  /** The same, and it has to be 200 or 202. */
  async ok<T = Record<string, unknown>>(path: string, body?: unknown, method?: string): Promise<T> {
    const { status, body: answer } = await this.ask<T>(path, body, method);
    assert.ok(status === 200 || status === 202, `${path} ${status}: ${JSON.stringify(answer)}`);
    return answer;
  }

  modelReady(): Promise<void> {
    return modelReady(() => this.ok('/models/loaded'));
  }

  /** Follows the task to its last event, or until `isEnough` answers true. */
  async follow(task_id: string, isEnough: (event: ProgressEvent) => boolean = () => false): Promise<void> {
    const socket = io(this.address, { transports: ['websocket'], reconnection: false });
    const over = Promise.withResolvers<void>();
    socket.on('progress', (event: ProgressEvent) => {
      if (isEnough(event) || event.done) over.resolve();
    });
    socket.on('connect_error', over.reject);
    socket.on('disconnect', () => over.reject(new Error('the event server has gone')));
    socket.emit('join', task_id);
    await over.promise.finally(() => socket.disconnect());
  }

  /** SIGKILL to the engine; ms until the next one answers. */
  async killEngine(): Promise<number> {
    const from = this.#log.length;
    const began = performance.now();
    process.kill(this.engine, 'SIGKILL');
    await this.logged(({ message }) => message === 'engine is ready', from);
    await this.ask('/livez');
    return performance.now() - began;
  }

  /** The process that the test started: the guardian, or what stands before it. */
  get first(): number {
    return this.#child.pid!;
  }

  /** A signal to the first process. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    const began = performance.now();
    this.#child.kill(signal);
    const code = await this.#ended;
    return { code, ms: performance.now() - began };
  }

  /** Whatever happened: nothing runs on. */
  async end(): Promise<void> {
    if (!this.#over) {
      this.#child.kill('SIGKILL');
      // An engine whose guardian has gone ends too; this is sooner.
      if (isAlive(this.engine)) process.kill(this.engine, 'SIGKILL');
    }
    await this.#ended;
    this.home.remove();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) this.#log.push(JSON.parse(line) as LogEntry);
    this.#news.notifyAll();
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

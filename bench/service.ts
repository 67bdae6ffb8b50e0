// The real service in a process of its own, with a home folder of its own, and a client of it that keeps its
// connections.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { issueKey, KEY_BYTES } from '../http/license/store.ts';
import { resolveConfig } from '../runtime/config.ts';
import { folders, settings } from '../settings.ts';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  /** From the first byte of the question to the last one of the answer. */
  readonly ms: number;
}

export interface Client {
  /** A body makes it a POST. `path` from the root. */
  ask(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The same, parsed; throws unless it is 200 or 202. */
  get<T>(path: string, body?: unknown): Promise<T>;
  close(): void;
}

export interface Service {
  readonly port: number;
  readonly key: string;
  readonly pid: number;
  client(connections: number): Client;
  /** Sum of a metric over its labels, as /metrics tells it now; those whose labels hold `having`. */
  metric(name: string, having?: string): Promise<number>;
  /** SIGTERM. Throws unless it exits with 0. */
  stop(): Promise<void>;
}

const cli = fileURLToPath(new URL('../cli/framehound.ts', import.meta.url));

/** `execArgv`: flags for Node, to profile or debug it. */
export async function startService(
  home: string,
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[] = [],
): Promise<Service> {
  const { values } = resolveConfig(settings, { flags: {}, env: {}, file: { home } });
  const new_key = { tier: 'pro', name: 'bench', days: null } as const;
  const { key } = issueKey(folders(values).licenses, new_key, randomBytes(KEY_BYTES), Date.now());
  const args = [cli, 'serve', '--no-guardian', '--port', '0', '--log-format', 'json'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...execArgv, ...args], {
    env: { ...process.env, FRAMEHOUND_HOME: home, FRAMEHOUND_HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A bench that is given up does not stop it.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  // When all that it said was read.
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const listening = Promise.withResolvers<number>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    const said = JSON.parse(line) as { level: string; message: string; api?: string };
    if (said.message === 'listening') listening.resolve(Number(new URL(said.api!).port));
    else if (said.level === 'warn' || said.level === 'error') process.stderr.write(`service: ${line}\n`);
  });
  void ended.then(([code, signal]) => {
    process.off('exit', kill);
    listening.reject(new Error(`the service ended with ${code ?? signal}`));
  });
  const port = await listening.promise;
  const client = clientOf(port, key, 1);
  return {
    port,
    key,
    pid: child.pid!,
    client: (connections) => clientOf(port, key, connections),
    metric: async (name, having = '') => {
      const lines = (await client.ask('/metrics')).body.toString().split('\n');
      const ours = lines.filter((line) => /^[{ ]/.test(line.slice(name.length)) && line.startsWith(name));
      const chosen = ours.filter((line) => line.includes(having));
      if (chosen.length === 0) throw new Error(`/metrics has no ${name} ${having}`);
      return chosen.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    stop: async () => {
      client.close();
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`the service ended with ${code ?? signal}`);
    },
  };
}

function clientOf(port: number, key: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask: Client['ask'] = (path, body, more = {}) =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        'X-License-Key': key,
        ...(bytes === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(bytes) }),
        ...more,
      };
      const began = performance.now();
      const method = bytes === undefined ? 'GET' : 'POST';
      const input = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          const ms = performance.now() - began;
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces), ms });
        });
      });
      input.on('error', reject);
      input.end(bytes);
    });
  return {
    ask,
    get: async <T>(path: string, body?: unknown) => {
      const answer = await ask(path, body);
      const text = answer.body.toString();
      if (answer.status !== 200 && answer.status !== 202)
        throw new Error(`${path} ${answer.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as T;
    },
    close: () => agent.destroy(),
  };
}

/** Waits until `isSo` answers true; throws after `ms`. */
export async function until(what: string, ms: number, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what} did not come true in ${ms / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

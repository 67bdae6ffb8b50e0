// Runs the command line as a person does, in a process of its own with a home of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { issueKey, KEY_BYTES } from '../../http/license/store.ts';
import { nodeCommand } from '../node-command.ts';

/** ms. Many times what a service takes on a quiet machine to start, or to load a model. */
export const SLOW_MS = 120_000;

const cli = fileURLToPath(new URL('../../cli/framehound.ts', import.meta.url));

export const framehound: readonly [string, ...string[]] = [...nodeCommand, cli];

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text was printed to standard error. */
  said(text: string): Promise<void>;
  /** Standard error so far. */
  printed(): string;
}

export interface Home {
  readonly folder: string;
  /** A new license key of this home, of the tier `pro`. */
  key(): string;
  start(...args: string[]): Running;
  run(...args: string[]): Promise<Ended>;
  remove(): void;
}

/** `env`: of its processes, beside that of the test. */
export function newHome(env: NodeJS.ProcessEnv = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-system-'));
  const start = (...args: string[]): Running => {
    const all = { ...process.env, FRAMEHOUND_HOME: join(folder, 'home'), ...env };
    const [node, ...before] = framehound;
    const child = spawn(node, [...before, ...args], { env: all, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, out, err }));
    });
    const said = (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (err.includes(text)) resolve();
        };
        child.stderr.on('data', look);
        child.on('close', () => reject(new Error(`ended without saying "${text}":\n${err}`)));
        look();
      });
    child.stderr.on('data', (text) => {
      err += text;
    });
    return { child, ended, said, printed: () => err };
  };
  const pro = { tier: 'pro', name: '', days: null } as const;
  return {
    folder,
    key: () => issueKey(join(folder, 'home', 'licenses'), pro, randomBytes(KEY_BYTES), Date.now()).key,
    start,
    run: (...args) => start(...args).ended,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

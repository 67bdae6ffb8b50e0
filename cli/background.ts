// Starts a service that lives on when this command has ended, as `framehound serve` with the same settings.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { engineErrors } from '../runtime/errors.ts';
import { privateFile, replaceFile } from '../runtime/files/atomic-write.ts';
import { underLock } from '../runtime/files/lock.ts';
import { makeFolder } from '../runtime/files/make-folder.ts';
import { ProcessIdentity, thisProcess } from '../runtime/process/identity.ts';
import { folders, settings } from '../settings.ts';
import type { Context } from './context.ts';
import { keptAlive } from './pause.ts';
import { runningService, runsHere } from './service-file.ts';

/** A log that is longer makes room for a new one, bytes. */
const LONGEST_LOG = 10 * 1024 * 1024;
/** Lines of a service that did not start. */
const MOST_LINES = 5;

export interface Background {
  /** Where its log goes. */
  readonly log: string;
  /** Undefined while it runs. */
  readonly ended: { readonly code: number | null } | undefined;
  /** The last errors of its log. */
  why(): string[];
  /** It started: this command need not wait for it any more. */
  leave(): void;
}

/** Null as `claimStart` answers it. Throws INVALID_CONFIG, CANCELLED, and errors of the file system. */
export async function startInBackground(context: Context): Promise<Background | null> {
  const { config, values } = context;
  const { home } = folders(values);
  const leave = await claimStart(home, context);
  if (leave === null) return null;
  try {
    return started(config, home, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

function started(config: Context['config'], home: string, leave: () => void): Background {
  const log = join(home, 'service.log');
  const file = openLogFile(log);
  const from = fstatSync(file).size;
  let ended: Background['ended'];
  const args = [...process.execArgv, process.argv[1]!, 'serve', ...flagsOf(config), '--home', home];
  const child: ChildProcess = spawn(process.execPath, args, {
    // A drive on which this command was typed can be taken away while the service runs.
    cwd: home,
    detached: true,
    stdio: ['ignore', file, file],
    windowsHide: true,
  });
  closeSync(file);
  child.on('error', () => {
    ended = { code: null };
  });
  child.on('exit', (code) => {
    ended = { code };
  });
  child.unref();
  return {
    log,
    get ended() {
      return ended;
    },
    why: () => errorsOf(readFileSync(log).subarray(from).toString()),
    leave,
  };
}

function openLogFile(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LONGEST_LOG) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/**
 * Where this command looks, the service looks too. The analysis folder goes with the ticket; a key is of this
 * command.
 */
function flagsOf({ values, sources }: Context['config']): string[] {
  const own = ['home', 'cache_dir', 'server', 'license_key'];
  const names = Object.keys(settings) as (keyof typeof settings)[];
  const given = names.filter((name) => sources[name] === 'flag' && !own.includes(name));
  return given.flatMap((name) => {
    const { flag } = settings[name] as { flag?: string };
    return flag === undefined ? [] : [`--${flag}`, String(values[name])];
  });
}

/** Lines of a person's mistake, and the errors among those of the log. */
function errorsOf(text: string): string[] {
  const lines = text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    try {
      const { level, message, error } = JSON.parse(line) as Record<string, unknown>;
      const more = typeof error === 'string' ? `: ${error}` : '';
      return level === 'error' ? [`${String(message)}${more}`] : [];
    } catch {
      return [line];
    }
  });
  return lines.slice(-MOST_LINES);
}

// Of several commands that start a service with one home folder at the same time one does.

/**
 * Answers what gives the claim back once the service is known. Null while another command of this machine
 * starts one, or when one runs by now. Throws INVALID_CONFIG.
 */
export function claimStart(
  home: string,
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
): Promise<(() => void) | null> {
  makeFolder(home);
  const path = join(home, 'service.starting');
  const refused = (what: string, _: string, cause?: unknown) =>
    engineErrors.INVALID_CONFIG(`home: ${what}`, {}, cause);
  const claim = underLock(`${path}.lock`, { clock, signal, refused }, () => {
    const holder = holderOf(path);
    // One of another machine starts a service there, which is not found from here.
    if ((holder && runsHere(holder)) || runningService(home)) return null;
    replaceFile(path, `${JSON.stringify(thisProcess())}\n`, { ...privateFile, flush: false });
    return () => rmSync(path, { force: true });
  });
  return keptAlive(claim);
}

function holderOf(path: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Check(ProcessIdentity, value) ? value : null;
  } catch {
    return null; // There is none, or it was cut short.
  }
}

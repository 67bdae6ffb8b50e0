// service.json of the home folder: which service runs with it, where it answers, and the secret by which its
// owner signs in. Only the owner can read it. It is gone when the service has ended; one that a crash left
// behind names processes that ended.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from 'typebox';
import type { Clock } from '../runtime/clock.ts';
import { codeOf, engineErrors } from '../runtime/errors.ts';
import { privateFile, replaceFile } from '../runtime/files/atomic-write.ts';
import { readJsonNow } from '../runtime/files/json-file.ts';
import { discardSync, rmSync } from '../runtime/files/names.ts';
import {
  hasEnded,
  identityOf,
  isSameStart,
  ProcessIdentity,
  thisProcess,
} from '../runtime/process/identity.ts';
import { programVersion } from '../runtime/process/program.ts';
import { nullable } from '../runtime/schema.ts';
import type { Context } from './context.ts';

export const RunningService = Type.Object({
  version: Type.Literal(1),
  engine: ProcessIdentity,
  /** Starts the engine again; null where the engine runs alone. */
  guardian: nullable(ProcessIdentity),
  program: Type.String(),
  host: Type.String(),
  /** The one that is listened on. */
  port: Type.Integer(),
  /** Sent in place of a license key; null where a license server decides. */
  owner: nullable(Type.String()),
});
export type RunningService = Static<typeof RunningService>;

interface Listening {
  readonly host: string;
  readonly port: number;
  readonly owner: string | null;
  readonly guarded: boolean;
}

function pathOf(home: string): string {
  return join(home, 'service.json');
}

/** How often a service looks whether it is the one to be found, ms. */
const LOOK_MS = 5_000;

/**
 * Names this service in the file whenever it names none that runs: of two with one home folder the first is
 * found, and when it ends the other one is. Answers the function that ends this, and removes the file if it
 * names this service.
 */
export function keepServiceFile(
  home: string,
  listening: Listening,
  { clock, log }: Pick<Context, 'clock' | 'log'>,
): () => void {
  let forget = () => {};
  let disarm = () => {};
  let lastWarning = '';
  const warn = (message: string, error?: unknown) => {
    if (message !== lastWarning) log.warn(message, { home, ...(error !== undefined && { error }) });
    lastWarning = message;
  };
  const look = () => {
    try {
      const written = writeServiceFile(home, listening);
      if (written) forget = written;
      else warn('another service already uses this home folder; framehound open will find that service');
    } catch (error) {
      warn('framehound open and framehound stop will not find this service', error);
    }
    disarm = clock.after(LOOK_MS, look);
  };
  look();
  return () => {
    disarm();
    forget();
  };
}

/**
 * Called by the engine that listens. Answers a function that removes the file again. False: another service
 * runs with this home folder, and stays the one that is found. Throws the error of the file system.
 */
export function writeServiceFile(home: string, listening: Listening): false | (() => void) {
  const { guarded, ...facts } = listening;
  const engine = thisProcess();
  const guardian = guarded ? identityOf(process.ppid) : null;
  const before = readFile(home);
  // The engine of the same guardian, which starts it again, is no other service.
  if (before && !isOurs(before, engine, guardian) && isRunning(before)) return false;
  const service: RunningService = { version: 1, engine, guardian, program: programVersion(), ...facts };
  if (!isDeepStrictEqual(before, service))
    replaceFile(pathOf(home), `${JSON.stringify(service)}\n`, { ...privateFile, flush: false });
  return () => {
    const now = readFile(home);
    if (now && isSame(now.engine, engine)) rmSync(pathOf(home), { force: true });
  };
}

function isOurs(before: RunningService, engine: ProcessIdentity, guardian: ProcessIdentity | null): boolean {
  if (guardian) return isSame(before.guardian, guardian);
  return before.guardian === null && isSame(before.engine, engine);
}

/** Two machines that share a home folder, and two containers, give out the same numbers. As in `runsHere`. */
function isSame(a: ProcessIdentity | null, b: ProcessIdentity): boolean {
  if (a === null || a.pid !== b.pid || !isSameStart(a.started, b.started)) return false;
  return a.host === b.host || a.started !== '';
}

/** Null when none runs, or one on another machine. Throws INVALID_CONFIG when that cannot be read. */
export function runningService(home: string): RunningService | null {
  const service = readFile(home);
  return service && isRunning(service) ? service : null;
}

/** Also true while a guardian starts its engine again. */
export function isRunning({ guardian, engine }: RunningService): boolean {
  return (guardian !== null && runsHere(guardian)) || runsHere(engine);
}

/**
 * The name of a machine may change while a process runs, as that of a laptop in another network; when it
 * began does not.
 */
export function runsHere(met: ProcessIdentity): boolean {
  const now = identityOf(met.pid);
  const isHere = met.host === now.host || (now.started !== '' && isSameStart(met.started, now.started));
  return isHere && !hasEnded({ ...met, host: now.host });
}

function readFile(home: string): RunningService | null {
  const path = pathOf(home);
  try {
    return readJsonNow(RunningService, path) ?? null;
  } catch (error) {
    // A file of another version or a damaged one does not name a service.
    if (codeOf(error) === '') return null;
    const reason = `${(error as Error).message}; only the user who runs the service can read it`;
    throw engineErrors.INVALID_CONFIG(`home: ${path} ${reason}`, {}, error);
  }
}

// Windows has no signals, and ends a process that is sent one at once: who wants a service to stop there
// writes a file, which the service looks for.

/** How often, ms. */
const STOP_LOOK_MS = 500;

function stopPathOf(home: string): string {
  return join(home, 'service.stop');
}

/** Asks a service of this home folder to stop. Throws the error of the file system. */
export function askToStop(home: string, { guardian, engine }: RunningService): void {
  replaceFile(stopPathOf(home), `${JSON.stringify(guardian ?? engine)}\n`, { ...privateFile, flush: false });
}

/** Calls `stop` once when this service is asked to. Answers a function that ends looking. */
export function heedStop(
  home: string,
  { guarded, clock }: { readonly guarded: boolean; readonly clock: Clock },
  stop: () => void,
): () => void {
  const owner = guarded ? identityOf(process.ppid) : thisProcess();
  let disarm = () => {};
  const look = () => {
    if (!isSame(stopRequest(home), owner)) {
      disarm = clock.after(STOP_LOOK_MS, look);
      return;
    }
    discardSync(stopPathOf(home));
    stop();
  };
  look();
  return () => disarm();
}

/** Null where nobody asks, or what is there was cut short. */
function stopRequest(home: string): ProcessIdentity | null {
  try {
    return readJsonNow(ProcessIdentity, stopPathOf(home)) ?? null;
  } catch {
    return null;
  }
}

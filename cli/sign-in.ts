// The address that signs a browser in: asks the service of the home folder for a ticket, and starts one when
// none runs.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../http/client/client.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import { engineErrors, errorTable } from '../runtime/errors.ts';
import { privateFile, replaceFile } from '../runtime/files/atomic-write.ts';
import { makeFolder } from '../runtime/files/folder.ts';
import { readJsonNow } from '../runtime/files/json-file.ts';
import { underLock } from '../runtime/files/lock.ts';
import { renameSync, rmSync } from '../runtime/files/names.ts';
import { localOrigin, pageAddress, signInAddress } from '../runtime/origin.ts';
import { ProcessIdentity, thisProcess } from '../runtime/process/identity.ts';
import { programVersion } from '../runtime/process/program.ts';
import { folders, settings } from '../settings.ts';
import { type Context, keptAlive, pause } from './context.ts';
import { type RunningService, runningService, runsHere } from './service-file.ts';

// Starts a service that lives on when this command has ended, as `framehound serve` with the same settings.

/** A log that is longer makes room for a new one, bytes. */
const LONGEST_LOG = 10 * 1024 * 1024;
/** Lines of a service that did not start. */
const MOST_LINES = 5;

interface Background {
  readonly log: string;
  /** Undefined while it runs. */
  readonly ended: { readonly code: number | null } | undefined;
  /** The last errors of its log. */
  why(): string[];
  /** It started: this command need not wait for it any more. */
  leave(): void;
}

/** Null as `claimStart` answers it. Throws INVALID_CONFIG, CANCELLED, and errors of the file system. */
async function startInBackground(context: Context): Promise<Background | null> {
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
  const ownSettings = ['home', 'cache_dir', 'server', 'license_key'];
  const names = Object.keys(settings) as (keyof typeof settings)[];
  const given = names.filter((name) => sources[name] === 'flag' && !ownSettings.includes(name));
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

// Starts one service, also if several commands try at the same time with one home folder.

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
    return readJsonNow(ProcessIdentity, path) ?? null;
  } catch {
    return null; // There is none, or it was cut short.
  }
}

export const serviceErrors = errorTable({
  NOT_STARTED: { meaning: 'The service could not be started', status: 503 },
  KEY_REFUSED: { meaning: 'The service does not accept the license key', status: 403 },
  NOT_REACHED: { meaning: 'The running service does not respond', status: 503, retryable: true },
  NOT_STOPPED: { meaning: 'The service cannot be stopped from here', status: 409 },
});

/** A start with a crash in it takes a few seconds; a slow disk more. */
const LIMIT_MS = 60_000;
/** How long the service that another command started may take to be known, once our own could not start. */
const OTHER_MS = 3_000;
const AGAIN_MS = 100;
/** How long one question is waited for: a process that hangs takes it and never answers. */
const ANSWER_MS = 15_000;

interface SignIn {
  readonly address: string;
  /** Without a ticket a person has to sign in with a license key. */
  readonly hasTicket: boolean;
}

/** Throws NOT_STARTED, NOT_REACHED, KEY_REFUSED, CANCELLED. */
export async function signIn(context: Context): Promise<SignIn> {
  try {
    return await (context.values.server === '' ? signInHere(context) : signInThere(context));
  } catch (error) {
    if (context.signal.aborted) throw engineErrors.CANCELLED();
    if (!(error instanceof ApiError) || ![401, 403].includes(error.status)) throw error;
    throw serviceErrors.KEY_REFUSED(
      `the service does not accept the license key: ${error.message}`,
      {},
      error,
    );
  }
}

/** At the service of the setting `server`. */
async function signInThere({ values, config, signal }: Context): Promise<SignIn> {
  const page = new URL('/', values.server).href;
  if (values.license_key === '') return { address: page, hasTicket: false };
  const client = createClient({ url: values.server, key: values.license_key });
  const { ticket } = await client.makeTicket(ticketRequest({ values, config }), { signal });
  return { address: signInAddress(page, ticket), hasTicket: true };
}

/** At the service of the home folder. */
async function signInHere(context: Context): Promise<SignIn> {
  const { values, clock, screen, signal } = context;
  const { home } = folders(values);
  const began = clock.now();
  let started: Background | null = null;
  let endedAt: number | undefined;
  try {
    for (; clock.now() - began < LIMIT_MS; await pause(context, AGAIN_MS)) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      const service = runningService(home);
      const ticket = service && (await ticketOf(service, context));
      if (ticket) {
        if (started) tellStarted(started, context);
        else tellVersion(service, screen);
        return ticket;
      }
      if (service) continue;
      if (started === null && (await isRefusedByBrowsers(localOrigin(values.host, values.port))))
        throw refusedPort(values.port, 'choose another one');
      started ??= await startInBackground(context);
      if (started?.ended) endedAt ??= clock.now();
      // Another command may have started one at the same moment.
      if (started && endedAt !== undefined && clock.now() - endedAt > OTHER_MS)
        throw await notStarted(started, context);
    }
  } finally {
    started?.leave();
  }
  if (started) throw serviceErrors.NOT_STARTED(`the service does not respond; see its log: ${started.log}`);
  throw serviceErrors.NOT_REACHED(`the service for ${home} does not respond; to stop it: framehound stop`);
}

/** Null when it does not answer: it starts, stops, or is started again. */
async function ticketOf(service: RunningService, context: Context): Promise<SignIn | null> {
  const { host, port, owner } = service;
  const page = pageAddress(host, port);
  const key = owner ?? context.values.license_key;
  const client = createClient({ url: localOrigin(host, port), key });
  const late = new AbortController();
  const answered = context.clock.after(ANSWER_MS, () => late.abort());
  const signal = AbortSignal.any([context.signal, late.signal]);
  try {
    if (key === '') {
      await client.health({}, { signal });
      return { address: page, hasTicket: false };
    }
    const { ticket } = await client.makeTicket(ticketRequest(context), { signal });
    return { address: signInAddress(page, ticket), hasTicket: true };
  } catch (error) {
    if (late.signal.aborted) return null;
    if (isBadPort(error)) throw refusedPort(port, 'stop the running service and choose another one');
    const passes = clientErrors.NO_SERVICE.is(error) || (error instanceof ApiError && error.status === 503);
    // The engine was started again, and its secret with it.
    const isOlder = owner !== null && error instanceof ApiError && error.status === 401;
    if (passes || isOlder) return null;
    throw error;
  } finally {
    answered();
  }
}

/** The page begins with an analysis folder that is named by a flag. */
function ticketRequest({ values, config }: Pick<Context, 'values' | 'config'>): { cache_dir?: string } {
  return config.sources.cache_dir === 'flag' ? { cache_dir: folders(values).cache } : {};
}

function tellStarted({ log }: Background, { screen }: Context): void {
  screen.write(`The service is running in the background. To stop it: framehound stop\nIts log: ${log}\n`);
}

function tellVersion({ program }: RunningService, screen: Context['screen']): void {
  const ownVersion = programVersion();
  if (program === ownVersion) return;
  screen.write(
    `note: the running service is version ${program}, but this program is ${ownVersion}. To switch: framehound stop, then framehound open\n`,
  );
}

async function notStarted(started: Background, { values }: Context): Promise<Error> {
  const why = started.why().join('\n  ');
  const taken = (await isFramehound(localOrigin(values.host, values.port)))
    ? `\nPort ${values.port} is used by a framehound service with another home folder or another user. Give its home folder with --home, or choose another port with --port`
    : '';
  return serviceErrors.NOT_STARTED(
    `the service could not be started (log: ${started.log})\n  ${why}${taken}`,
  );
}

/** Browsers and `fetch` refuse some ports, such as 1 and 6000, whatever listens there. */
async function isRefusedByBrowsers(origin: string): Promise<boolean> {
  const response = fetch(origin, { method: 'HEAD', signal: AbortSignal.timeout(1_000) });
  return response.then(() => false, isBadPort);
}

/** True if `fetch` refused the port, with or without an explanation of the client. */
function isBadPort(error: unknown): boolean {
  return error instanceof Error && (error.message === 'bad port' || isBadPort(error.cause));
}

function refusedPort(port: number, what: string): Error {
  return engineErrors.INVALID_CONFIG(`port: browsers do not open port ${port}; ${what}`);
}

async function isFramehound(origin: string): Promise<boolean> {
  const { port } = new URL(origin);
  if (port === '0') return false;
  const client = createClient({ url: origin });
  const answer = await client.livez({}, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
  return answer?.status === 'ok';
}

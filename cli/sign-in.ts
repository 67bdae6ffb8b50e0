// The address that signs a browser in: asks the service of the home folder for a ticket, and starts one when
// none runs.

import { createClient } from '../http/client/client.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import { localOrigin, pageAddress, signInAddress } from '../http/page-address.ts';
import { engineErrors, errorTable } from '../runtime/errors.ts';
import { programVersion } from '../runtime/process/version.ts';
import { folders } from '../settings.ts';
import { type Background, startInBackground } from './background.ts';
import type { Context } from './context.ts';
import { pause } from './pause.ts';
import { type RunningService, runningService } from './service-file.ts';

export const serviceErrors = errorTable({
  NOT_STARTED: { meaning: 'The service could not be started', status: 503, retryable: false },
  KEY_REFUSED: { meaning: 'The service does not accept the license key', status: 403, retryable: false },
  NOT_REACHED: { meaning: 'The running service does not respond', status: 503, retryable: true },
  NOT_STOPPED: { meaning: 'The service cannot be stopped from here', status: 409, retryable: false },
});

/** A start with a crash in it takes a few seconds; a slow disk more. */
const LIMIT_MS = 60_000;
/** How long the service that another command started may take to be known, once our own could not start. */
const OTHER_MS = 3_000;
const AGAIN_MS = 100;
/** How long one question is waited for: a process that hangs takes it and never answers. */
const ANSWER_MS = 15_000;

export interface SignIn {
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
      const found = service && (await ticketOf(service, context));
      if (found) {
        if (started) tellStarted(started, context);
        else tellVersion(service, screen);
        return found;
      }
      if (service) continue;
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
  const own = programVersion();
  if (program === own) return;
  screen.write(
    `note: the running service is version ${program}, but this program is ${own}. To switch: framehound stop, then framehound open\n`,
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

async function isFramehound(origin: string): Promise<boolean> {
  const { port } = new URL(origin);
  if (port === '0') return false;
  const client = createClient({ url: origin });
  const answer = await client.livez({}, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
  return answer?.status === 'ok';
}

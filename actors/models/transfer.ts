// One HTTP request for a file: follows redirects itself, because Hugging Face announces size and sha256 of
// the file on the redirecting answer, not on the one that carries the bytes.

import type { Clock } from '../../runtime/clock.ts';
import { type EngineError, engineErrors } from '../../runtime/errors.ts';
import { modelErrors } from './contract.ts';

/** Facts that the server announces about the whole file; null if it announces none. */
export interface FileHeaders {
  readonly size: number | null;
  readonly sha256: string | null;
}

export interface TransferReply {
  /** The last answer, its body not yet read. */
  readonly response: Response;
  readonly announced: FileHeaders;
  /** Strong validator of the bytes, for If-Range; null when there is none. */
  readonly etag: string | null;
  /** First byte the body holds: 0 unless the server continued. */
  readonly from: number;
}

interface RequestOptions {
  /** First byte wanted; 0 for all. */
  readonly from: number;
  /** The validator the bytes before `from` came with. */
  readonly etag: string | null;
  readonly signal: AbortSignal;
}

const MOST_REDIRECTS = 8;

/**
 * Asks for the file. Statuses that will not change throw DOWNLOAD_REFUSED, all others DOWNLOAD_FAILED
 * (retryable); what the network throws is passed on. The caller reads or cancels the body.
 */
export async function requestFile(url: URL, options: RequestOptions): Promise<TransferReply> {
  let address = url;
  let announced: FileHeaders = { size: null, sha256: null };
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: headersOf(options),
      signal: options.signal,
    });
    announced = merge(announced, response.headers);
    const target = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || target === null) {
      return accept(response, announced, address, options.from);
    }
    await response.body?.cancel();
    address = follow(address, target);
  }
  throw modelErrors.DOWNLOAD_REFUSED(`${url}: redirected more than ${MOST_REDIRECTS} times`, {
    url: url.href,
  });
}

function headersOf({ from, etag }: RequestOptions): Record<string, string> {
  const plain = { 'accept-encoding': 'identity', 'user-agent': 'framehound' };
  if (from === 0) return plain;
  return { ...plain, range: `bytes=${from}-`, ...(etag === null ? {} : { 'if-range': etag }) };
}

function follow(address: URL, target: string): URL {
  const next = new URL(target, address);
  const downgrade = address.protocol === 'https:' && next.protocol !== 'https:';
  if (downgrade || !['http:', 'https:'].includes(next.protocol)) {
    throw modelErrors.DOWNLOAD_REFUSED(`${address}: redirects to ${next.protocol}//${next.host}`, {
      url: address.href,
    });
  }
  return next;
}

async function accept(
  response: Response,
  announced: FileHeaders,
  address: URL,
  from: number,
): Promise<TransferReply> {
  const { status, headers } = response;
  const etag = strong(headers.get('etag'));
  if (status === 200) {
    const size = announced.size ?? integer(headers.get('content-length'));
    return { response, announced: { ...announced, size }, etag, from: 0 };
  }
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (status === 206 && range && Number(range[1]) === from) {
    const size = announced.size ?? integer(range[2] ?? null);
    return { response, announced: { ...announced, size }, etag, from };
  }
  await response.body?.cancel();
  const what = `${address}: the server returned ${status} ${response.statusText}`.trimEnd();
  const details = { url: address.href, status };
  const final = status >= 400 && status < 500 && ![408, 416, 425, 429].includes(status);
  throw final ? modelErrors.DOWNLOAD_REFUSED(what, details) : modelErrors.DOWNLOAD_FAILED(what, details);
}

/**
 * Headers of Hugging Face: sha256 and size of files it keeps in large storage. Its other etags are no hashes
 * of the content.
 */
function merge(before: FileHeaders, headers: Headers): FileHeaders {
  const linked = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(headers.get('x-linked-etag') ?? '');
  return {
    size: before.size ?? integer(headers.get('x-linked-size')),
    sha256: before.sha256 ?? linked?.[1]?.toLowerCase() ?? null,
  };
}

function strong(etag: string | null): string | null {
  return etag?.startsWith('"') ? etag : null;
}

function integer(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

// Tries again what a network broke, with growing pauses, and gives up on what has gone silent.

export interface TransferProgress {
  /** `waiting`: until the next try, because of `reason`. */
  readonly phase: 'connecting' | 'receiving' | 'waiting';
  /** Why the try before failed; null in the other phases. */
  readonly reason: string | null;
  /** Bytes on the disk so far, those of earlier tries included. */
  readonly received: number;
  readonly total: number | null;
}

export interface TransferOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly progress?: (progress: TransferProgress) => void;
  /** Longest silence of the server, ms. */
  readonly stallMs?: number;
  /** Attempts in a row without a new byte. */
  readonly tries?: number;
}

export interface FileTransfer<Result> {
  /** Prefix of messages, not part of `reason`: a url or the name of a package. */
  readonly name: string;
  readonly total: number | null;
  attempt(): Promise<Result>;
  /** Bytes that the next try goes on from. */
  keptBytes(): Promise<number>;
  /** A DOWNLOAD_FAILED is tried again, every other error is thrown. */
  explain(error: unknown): EngineError | Promise<EngineError>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export async function withTries<Result>(
  { name, total, attempt, keptBytes, explain }: FileTransfer<Result>,
  options: TransferOptions,
): Promise<Result> {
  const tries = options.tries ?? 6;
  let fruitless = 0;
  for (;;) {
    const before = await keptBytes();
    const tell = (phase: 'connecting' | 'waiting', received: number, reason: string | null) =>
      options.progress?.({ phase, reason, received, total });
    tell('connecting', before, null);
    try {
      return await attempt();
    } catch (error) {
      const failure = await explain(error);
      if (!modelErrors.DOWNLOAD_FAILED.is(failure)) throw failure;
      fruitless = (await keptBytes()) > before ? 1 : fruitless + 1;
      if (fruitless >= tries) throw failure;
      tell('waiting', await keptBytes(), failure.message.replace(`${name}: `, ''));
      await pause(Math.min(FIRST_WAIT_MS * 2 ** (fruitless - 1), LONGEST_WAIT_MS), options);
    }
  }
}

export interface Watchdog {
  readonly signal: AbortSignal;
  /** The server sent something. */
  alive(): void;
  /** Runs `work` without counting its time as silence of the server. */
  without<Result>(work: () => Promise<Result>): Promise<Result>;
  end(): void;
}

/** Silence of a server, in ms, after which its connection is closed. */
export const STALL_MS = 30_000;
/** Parts of a silence that are counted. */
const PARTS = 10;

/**
 * Aborts when the caller cancels or the server is silent for too long. Silence is counted in parts, since a
 * process that stood still finds its timers due before it reads what has arrived meanwhile: however long that
 * took, it counts as one part.
 */
export function watchdog(
  { signal, clock, stallMs = STALL_MS }: TransferOptions,
  sender = 'the server',
): Watchdog {
  const stop = new AbortController();
  const cancel = () => stop.abort(engineErrors.CANCELLED());
  let silentParts = 0;
  let isWorking = false;
  const count = () => {
    if (!isWorking) silentParts += 1;
    if (silentParts > PARTS) stop.abort(new Error(`${sender} sent nothing for ${stallMs / 1000} s`));
    else disarm = clock.after(stallMs / PARTS, count);
  };
  let disarm = clock.after(stallMs / PARTS, count);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const alive = () => {
    silentParts = 0;
  };
  return {
    signal: stop.signal,
    alive,
    without: async (work) => {
      isWorking = true;
      try {
        return await work();
      } finally {
        isWorking = false;
        alive();
      }
    },
    end: () => {
      disarm();
      signal.removeEventListener('abort', cancel);
      // Closes the connection when the body was not read to its end.
      stop.abort();
    },
  };
}

/** Waits by the clock, and keeps the process running meanwhile, which the clock does not. */
async function pause(ms: number, { clock, signal }: TransferOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const hold = setInterval(() => {}, 2 ** 30);
  const disarm = clock.after(ms, wake);
  signal.addEventListener('abort', wake, { once: true });
  if (signal.aborted) wake();
  await promise;
  signal.removeEventListener('abort', wake);
  disarm();
  clearInterval(hold);
  if (signal.aborted) throw engineErrors.CANCELLED();
}

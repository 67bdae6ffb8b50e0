// Downloads one file: resumes an earlier attempt, checks size and sha256 against the pin and against what the
// server announces, and only then gives the file its name. Until then it is `<name>.part`, with the server's
// validator in `<name>.part.json`.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Type } from 'typebox';
import { codeOf, EngineError, engineErrors, reasonOf } from '../../runtime/errors.ts';
import { makeFolder } from '../../runtime/files/folder.ts';
import { readJson } from '../../runtime/files/json-file.ts';
import { rename, rm } from '../../runtime/files/names.ts';
import { type Downloaded, modelErrors } from './contract.ts';
import {
  type FileHeaders,
  requestFile,
  type TransferOptions,
  type TransferReply,
  type Watchdog,
  watchdog,
  withTries,
} from './transfer.ts';

export interface DownloadRequest {
  readonly url: URL;
  /** Absolute path the file gets. */
  readonly path: string;
  /** Pins; null where none is known. */
  readonly size: number | null;
  readonly sha256: string | null;
}

/**
 * Resolves when the checked file lies under its name. A broken connection, a silent server and a busy one are
 * tried again with growing pauses. Throws DOWNLOAD_FAILED, DOWNLOAD_REFUSED, DOWNLOAD_MISMATCH,
 * DOWNLOAD_UNVERIFIED, MODELS_FOLDER_FULL, MODELS_FOLDER_READ_ONLY and CANCELLED.
 */
export async function downloadFile(request: DownloadRequest, options: TransferOptions): Promise<Downloaded> {
  const transfer = {
    name: request.url.href,
    total: request.size,
    attempt: () => attempt(request, options),
    keptBytes: () => partSize(request),
    explain: async (error: unknown) => {
      const failure = explainTransfer(request.url.href, dirname(request.path), error, options.signal);
      // The part is as long as the file or longer: it is of another version.
      if (failure.details.status === 416) await dropPart(request);
      return failure;
    },
  };
  return withTries(transfer, options);
}

async function attempt(request: DownloadRequest, options: TransferOptions): Promise<Downloaded> {
  makeFolder(dirname(request.path));
  const watch = watchdog(options);
  try {
    const part = await readPart(request);
    const reply = await requestFile(request.url, { ...part, signal: watch.signal });
    watch.alive();
    const announced = await checkAnnounced(request, reply);
    await requireSpace(request, announced.size, reply.from);
    const hash = createHash('sha256');
    const file = await open(partPath(request), reply.from === 0 ? 'w' : 'r+');
    try {
      if (reply.from === 0) await keepValidator(request, reply.etag);
      else await watch.without(() => hashStart(partPath(request), reply.from, hash, options.signal));
      const size = await receive(file, reply, announced, hash, watch, options);
      await file.sync();
      return await finish(request, announced, { size, sha256: hash.digest('hex') }, reply.from > 0);
    } finally {
      await file.close();
    }
  } finally {
    watch.end();
  }
}

/** Compares what the server announces with the pin before anything is downloaded. */
async function checkAnnounced(
  request: DownloadRequest,
  { announced, response }: TransferReply,
): Promise<FileHeaders> {
  const differs = (what: string, pin: string | number | null, said: string | number | null) =>
    pin === null || said === null || pin === said
      ? null
      : `${what}: expected ${pin}, but the server announces ${said}`;
  const wrong =
    differs('sha256', request.sha256, announced.sha256) ?? differs('size', request.size, announced.size);
  const unverified = request.sha256 === null && announced.sha256 === null;
  if (wrong === null && !unverified) {
    return { size: request.size ?? announced.size, sha256: announced.sha256 };
  }
  await response.body?.cancel();
  await dropPart(request);
  const details = { url: request.url.href };
  if (wrong) throw modelErrors.DOWNLOAD_MISMATCH(`${request.url}: ${wrong}`, details);
  throw modelErrors.DOWNLOAD_UNVERIFIED(
    `${request.url}: the sha256 is not known, and the server announces none; the file was discarded`,
    details,
  );
}

/** Appends the body to the part. Answers the size of the whole. */
async function receive(
  file: FileHandle,
  reply: TransferReply,
  announced: FileHeaders,
  hash: Hash,
  watch: Watchdog,
  options: TransferOptions,
): Promise<number> {
  let received = reply.from;
  for await (const chunk of chunksOf(reply.response, watch.signal)) {
    // Longer than the file: stop here, and the final check reports it.
    if (announced.size !== null && received + chunk.length > announced.size) return received + chunk.length;
    await watch.without(() => write(file, chunk, received));
    hash.update(chunk);
    received += chunk.length;
    options.progress?.({ phase: 'receiving', reason: null, received, total: announced.size });
  }
  if (announced.size !== null && received < announced.size) {
    throw new Error(`the connection ended after ${received} of ${announced.size} bytes`);
  }
  return received;
}

/**
 * An abort cancels the reader as well: at the very end of a body, fetch alone leaves a pending read waiting.
 */
async function* chunksOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!body) throw new Error('the response has no body');
  const reader = body.getReader();
  const wake = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', wake, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', wake);
    wake();
  }
}

async function write(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < chunk.length) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at + done);
    done += bytesWritten;
  }
}

/**
 * The final check, and the file gets its name. A wrong file is removed; a resumed one is downloaded once
 * more.
 */
async function finish(
  request: DownloadRequest,
  announced: FileHeaders,
  got: { size: number; sha256: string },
  continued: boolean,
): Promise<Downloaded> {
  const expected = request.sha256 ?? announced.sha256;
  const rightSize = announced.size === null || announced.size === got.size;
  if (!rightSize || got.sha256 !== expected) {
    await dropPart(request);
    const what = rightSize
      ? `sha256: received ${got.sha256}, ${request.sha256 === null ? 'announced' : 'pinned'} ${expected}`
      : `size: received ${got.size} bytes, expected ${announced.size}`;
    if (continued) throw new Error(`the continued file is wrong (${what})`);
    throw modelErrors.DOWNLOAD_MISMATCH(`${request.url}: ${what}; the file was discarded`, {
      url: request.url.href,
    });
  }
  await rename(partPath(request), request.path);
  await rm(validatorPath(request), { force: true });
  const both = request.sha256 !== null && announced.sha256 !== null;
  return { ...got, verified: both ? 'pin and server' : request.sha256 !== null ? 'pin' : 'server' };
}

const partPath = (request: DownloadRequest) => `${request.path}.part`;
const validatorPath = (request: DownloadRequest) => `${request.path}.part.json`;

/**
 * Where to resume. Without the server's validator only a pinned file is resumed: the pin detects a mixture of
 * versions.
 */
async function readPart(request: DownloadRequest): Promise<{ from: number; etag: string | null }> {
  const size = await partSize(request);
  if (size === 0 || (request.size !== null && size >= request.size)) return { from: 0, etag: null };
  const etag = await readValidator(request);
  return etag === null && request.sha256 === null ? { from: 0, etag } : { from: size, etag };
}

const Validator = Type.Object({ url: Type.String(), etag: Type.String() });

async function readValidator(request: DownloadRequest): Promise<string | null> {
  // Missing or damaged: the download starts again, or the pin decides.
  const validator = await readJson(Validator, validatorPath(request)).catch(() => undefined);
  return validator?.url === request.url.href ? validator.etag : null;
}

async function keepValidator(request: DownloadRequest, etag: string | null): Promise<void> {
  await writeFile(validatorPath(request), JSON.stringify({ url: request.url.href, etag }));
}

async function partSize(request: DownloadRequest): Promise<number> {
  const stats = await stat(partPath(request)).catch(() => null);
  return stats?.size ?? 0;
}

/** Removes what was downloaded so far. */
export async function dropPart(request: Pick<DownloadRequest, 'path'>): Promise<void> {
  await rm(`${request.path}.part`, { force: true });
  await rm(`${request.path}.part.json`, { force: true });
}

async function hashStart(path: string, length: number, hash: Hash, signal: AbortSignal): Promise<void> {
  for await (const chunk of createReadStream(path, { end: length - 1, signal })) hash.update(chunk as Buffer);
}

async function requireSpace(request: DownloadRequest, size: number | null, have: number): Promise<void> {
  if (size !== null) await requireFree(dirname(request.path), size - have);
}

/** Throws MODELS_FOLDER_FULL unless so many bytes are free. */
export async function requireFree(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  throw modelErrors.MODELS_FOLDER_FULL(
    `${folder}: ${bytes} bytes are needed, but only ${bavail * bsize} are free`,
    {
      folder,
    },
  );
}

/** Error for a failed transfer of `name` into `folder`. */
export function explainTransfer(
  name: string,
  folder: string,
  error: unknown,
  signal: AbortSignal,
): EngineError {
  if (signal.aborted) return engineErrors.CANCELLED(`${name}: cancelled`);
  if (error instanceof EngineError) return error;
  const folderFault = folderError(folder, error);
  if (folderFault) return folderFault;
  const unreachable = networkFault(error);
  if (unreachable !== null && URL.canParse(name)) {
    const { pathname, host } = new URL(name);
    const what = `${basename(pathname)}: ${host} cannot be reached from this machine (${unreachable})`;
    return modelErrors.DOWNLOAD_FAILED(what, { url: name }, error);
  }
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const text = error instanceof Error ? error.message : String(error);
  return modelErrors.DOWNLOAD_FAILED(`${name}: ${text}${cause}`, { url: name }, error);
}

const networkFaults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known, or there is no network',
  EAI_AGAIN: 'its name is not known, or there is no network',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to it',
  ECONNREFUSED: 'it refuses the connection',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
};

/** In words, for people; null for any other error. */
function networkFault(error: unknown): string | null {
  const code = codeOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
  return networkFaults[code] ?? null;
}

/** The error of a folder that takes nothing; null where `error` says nothing of the folder. */
export function folderError(folder: string, error: unknown): EngineError | null {
  const code = codeOf(error);
  // mkdir below a read-only folder fails with ENOENT, so the system call matters as well as the code.
  const making = error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
  if (['ENOSPC', 'EDQUOT'].includes(code)) {
    return modelErrors.MODELS_FOLDER_FULL(`${folder}: the disk is full`, { folder }, error);
  }
  if (making || ['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EISDIR'].includes(code)) {
    return modelErrors.MODELS_FOLDER_READ_ONLY(`${folder}: ${reasonOf(error)}`, { folder }, error);
  }
  return null;
}

// Validates keys at a license server. No answer, a redirect or a page of HTML is an outage and says nothing
// about the key. With a public key in the settings an answer counts only with a machine file that the server
// signed for this machine; a file that names the key and its tier is stored, and is valid until its expiry
// while the server cannot be asked.
import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf, engineErrors } from '../../runtime/errors.ts';
import { createFile, privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJsonNow } from '../../runtime/files/json-file.ts';
import { rmSync } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import { isPro, type KeyValidation } from './decision.ts';
import type { Validator } from './licenses.ts';
import { MachineFile, verifyMachineFile } from './machine-file.ts';
import { idOf } from './store.ts';

// One request to a license server over HTTP: bounded in time and size, and no redirects.

/**
 * No answer, or not that of a license server. The message goes to the client, so it holds neither key nor
 * body.
 */
class ServerOutage extends Error {
  constructor(what: string, cause?: unknown) {
    super(`The license server cannot be reached${what}`, cause === undefined ? undefined : { cause });
    this.name = 'ServerOutage';
  }
}

interface ServerReply {
  readonly status: number;
  readonly body: unknown;
}

const TIMEOUT_MS = 5_000;
const LARGEST_BYTES = 64 * 1024;

/** `stop` ends the question early. Throws ServerOutage, nothing else. */
async function askServer(
  url: URL,
  question: unknown,
  clock: Clock,
  stop: AbortController,
): Promise<ServerReply> {
  const cancelTimeout = clock.after(TIMEOUT_MS, () =>
    stop.abort(`no response within ${TIMEOUT_MS / 1000} s`),
  );
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(question),
      // A key is sent to no server but the one of the settings.
      redirect: 'manual',
      signal: stop.signal,
    });
    const { status } = response;
    if ((status >= 300 && status < 400) || status >= 500) {
      await response.body?.cancel();
      throw new ServerOutage(` (it returned status ${status})`);
    }
    return { status, body: parse(await readText(response)) };
  } catch (error) {
    if (error instanceof ServerOutage) throw error;
    throw new ServerOutage(` (${stop.signal.aborted ? String(stop.signal.reason) : causeOf(error)})`, error);
  } finally {
    cancelTimeout();
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > LARGEST_BYTES)
      throw new ServerOutage(` (its response is larger than ${LARGEST_BYTES} bytes)`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse would quote the answer.
    throw new ServerOutage(' (its response is not JSON)');
  }
}

/** `fetch` puts what happened into the cause of its error. */
function causeOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: unknown }; name?: string };
  return String(cause?.code ?? name ?? 'unknown error');
}

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Answer = Type.Object({
  valid: Type.Boolean(),
  tier: Text,
  message: Text,
  policy_error: Text,
  machine_file: Type.Optional(Type.Union([MachineFile, Type.Null()])),
});
type Answer = Static<typeof Answer>;

/** Public key of an on-prem server, and the place of its files. */
interface Signed {
  readonly publicKey: KeyObject;
  readonly files: MachineFiles;
}

interface RemoteOptions {
  readonly url: URL;
  readonly machineId: string;
  readonly signed: Signed | null;
  readonly clock: Clock;
  /** Unix ms. */
  now(): number;
  readonly log: Log;
}

const forever = Number.POSITIVE_INFINITY;

export function remoteKeys(options: RemoteOptions): Validator {
  const { url, machineId, clock } = options;
  const asking = new Set<AbortController>();
  return {
    validate: async (key, keyHash) => {
      const stop = new AbortController();
      asking.add(stop);
      try {
        const question = { license_key: key, machine_id: machineId };
        const answer = read(await askServer(url, question, clock, stop));
        return redactKey(validationOf(answer, keyHash, options), key);
      } catch (error) {
        if (!(error instanceof ServerOutage)) throw error;
        return validateOffline(error.message, keyHash, options);
      } finally {
        asking.delete(stop);
      }
    },
    changed: () => false,
    close: () => {
      for (const stop of asking) stop.abort('the service is stopping');
    },
  };
}

/** A refusal may come with any status; a key is valid only with a 2xx. */
function read({ status, body }: ServerReply): Answer {
  if (Check(Answer, body) && (status < 300 || !body.valid)) return body;
  throw new ServerOutage(` (it returned status ${status} without a validation)`);
}

function validationOf(answer: Answer, keyHash: string, options: RemoteOptions): KeyValidation {
  const validation = answerAsValidation(answer);
  const { signed } = options;
  if (!signed) return validation;
  const confirmed =
    validation.kind === 'valid' ? confirm(answer, validation, keyHash, signed, options) : validation;
  // Only a key that opens the service now may open it later without the server.
  if (confirmed.kind !== 'valid' || !isPro(confirmed.tier))
    tryDisk(options, () => signed.files.drop(keyHash));
  return confirmed;
}

function answerAsValidation({ valid, tier, message, policy_error }: Answer): KeyValidation {
  if (policy_error) return { kind: 'policy', message: policy_error };
  if (!valid) return { kind: 'invalid', message: message ?? '' };
  return { kind: 'valid', tier: tier ?? '', message: message ?? '', until: forever };
}

/** Pro needs a signature as well: the answer by itself could come from anybody. */
function confirm(
  { machine_file }: Answer,
  said: KeyValidation & { kind: 'valid' },
  keyHash: string,
  signed: Signed,
  options: RemoteOptions,
): KeyValidation {
  if (!isPro(said.tier)) return said;
  if (!machine_file) return { kind: 'invalid', message: 'The license server sent no machine file' };
  const verified = verifyMachineFile(machine_file, signed.publicKey, expected(keyHash, options));
  if (!verified.ok) return { kind: 'invalid', message: `The license server's machine file ${verified.why}` };
  if (verified.tier !== null && !isPro(verified.tier)) return { ...said, tier: verified.tier, message: 'OK' };
  if (verified.names) tryDisk(options, () => signed.files.keep(keyHash, machine_file));
  else {
    tryDisk(options, () => signed.files.drop(keyHash));
    const license = idOf(keyHash);
    options.log.warn('a machine file without license_hash and tier is valid only while its server responds', {
      license,
    });
  }
  return { ...said, until: verified.until };
}

/**
 * Validates by the stored machine file, which is verified again: any process of this account may have written
 * it.
 */
function validateOffline(outage: string, keyHash: string, options: RemoteOptions): KeyValidation {
  const { signed } = options;
  const saved = signed ? tryDisk(options, () => signed.files.read(keyHash)) : undefined;
  if (!signed || !saved) return { kind: 'outage', message: outage };
  const verified = verifyMachineFile(saved, signed.publicKey, expected(keyHash, options));
  if (!verified.ok) return { kind: 'outage', message: `${outage}; the cached machine file ${verified.why}` };
  // An earlier version kept such files.
  if (!verified.names || verified.tier === null) {
    return {
      kind: 'outage',
      message: `${outage}; the cached machine file contains no license_hash and tier`,
    };
  }
  options.log.warn('license key validated by its machine file', { license: idOf(keyHash), outage });
  return { kind: 'valid', tier: verified.tier, message: 'OK', until: verified.until };
}

function expected(keyHash: string, { machineId, now }: RemoteOptions) {
  return { machineId, keyHash, now: now() };
}

/** A machine file that cannot be written or read is logged and does not change what the server says. */
function tryDisk<T>({ log }: RemoteOptions, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    log.error('a machine file cannot be stored or read', { error });
    return undefined;
  }
}

/** A server may repeat the key in its message, which goes to clients and logs. */
function redactKey(validation: KeyValidation, key: string): KeyValidation {
  return { ...validation, message: validation.message.replaceAll(key, '[license key]') };
}

// The identity of this machine in the home folder: a random id, created once, and the machine files that were
// verified. The id says nothing about the hardware and moves with the home folder.

const Identity = Type.Object({ machine_id: Type.String({ pattern: '^[0-9a-f-]{36}$' }) });
/** Nothing beside what is signed: any process of this account can write here. */
const StoredMachineFile = Type.Object({ machine_file: MachineFile });

/** The id of this machine, made at the first call. Throws INVALID_CONFIG naming the file. */
export function machineId(folder: string, newId: () => string): string {
  const path = join(folder, 'id.json');
  try {
    const identity = readJsonNow(Identity, path);
    if (identity) return identity.machine_id;
    createFile(path, `${JSON.stringify({ machine_id: newId() })}\n`, privateFile);
    const storedIdentity = readJsonNow(Identity, path);
    if (storedIdentity) return storedIdentity.machine_id;
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(
      `home: ${path} cannot be read or created (${codeOf(error) || (error as Error).message})`,
      {},
      error,
    );
  }
  throw engineErrors.INVALID_CONFIG(`home: ${path} was created but does not exist`);
}

interface MachineFiles {
  /** Undefined when none is kept for the key. Throws when it cannot be read. */
  read(keyHash: string): MachineFile | undefined;
  keep(keyHash: string, machineFile: MachineFile): void;
  drop(keyHash: string): void;
}

/** One file a license key; a newer one takes the place of the older. */
export function machineFiles(folder: string): MachineFiles {
  const pathOf = (keyHash: string) => join(folder, `${idOf(keyHash)}.json`);
  return {
    read: (keyHash) => readJsonNow(StoredMachineFile, pathOf(keyHash))?.machine_file,
    keep: (keyHash, machine_file) =>
      replaceFile(pathOf(keyHash), `${JSON.stringify({ machine_file }, null, 2)}\n`, privateFile),
    drop: (keyHash) => rmSync(pathOf(keyHash), { force: true }),
  };
}

// Asks a license server about keys. What comes back and is no answer (nothing, a redirect, a page of HTML) is an outage:
// it says nothing about the key. With a public key in the settings an answer counts only with a machine file that the
// server signed for this machine; the file is kept, and holds until its expiry while the server cannot be asked.
import type { KeyObject } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { idOf } from './key.ts';
import type { Validator } from './licenses.ts';
import type { MachineFiles } from './machine.ts';
import { MachineFile, verifyMachineFile } from './machine-file.ts';
import { type Answered, askServer, ServerOutage } from './server.ts';
import { type Finding, isPro } from './verdict.ts';

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Answer = Type.Object({
  valid: Type.Boolean(),
  tier: Text,
  message: Text,
  policy_error: Text,
  machine_file: Type.Optional(Type.Union([MachineFile, Type.Null()])),
});
type Answer = Static<typeof Answer>;

/** What an on-prem server signs with, and where its files are kept. */
export interface Signed {
  readonly publicKey: KeyObject;
  readonly files: MachineFiles;
}

export interface RemoteOptions {
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
        return withoutKey(judge(answer, keyHash, options), key);
      } catch (error) {
        if (!(error instanceof ServerOutage)) throw error;
        return withoutServer(error.message, keyHash, options);
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

/** A refusal may come with a status of its own; a key is valid only with a good one. */
function read({ status, body }: Answered): Answer {
  if (Check(Answer, body) && (status < 300 || !body.valid)) return body;
  throw new ServerOutage(` properly: it answered with status ${status} and no validation`);
}

function judge(answer: Answer, keyHash: string, options: RemoteOptions): Finding {
  const finding = opinion(answer);
  const { signed } = options;
  if (!signed) return finding;
  const confirmed = finding.kind === 'valid' ? confirm(answer, finding, keyHash, signed, options) : finding;
  // Only a key that opens the service now may open it later without the server.
  if (confirmed.kind !== 'valid' || !isPro(confirmed.tier)) onDisk(options, () => signed.files.drop(keyHash));
  return confirmed;
}

function opinion({ valid, tier, message, policy_error }: Answer): Finding {
  if (policy_error) return { kind: 'policy', message: policy_error };
  if (!valid) return { kind: 'invalid', message: message ?? '' };
  return { kind: 'valid', tier: tier ?? '', message: message ?? '', until: forever };
}

/** Pro needs the server's word and its signature: the answer by itself could be anybody's. */
function confirm(
  { machine_file }: Answer,
  said: Finding & { kind: 'valid' },
  keyHash: string,
  signed: Signed,
  options: RemoteOptions,
): Finding {
  if (!isPro(said.tier)) return said;
  if (!machine_file) return { kind: 'invalid', message: 'The license server sent no machine file' };
  const verified = verifyMachineFile(machine_file, signed.publicKey, expected(keyHash, options));
  if (!verified.ok) return { kind: 'invalid', message: `The license server's machine file ${verified.why}` };
  if (verified.tier !== null && !isPro(verified.tier)) return { ...said, tier: verified.tier, message: 'OK' };
  onDisk(options, () => signed.files.keep({ license_hash: keyHash, tier: said.tier, machine_file }));
  return { ...said, until: verified.until };
}

/** What the kept machine file says, verified again: it lay where anybody of this account may write. */
function withoutServer(outage: string, keyHash: string, options: RemoteOptions): Finding {
  const { signed } = options;
  const kept = signed ? onDisk(options, () => signed.files.read(keyHash)) : undefined;
  if (!signed || !kept) return { kind: 'outage', message: outage };
  const verified = verifyMachineFile(kept.machine_file, signed.publicKey, expected(keyHash, options));
  if (!verified.ok) return { kind: 'outage', message: `${outage}; the kept machine file ${verified.why}` };
  options.log.warn('license key validated by its machine file', { license: idOf(keyHash), outage });
  return { kind: 'valid', tier: verified.tier ?? kept.tier, message: 'OK', until: verified.until };
}

function expected(keyHash: string, { machineId, now }: RemoteOptions) {
  return { machineId, keyHash, now: now() };
}

/** A machine file that cannot be written or read takes nothing from what the server says; the log tells it. */
function onDisk<T>({ log }: RemoteOptions, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    log.error('a machine file cannot be kept or read', { error });
    return undefined;
  }
}

/** A server may repeat the key in what it says, and what it says goes to clients and logs. */
function withoutKey(finding: Finding, key: string): Finding {
  return { ...finding, message: finding.message.replaceAll(key, '[license key]') };
}

// A machine file: signed by an on-prem license server for one machine, and valid while the server cannot be
// asked.
import { type KeyObject, verify } from 'node:crypto';
import { Type } from 'typebox';
import { Check } from 'typebox/value';

/**
 * `payload`: JSON, or base64 of JSON. `signature`: base64, Ed25519 over the bytes of that JSON as they are.
 */
export const MachineFile = Type.Object({ payload: Type.String(), signature: Type.String() });
export interface MachineFile {
  readonly payload: string;
  readonly signature: string;
}

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
/** Unix seconds, or a date as ISO 8601. */
const Moment = Type.Union([Type.Number({ minimum: 0 }), Type.String()]);
const Payload = Type.Object({
  machine_id: Type.String(),
  expiry: Type.Optional(Moment),
  /** Another name for `expiry`; the earlier one counts when both are there. */
  expires_at: Type.Optional(Moment),
  issued_at: Type.Optional(Moment),
  tier: OptionalText,
  /** SHA-256 of the license key in hex: the file is for this key alone. */
  license_hash: OptionalText,
});

interface Expected {
  readonly machineId: string;
  readonly keyHash: string;
  /** Unix ms. */
  readonly now: number;
}

type Verified =
  /**
   * `tier`: null when the file names none. `names`: it says for which key and which tier it was signed, so it
   * stands without the answer it came with. `until`: Unix ms.
   */
  | { readonly ok: true; readonly tier: string | null; readonly names: boolean; readonly until: number }
  /** `why`: what comes after "the machine file". */
  | { readonly ok: false; readonly why: string };

/** Clock skew allowed. A file issued later than that means that the clock of this machine was set back. */
const CLOCK_SKEW_MS = 5 * 60_000;

export function verifyMachineFile(file: MachineFile, key: KeyObject, expected: Expected): Verified {
  const bytes = Buffer.from(file.payload, file.payload.trimStart().startsWith('{') ? 'utf8' : 'base64');
  if (!verify(null, bytes, key, Buffer.from(file.signature, 'base64')))
    return invalid('has an invalid signature');
  const payload = parse(bytes);
  if (!Check(Payload, payload)) return invalid('is signed but contains no machine_id and expiry');
  if (payload.machine_id !== expected.machineId) return invalid('is for another machine');
  if (payload.license_hash && payload.license_hash.toLowerCase() !== expected.keyHash) {
    return invalid('is for another license key');
  }
  const ends = [payload.expiry, payload.expires_at].filter((time) => time !== undefined).map(milliseconds);
  const until = Math.min(...ends);
  if (!Number.isFinite(until)) return invalid('has no readable expiry');
  if (expected.now >= until) return invalid(`expired on ${new Date(until).toISOString()}`);
  const issued = payload.issued_at === undefined ? 0 : milliseconds(payload.issued_at);
  if (!(issued <= expected.now + CLOCK_SKEW_MS)) {
    return invalid('was issued in the future; the clock of this machine may be wrong');
  }
  const tier = payload.tier ?? null;
  return { ok: true, tier, names: tier !== null && Boolean(payload.license_hash), until };
}

function invalid(why: string): Verified {
  return { ok: false, why };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined; // Fails the schema check of the caller.
  }
}

/** NaN for a text that is no date; dates too far off to be written as one count as no date. */
function milliseconds(moment: number | string): number {
  return new Date(typeof moment === 'number' ? moment * 1000 : moment).getTime();
}

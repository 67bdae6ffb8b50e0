// Creates the licenses from the settings: keys are validated by this machine or by a license server.
import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf, engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { SavedValue } from '../../runtime/process/guardian-client.ts';
import { folders, type SettingValues } from '../../settings.ts';
import { grantMemory, Licenses, localKeys, type Validator } from './licenses.ts';
import { machineFiles, machineId, remoteKeys } from './remote.ts';

type Values = Pick<SettingValues, 'home' | 'cache_dir' | 'license_url' | 'license_public_key'>;

interface Sources {
  readonly clock: Clock;
  /** Unix ms. */
  now(): number;
  readonly log: Log;
  /** The last text that an earlier process of the service gave to `keep`. */
  readonly savedValue?: SavedValue | undefined;
  /** Called with the validations of a license server, for the process that may come after a crash. */
  keep?(text: string): void;
}

/** Throws INVALID_CONFIG when a setting or the home folder is of no use. The caller closes it. */
export function openLicenses(values: Values, sources: Sources): Licenses {
  const { license_url: url, license_public_key: publicKey } = values;
  const validator = validatorOf(values, sources);
  // Keys of this machine are validated as fast as they are remembered, and a revoked one must not come back.
  const memory =
    url && sources.keep ? grantMemory(`${url} ${publicKey}`, sources.savedValue, sources.keep) : undefined;
  return new Licenses(validator, { ...sources, ...(memory ? { memory } : {}) });
}

function validatorOf(values: Values, { clock, now, log }: Sources): Validator {
  const { licenses, machine } = folders(values);
  const { license_url, license_public_key } = values;
  if (!license_url) {
    if (!license_public_key) return localKeys(licenses, now, log);
    throw engineErrors.INVALID_CONFIG('license_public_key: is set, but license_url is not');
  }
  const url = serverUrl(license_url, log);
  const signed = license_public_key
    ? { publicKey: readPublicKey(license_public_key), files: machineFiles(machine) }
    : null;
  return remoteKeys({ url, machineId: machineId(machine, randomUUID), signed, clock, now, log });
}

function serverUrl(text: string, log: Log): URL {
  const url = URL.parse(text);
  if (!url) throw engineErrors.INVALID_CONFIG('license_url: is not a URL');
  if (url.username || url.password) {
    throw engineErrors.INVALID_CONFIG('license_url: must not contain a user name or password');
  }
  const near = ['localhost', '[::1]'].includes(url.hostname) || url.hostname.startsWith('127.');
  if (url.protocol === 'http:' && !near) {
    log.warn('license keys go to the license server in clear text; use https', { license_url: url.origin });
  }
  return url;
}

// The key that signs machine files, as a person gives it: PEM, the path of a PEM file, or the 32 bytes as
// base64.

/** Throws INVALID_CONFIG saying what is wrong; the text itself is not repeated. */
export function readPublicKey(setting: string): KeyObject {
  const text = setting.trim();
  if (isPem(text)) return fromPem(text.replaceAll('\\n', '\n'), 'the text');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) {
    const x = Buffer.from(text, 'base64').toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }
  let file: string;
  try {
    file = readFileSync(text, 'utf8');
  } catch (error) {
    const what = 'must be PEM, 32 bytes as base64, or the path of a readable PEM file';
    throw engineErrors.INVALID_CONFIG(`license_public_key: ${what} (${codeOf(error)})`, {}, error);
  }
  return fromPem(file, text);
}

function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

function fromPem(pem: string, where: string): KeyObject {
  if (!isPem(pem)) throw bad(`${where} is not PEM`);
  if (pem.includes('PRIVATE KEY')) throw bad(`${where} is a private key; use the public key`);
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (error) {
    throw bad(`${where} is PEM but cannot be parsed`, error);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw bad(`${where} is a key for ${key.asymmetricKeyType}, not Ed25519`);
  return key;
}

function bad(what: string, cause?: unknown) {
  return engineErrors.INVALID_CONFIG(`license_public_key: ${what}`, {}, cause);
}

// Creates the licenses from the settings: keys are validated by this machine or by a license server.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { SavedValue } from '../../runtime/process/guardian-client.ts';
import { folders, type SettingValues } from '../../settings.ts';
import { grantMemory } from './kept-grants.ts';
import { createLicenses, type Licenses, type Validator } from './licenses.ts';
import { localKeys } from './local.ts';
import { machineFiles, machineId } from './machine.ts';
import { readPublicKey } from './public-key.ts';
import { remoteKeys } from './remote.ts';

type Values = Pick<SettingValues, 'home' | 'cache_dir' | 'license_url' | 'license_public_key'>;

export interface Sources {
  readonly clock: Clock;
  /** Unix ms. */
  now(): number;
  readonly log: Log;
  /** The last text that an earlier process of the service gave to `keep`. */
  readonly kept?: SavedValue | undefined;
  /** Called with the validations of a license server, for the process that may come after a crash. */
  keep?(text: string): void;
}

/** Throws INVALID_CONFIG when a setting or the home folder is of no use. The caller closes it. */
export function openLicenses(values: Values, sources: Sources): Licenses {
  const { license_url: url, license_public_key: publicKey } = values;
  const validator = validatorOf(values, sources);
  // Keys of this machine are validated as fast as they are remembered, and a revoked one must not come back.
  const memory =
    url && sources.keep ? grantMemory(`${url} ${publicKey}`, sources.kept, sources.keep) : undefined;
  return createLicenses(validator, { ...sources, ...(memory ? { memory } : {}) });
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

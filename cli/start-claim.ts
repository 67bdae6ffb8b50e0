// Of several commands that start a service with one home folder at the same time one does.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { engineErrors } from '../runtime/errors.ts';
import { privateFile, replaceFile } from '../runtime/files/atomic-write.ts';
import { underLock } from '../runtime/files/lock.ts';
import { makeFolder } from '../runtime/files/make-folder.ts';
import { ProcessIdentity, thisProcess } from '../runtime/process/identity.ts';
import type { Context } from './context.ts';
import { keptAlive } from './pause.ts';
import { runningService, runsHere } from './service-file.ts';

/**
 * Answers what gives the claim back once the service is known. Null while another command of this machine starts one, or when
 * one runs by now. Throws INVALID_CONFIG.
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
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Check(ProcessIdentity, value) ? value : null;
  } catch {
    return null; // There is none, or it was cut short.
  }
}

// Who downloads a model: a file in its folder names the process. Two that write the same part of a file would mix what they
// write, and the one that ends first would give the name to a file that is not whole.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { createFile, takeName } from '../../runtime/files/atomic-write.ts';
import { hasEnded, ProcessIdentity, thisProcess } from '../../runtime/process/identity.ts';
import { modelErrors } from './contract.ts';

const Claim = Type.Object({ ...ProcessIdentity.properties, token: Type.String() });
type Claim = Static<typeof Claim>;

export const claimName = 'pulling.json';
/** Ms between two signs of life. */
const renewedEvery = 15_000;
/** Ms without a sign of life after which a process that cannot be asked for has ended. */
const silentFor = 300_000;
/** Those of this process. */
const own = new Set<string>();

export interface PullClaim {
  /** A sign of life, for processes of other machines. */
  renew(): void;
  release(): void;
}

/** `now`: Unix ms. Throws MODEL_IN_DOWNLOAD naming the process that has it, and what the file system says. */
export async function claimPull(folder: string, now: () => number = Date.now): Promise<PullClaim> {
  const path = join(folder, claimName);
  const claim: Claim = { ...thisProcess(), token: randomUUID() };
  const text = JSON.stringify(claim);
  const take = () => createFile(path, text, { flush: false, folderMode: 0o777 });
  if (!take()) {
    const other = await readFile(path, 'utf8').catch(() => null);
    const held = other === null ? null : parsed(other);
    if (other !== null && (isHeld(held, path, now()) || !withdraw(path, other)))
      throw inDownload(folder, held);
    if (!take()) throw inDownload(folder, null);
  }
  own.add(claim.token);
  let renewed = now();
  return {
    renew: () => {
      if (now() - renewed < renewedEvery) return;
      renewed = now();
      try {
        utimesSync(path, renewed / 1000, renewed / 1000);
      } catch {
        // Whoever removed it has the folder; every file is checked before it gets its name.
      }
    },
    release: () => {
      own.delete(claim.token);
      // Whoever took it over while this process slept downloads now.
      if (textAt(path) === text) rmSync(path, { force: true });
    },
  };
}

/** Null when there is none, or it cannot be read. */
function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Takes away a claim that holds nothing. False when another one took its place meanwhile. */
function withdraw(path: string, judged: string): boolean {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return false; // Somebody else did.
  }
  const isIt = readFileSync(aside, 'utf8') === judged;
  if (!isIt) takeName(aside, path);
  rmSync(aside, { force: true });
  return isIt;
}

/** A damaged claim holds nothing: it is written whole. */
function parsed(text: string): Claim | null {
  try {
    const value: unknown = JSON.parse(text);
    return Check(Claim, value) ? value : null;
  } catch {
    return null;
  }
}

function isHeld(claim: Claim | null, path: string, now: number): boolean {
  if (claim === null) return false;
  const self = thisProcess();
  if (claim.host === self.host) {
    if (claim.pid === self.pid && claim.started === self.started) return own.has(claim.token);
    if (hasEnded(claim)) return false;
    // The process is certainly the one that took it.
    if (claim.started !== '' && self.started !== '') return true;
  }
  try {
    // A time far ahead is of a clock that was set back since.
    return Math.abs(now - statSync(path).mtimeMs) < silentFor;
  } catch {
    return false;
  }
}

function inDownload(folder: string, claim: Claim | null) {
  const who = claim === null ? 'Another process' : `Process ${claim.pid} on ${claim.host}`;
  return modelErrors.MODEL_IN_DOWNLOAD(`${who} downloads into ${folder}: wait for it or end it`, {
    folder,
    ...(claim && { pid: claim.pid, host: claim.host }),
  });
}

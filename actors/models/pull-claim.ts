// Who downloads a model: a file in its folder names the process. Two that write the same part of a file would
// mix what they write, and the one that ends first would give the name to a file that is not whole.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, takeName } from '../../runtime/files/atomic-write.ts';
import { type Holder, holderOf, isAlive, letGo, newHolder } from '../../runtime/files/lock.ts';
import { modelErrors } from './contract.ts';

export const claimName = 'pulling.json';
/** Ms between two signs of life. */
const renewedEvery = 15_000;
/** Ms without a sign of life after which a process that cannot be asked for has ended. */
const silentFor = 300_000;

export interface PullClaim {
  /** A sign of life, for processes of other machines. */
  renew(): void;
  release(): void;
}

/** `now`: Unix ms. Throws MODEL_IN_DOWNLOAD naming the process that has it, and what the file system says. */
export async function claimPull(folder: string, now: () => number = Date.now): Promise<PullClaim> {
  const path = join(folder, claimName);
  const holder = newHolder();
  const text = JSON.stringify(holder);
  try {
    await take(folder, path, text, now);
  } catch (error) {
    letGo(holder);
    throw error;
  }
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
      letGo(holder);
      // Whoever took it over while this process slept downloads now.
      if (textAt(path) === text) rmSync(path, { force: true });
    },
  };
}

async function take(folder: string, path: string, text: string, now: () => number): Promise<void> {
  const create = () => createFile(path, text, { flush: false, folderMode: 0o777 });
  if (create()) return;
  const other = await readFile(path, 'utf8').catch(() => null);
  const holder = other === null ? null : holderOf(other);
  if (other !== null && (isHeld(holder, path, now()) || !withdraw(path, other)))
    throw inDownload(folder, holder);
  if (!create()) throw inDownload(folder, null);
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

/** A damaged claim, which names nobody, holds nothing: it is written whole. */
function isHeld(holder: Holder | null, path: string, now: number): boolean {
  if (holder === null) return false;
  const alive = isAlive(holder);
  if (alive === false) return false;
  // Where it is not known when a process began, another one may have its number by now.
  const isSure = holder.started !== '' || holder.pid === process.pid;
  if (alive === true && isSure) return true;
  try {
    // A time far ahead is of a clock that was set back since.
    return Math.abs(now - statSync(path).mtimeMs) < silentFor;
  } catch {
    return false;
  }
}

function inDownload(folder: string, holder: Holder | null) {
  const who = holder === null ? 'Another process' : `Process ${holder.pid} on ${holder.host}`;
  return modelErrors.MODEL_IN_DOWNLOAD(
    `${who} is already downloading into ${folder}: wait until it is done, or end it`,
    {
      folder,
      ...(holder && { pid: holder.pid, host: holder.host }),
    },
  );
}

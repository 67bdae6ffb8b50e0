// Of several commands that start a service with one home folder at the same time one does.
import { readFileSync } from 'node:fs';
import { Check } from 'typebox/value';
import { createFile, privateFile, replaceFile } from '../runtime/files/atomic-write.ts';
import { ProcessIdentity, thisProcess } from '../runtime/process/identity.ts';
import { runsHere } from './service-file.ts';

/** Whether this command may start; the file is removed by it. False while another command of this machine does. */
export function takeStart(path: string): boolean {
  const own = `${JSON.stringify(thisProcess())}\n`;
  if (createFile(path, own, { ...privateFile, flush: false })) return true;
  const holder = holderOf(path);
  // One of another machine starts a service there, which is not found from here.
  if (holder && runsHere(holder)) return false;
  replaceFile(path, own, { ...privateFile, flush: false });
  return true;
}

function holderOf(path: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Check(ProcessIdentity, value) ? value : null;
  } catch {
    return null; // Gone meanwhile, or cut short.
  }
}

// Which process is this, and has another one ended? A process number alone says little: it is used again, by this very
// program too when a container is started anew.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Static, Type } from 'typebox';
import { codeOf } from '../files/error-code.ts';

export const ProcessMark = Type.Object({
  pid: Type.Integer(),
  /** When the process began, in the kernel's own count; empty where the system does not tell. */
  started: Type.String(),
  host: Type.String(),
});
export type ProcessMark = Static<typeof ProcessMark>;

interface Seen {
  readonly started: string;
  /** Killed, but its parent has not asked for its end yet: its number is still taken. */
  readonly ended: boolean;
}

function look(pid: number): Seen {
  if (process.platform !== 'linux') return { started: '', ended: false };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: `${boot}/${fields[19] ?? ''}`, ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { started: '', ended: false }; // Gone, or hidden: then only the number itself can be asked for.
  }
}

export function thisProcess(): ProcessMark {
  return { pid: process.pid, started: look(process.pid).started, host: hostname() };
}

/** True when a process of this machine has certainly ended. Of another machine nothing is known: false. */
export function hasEnded({ pid, started, host }: ProcessMark): boolean {
  if (host !== hostname()) return false;
  if (pid <= 0) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'EPERM';
  }
  const now = look(pid);
  return now.ended || (now.started !== '' && started !== '' && now.started !== started);
}

// Identifies a process, and tells whether it has ended. A process id alone is not enough: it is used again,
// in a restarted container often by this very program.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Static, Type } from 'typebox';
import { codeOf } from '../errors.ts';

export const ProcessIdentity = Type.Object({
  pid: Type.Integer(),
  /** When the process began, in the kernel's own count; empty where the system does not say. */
  started: Type.String(),
  host: Type.String(),
});
export type ProcessIdentity = Static<typeof ProcessIdentity>;

interface Status {
  readonly started: string;
  /** A zombie: it has ended, its parent has not collected it yet. */
  readonly ended: boolean;
}

function statusOf(pid: number): Status {
  if (process.platform !== 'linux') return { started: '', ended: false };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: `${boot}/${fields[19] ?? ''}`, ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { started: '', ended: false }; // Ended, or hidden from us: then only the id can be checked.
  }
}

export function thisProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

/** Of a process of this machine that runs. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: statusOf(pid).started, host: hostname() };
}

/** True when a process of this machine has certainly ended. Of another machine nothing is known: false. */
export function hasEnded({ pid, started, host }: ProcessIdentity): boolean {
  if (host !== hostname()) return false;
  if (pid <= 0) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // One of another user has the number; it may be another process, as below.
    if (codeOf(error) !== 'EPERM') return true;
  }
  const now = statusOf(pid);
  return now.ended || (now.started !== '' && started !== '' && now.started !== started);
}

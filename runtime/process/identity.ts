// Identifies a process, and tells whether it has ended. A process id alone is not enough: it is used again,
// in a restarted container often by this very program.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { codeOf } from '../errors.ts';

export const ProcessIdentity = Type.Object({
  pid: Type.Integer(),
  /** When the process began, as `startOf` has it; empty where the system does not say. */
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
  if (process.platform !== 'linux') return { started: startOf(pid), ended: false };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: `${boot}/${fields[19] ?? ''}`, ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { started: '', ended: false }; // Ended, or hidden from us: then only the id can be checked.
  }
}

// Linux says when a process began in the kernel's own count, in a file. Other systems say it by a program, as
// a time, which takes a moment. So a process knows its own time from Node, which begins some milliseconds
// later, and times that are less than two seconds apart are the same.

const byClock = 'clock/';
const SAME_MS = 2_000;
/** An answer holds for this long: whoever waits for another process asks again and again. */
const KNOWN_MS = 10_000;
const startTimes = new Map<number, { readonly started: string; readonly at: number }>();

function startOf(pid: number): string {
  if (pid === process.pid) return `${byClock}${Math.round(performance.timeOrigin)}`;
  const before = startTimes.get(pid);
  // The process that started this one does not give its number away while this one runs.
  const isFresh = before && (pid === process.ppid || performance.now() - before.at < KNOWN_MS);
  if (isFresh) return before.started;
  const time = askedStart(pid, process.platform);
  const started = time === null ? '' : `${byClock}${time}`;
  startTimes.set(pid, { started, at: performance.now() });
  return started;
}

type Run = (command: string, args: string[], options: object) => { readonly stdout: string | null };

/** Unix ms; null when the system does not say. `run`: starts a program, for tests. */
export function askedStart(pid: number, platform: NodeJS.Platform, run: Run = spawnSync as Run) {
  const options = { encoding: 'utf8', windowsHide: true, timeout: 10_000 };
  const powershell = 'System32/WindowsPowerShell/v1.0/powershell.exe';
  const { stdout } =
    platform === 'win32'
      ? run(
          join(process.env['SystemRoot'] ?? 'C:/Windows', powershell),
          ['-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`],
          options,
        )
      : run('ps', ['-o', 'lstart=', '-p', String(pid)], {
          ...options,
          env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
        });
  const text = (stdout ?? '').trim();
  const time = Date.parse(platform === 'win32' ? text : `${text} UTC`);
  return Number.isNaN(time) ? null : time;
}

/** Compares two start times of one process id on one machine: true for the same process. */
export function isSameStart(a: string, b: string): boolean {
  if (!a.startsWith(byClock) || !b.startsWith(byClock)) return a === b;
  return Math.abs(Number(a.slice(byClock.length)) - Number(b.slice(byClock.length))) < SAME_MS;
}

export function thisProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

/** Identity of a running process of this machine. */
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
  return now.ended || (now.started !== '' && started !== '' && !isSameStart(now.started, started));
}

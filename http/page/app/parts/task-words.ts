// What tasks are called, what they are about, and what one that is queued waits for.

import type { Task } from '../store.ts';
import { nameOf } from '../times.ts';
import type { Words } from '../words/pair.ts';
import { tasks as words } from '../words/tasks.ts';
import { t } from '../words.ts';

/** Of a kind of work. */
export function typeText(type: string): string {
  const kinds: Readonly<Record<string, Words>> = words;
  const known = kinds[type];
  return known ? t(known) : type;
}

interface Request {
  readonly types: readonly string[];
  readonly proxy_request?: { readonly media_path: string };
  readonly pull_models?: readonly string[];
}

/** The file or the models that a task is about; empty for one of many files. */
export function subjectOf({ proxy_request, pull_models }: Request): string {
  return proxy_request ? nameOf(proxy_request.media_path) : (pull_models ?? []).join(', ');
}

/** `Download (clip-b32)` */
export function taskName(request: Request): string {
  const subject = subjectOf(request);
  const kinds = request.types.map(typeText).join(', ');
  return subject === '' ? kinds : `${kinds} (${subject})`;
}

/** Null for a task that does not wait. `tasks`: those that run or wait. */
export function waitingText(tasks: readonly Task[], task_id: string): string | null {
  const task = tasks.find((one) => one.task_id === task_id);
  if (task?.state !== 'queued') return null;
  const { queue_position: n, waits_for } = task;
  const other = tasks.find((one) => one.task_id === waits_for);
  if (!other || n === null) return t(words.waits);
  return n === 1
    ? t(words.waitsFor, { what: other.name })
    : t(words.waitsBehind, { what: other.name, n: `${n}` });
}

import type { TestContext } from 'node:test';
import { inspect } from 'node:util';
import { createLog, type Log, type LogLine } from '../../../runtime/log.ts';
import { type ManualClock, manualClock } from '../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

/** Unix ms at which the tests begin. */
export const START = Date.UTC(2030, 0, 1);
export const MINUTE = 60_000;

export interface World {
  readonly folder: string;
  readonly clock: ManualClock;
  now(): number;
  /** Sets the wall clock apart from the other. */
  skew(ms: number): void;
  readonly log: Log;
  /** Every line that was logged, all of it: what the writer of lines would take out is still in. */
  logged(): string;
}

export function newWorld(t: TestContext): World {
  const folder = temporaryFolder(t);
  const clock = manualClock();
  let skew = 0;
  let lines = '';
  const write = (line: LogLine) => {
    lines += `${inspect(line, { depth: 10, showHidden: true })}\n`;
  };
  return {
    folder,
    clock,
    now: () => START + clock.now() + skew,
    skew: (ms) => {
      skew += ms;
    },
    log: createLog('test', write),
    logged: () => lines,
  };
}

/** The words of a refusal; `ok` when there is none. */
export function words(decision: { ok: boolean; body?: object }): string {
  return decision.ok ? 'ok' : Object.values(decision.body ?? {}).join(' | ');
}

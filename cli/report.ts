// How an analysis ended, and what is said of it at the end.
import type { FileOutcome, FileResult, TaskError, TaskProgress } from '../actors/analysis/contract.ts';
import { duration, printable } from './terminal.ts';

export interface Report {
  readonly cancelled: boolean;
  readonly error: TaskError | null;
  readonly counts: Readonly<Record<FileOutcome, number>>;
  readonly failures: readonly Failure[];
  /** Undefined when it ended before it began to work. */
  readonly progress: TaskProgress | undefined;
  /** The visual model; null when nothing was looked at. */
  readonly model_key: string | null;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Counts results as they come. */
export function createTally() {
  const counts = { analyzed: 0, stored: 0, no_picture: 0, no_sound: 0, failed: 0, cancelled: 0 };
  const failures: Failure[] = [];
  const add = ({ outcome, error }: FileResult) => {
    counts[outcome]++;
    if (outcome === 'failed' && error) failures.push(error);
  };
  return { counts, failures, add };
}

export function summary(
  { counts, failures, progress, cancelled, model_key }: Report,
  walkFailures: readonly Failure[],
): string {
  const ends: [number, string][] = [
    [counts.analyzed, 'analysed'],
    [counts.stored, 'already known'],
    [counts.no_picture, 'sound only'],
    [counts.no_sound, 'without sound'],
    [counts.failed + walkFailures.length, 'failed'],
    [counts.cancelled, 'not finished'],
  ];
  const said = ends.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const { elapsed_seconds = 0, media_seconds = 0, frames = 0 } = progress ?? {};
  const speed = elapsed_seconds > 0 ? media_seconds / elapsed_seconds : 0;
  const looked =
    frames > 0 ? `, ${frames} ${frames === 1 ? 'frame' : 'frames'}, ${speed.toFixed(1)}× real time` : '';
  const lines = [
    `${cancelled ? 'Stopped' : 'Done'}: ${said.join(', ')} in ${duration(elapsed_seconds)}${looked}${model_key === null ? '' : ` (${model_key})`}`,
    ...[...failures, ...walkFailures].map(({ code, message }) => `  ${code}: ${printable(message)}`),
    ...(cancelled ? ['What is finished stays; the same command goes on with the rest.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

// Progress as snapshots and events write it: each kind of work has two fields of its own.
import { type Amounts, type FileProgress, fileProgress, progressOf, type TaskProgress } from './progress.ts';
import { measured, type StageKind, type Unit } from './stages/kind.ts';

type Fields = Readonly<Record<string, number>>;

/** Seconds to the millisecond. */
export function rounded(value: number, measure: Unit['measure'] = 'seconds'): number {
  return measure === 'count' ? value : Math.round(Math.max(0, value) * 1000) / 1000;
}

/** `frames`, `grid_frames`, … of every kind; 0 for what the task does not do. */
export function amountFields(
  kinds: readonly StageKind[],
  stages: Readonly<Record<string, Amounts>> | undefined,
): Fields {
  return Object.fromEntries(
    measured(kinds).flatMap(({ type, unit }) => [
      [unit.done, rounded(stages?.[type]?.done ?? 0, unit.measure)],
      [unit.all, rounded(stages?.[type]?.all ?? 0, unit.measure)],
    ]),
  );
}

/** `file_frames`, `file_grid_frames`, … of the file's kind. */
export function fileFields(kinds: readonly StageKind[], { type, done, all }: FileProgress): Fields {
  const { unit } = kindOf(kinds, type);
  if (unit === null) return {};
  return {
    [`file_${unit.done}`]: rounded(done, unit.measure),
    [`file_${unit.all}`]: rounded(all, unit.measure),
  };
}

export interface ProgressFields {
  readonly types: readonly string[];
  readonly files: number;
  readonly files_done: number;
  readonly jobs?: number;
  readonly jobs_done?: number;
  readonly surveyed: boolean;
  readonly percentage: number;
  readonly elapsed_seconds: number;
}

/** The progress that such fields tell. */
export function progressFrom(
  kinds: readonly StageKind[],
  told: ProgressFields,
  fields: Readonly<Record<string, unknown>>,
): TaskProgress {
  const amounts = Object.fromEntries(
    measured(kinds).map(({ type, unit }) => [
      type,
      { done: Number(fields[unit.done] ?? 0), all: Number(fields[unit.all] ?? 0) },
    ]),
  );
  return progressOf(kinds, { ...told, amounts });
}

/** The progress of a file that such fields tell; undefined when they tell none. */
export function fileProgressFrom(
  kinds: readonly StageKind[],
  { path, type }: Pick<FileProgress, 'path' | 'type'>,
  fields: Readonly<Record<string, unknown>>,
): FileProgress | undefined {
  const { unit } = kindOf(kinds, type);
  if (unit === null) return undefined;
  const [done, all] = [fields[`file_${unit.done}`], fields[`file_${unit.all}`]];
  if (typeof done !== 'number' || typeof all !== 'number') return undefined;
  return fileProgress({ path, type, done, all });
}

export function kindOf(kinds: readonly StageKind[], type: string): StageKind {
  const kind = kinds.find((one) => one.type === type);
  if (!kind) throw new Error(`there is no kind of work ${type}`);
  return kind;
}

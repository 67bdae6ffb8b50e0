// How work goes on, as workers tell it by notices of the database: whoever misses one misses nothing that
// matters.
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { nullable } from '../../runtime/schema.ts';

export const progressChannel = 'framehound_progress';

const AmountOf = Type.Object({ done: Type.Number(), all: Type.Number() });

export const ProgressNotice = Type.Object({
  task_id: Type.String(),
  job: Type.String(),
  /** The file that was worked on last. */
  file: nullable(
    Type.Object({
      ...AmountOf.properties,
      path: Type.String(),
      type: Type.String(),
      percentage: Type.Number(),
    }),
  ),
  /** By type of work. */
  amounts: Type.Record(Type.String(), AmountOf),
  /** How much of its files is done: 1.5 is one and a half. */
  files: Type.Number(),
});
export type ProgressNotice = Static<typeof ProgressNotice>;

/** Null for what an engine of another version says. */
export function noticeIn(text: string): ProgressNotice | null {
  try {
    const value: unknown = JSON.parse(text);
    return Check(ProgressNotice, value) ? value : null;
  } catch {
    return null;
  }
}

// What is chosen in a list: one by one, from one to another, or all.
import type { Row } from './rows.ts';

export type Chosen = ReadonlyMap<string, Row>;

export const nothing: Chosen = new Map();

export function toggled(chosen: Chosen, row: Row): Chosen {
  const next = new Map(chosen);
  if (!next.delete(row.path)) next.set(row.path, row);
  return next;
}

/** With these beside those that are. */
export function withRows(chosen: Chosen, rows: readonly Row[]): Chosen {
  return new Map([...chosen, ...rows.map((row) => [row.path, row] as const)]);
}

/** From one row to another, whichever stands first; both among them. */
export function between(a: number, b: number): readonly [from: number, to: number] {
  return [Math.min(a, b), Math.max(a, b) + 1];
}

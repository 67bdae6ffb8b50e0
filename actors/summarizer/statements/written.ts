// What can be read in the picture, with when.
import { clipped, frameId } from '../facts/evidence.ts';
import type { ReadLine } from '../facts/facts.ts';
import { largest } from '../facts/sights.ts';
import { listOf, timeOf } from './english.ts';
import type { Statement } from './statement.ts';

/** UTF-16 units of a line. */
const longest = 80;

/** `“STOP” and “Enrichment St”`. */
export function linesPhrase(lines: readonly ReadLine[], count: number): string {
  return listOf(largest(lines, count).map(({ text }) => quotedLine(text)));
}

/** `In the picture: “STOP” (00:12).` Null where nothing is read. `withTimes`: not of a still. */
export function writtenIn(lines: readonly ReadLine[], count: number, withTimes: boolean): Statement | null {
  const told = largest(lines, count);
  if (told.length === 0) return null;
  const parts = told.map(({ text, frame }) => `${quotedLine(text)}${withTimes ? ` (${timeOf(frame)})` : ''}`);
  const evidence = [...new Set(told.map(({ frame }) => frameId(frame)))];
  return { kind: 'written', text: `Text in the picture: ${listOf(parts)}.`, evidence, rank: 2.2 };
}

const quotedLine = (text: string) => `“${clipped(text.replace(/\s+/gu, ' ').trim(), longest)}”`;

// Reads a line, and what seems certain once more, cut otherwise: a letter that is taken for another one is
// then often read as something else.
import { doubtedScore, shownScore, type TextLine } from '../contract.ts';
import type { Rectangle } from '../detection/rectangle.ts';
import type { ReadText } from './characters.ts';
import { isUpright } from './line.ts';

type Read = (line: Rectangle) => Promise<ReadText>;

/** The dictionary has no ©, which is read as this by itself. */
const standsForAnother = /(^|\s)@(\s|$)/;

/**
 * Certain is what two looks read alike with certainty. `before`: lines of the picture before it, which was
 * another look at those that are still there.
 */
export async function readLine(line: Rectangle, before: readonly TextLine[], read: Read): Promise<ReadText> {
  const { from, ...one } = await readAlong(line, read);
  if (one.score < shownScore) return one;
  if (standsForAnother.test(one.text)) return { ...one, score: doubtedScore };
  if (before.some(({ text, score }) => score >= shownScore && isSame(text, one.text))) return one;
  const other = await read(closer(from));
  const better = other.score > one.score ? other : one;
  if (!isSame(one.text, other.text) || other.score < shownScore) return { ...better, score: doubtedScore };
  // Spaces that are small are missed rather than made up.
  return { text: other.text.length > one.text.length ? other.text : one.text, score: one.score };
}

/** A line that runs down may as well run up. */
async function readAlong(line: Rectangle, read: Read): Promise<ReadText & { readonly from: Rectangle }> {
  const one = { ...(await read(line)), from: line };
  if (!isUpright(line)) return one;
  const from = { ...line, ux: -line.ux, uy: -line.uy };
  const other = { ...(await read(from)), from };
  return other.score > one.score ? other : one;
}

/**
 * Of drawn lines on which it was chosen, this tells more that are wrong than cuts that are wider, aside,
 * stretched or blurred.
 */
function closer(line: Rectangle): Rectangle {
  const less = 0.15 * Math.min(line.width, line.height);
  return { ...line, width: line.width - less, height: line.height - less };
}

/** Spaces do not count, upper and lower case do. */
function isSame(one: string, other: string): boolean {
  const letters = (text: string) => text.replace(/\s+/g, '');
  return letters(one) === letters(other);
}

// Chapters of a film out of the nodes of its summary: a title, and from when to when.

import { shortened } from '../../summarizer/stored/shortened.ts';
import { sentencesOf } from '../../summarizer/text/sentences.ts';
import { oneLine } from '../rows.ts';
import type { Chapter } from './contract.ts';

/** Characters (code points) of a title. */
export const longestTitle = 100;

/** What becomes a chapter: a node, or what its parent says of it. */
export interface ChapterNode {
  readonly text: string;
  /** Half-open, in seconds of the grid. */
  readonly range: readonly [number, number];
}

/**
 * In the order of the nodes. `seconds`: how long the film is, null where nobody knows; the grid counts its
 * last, broken second as a whole one.
 */
export function chaptersOf(nodes: readonly ChapterNode[], seconds: number | null): Chapter[] {
  return nodes.map(({ text, range: [start, end] }, i) => {
    const isWithin = seconds !== null && seconds > start;
    return {
      title: titleOf(text) || `Chapter ${i + 1}`,
      start_seconds: start,
      end_seconds: isWithin ? Math.min(end, seconds) : end,
    };
  });
}

/** The first sentence of a text in one line, cut between words where it is long; empty for an empty text. */
export function titleOf(text: string): string {
  const start = oneLine(shortened(text, 4 * longestTitle).text);
  const [first] = sentencesOf([{ text: start, start_seconds: 0, end_seconds: 0, speaker: null }]);
  const sentence = first?.text ?? start;
  if (!shortened(sentence, longestTitle).isCut) return sentence;
  const { text: cut } = shortened(sentence, longestTitle - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > cut.length / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

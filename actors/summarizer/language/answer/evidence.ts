// What a text may claim: who is known, what is said, and the range. Made once for a node.
import type { NodeMaterial } from '../contract.ts';
import { folded, foldedLine, wordsOf } from './words.ts';

export interface EvidenceFacts {
  readonly range: readonly [start: number, end: number];
  /** Folded words of names of people and speakers, and capitalised ones of texts that were checked before. */
  readonly names: ReadonlySet<string>;
  /** Folded words that are said. */
  readonly heard: ReadonlySet<string>;
  /** All that is said, folded, with texts of children behind it. */
  readonly quotable: string;
  /** All that is said, folded. */
  readonly said: string;
  /** Times as they are said: `10:30`. */
  readonly saidTimes: ReadonlySet<string>;
}

export const timePattern = /(?<![\d:.])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])/g;

export function evidenceFacts({ range, evidence, children }: NodeMaterial): EvidenceFacts {
  const { people, speakers, transcript } = evidence;
  const saidText = transcript.map(({ text }) => text).join('\n');
  const childText = children.map(({ text }) => text).join('\n');
  const said = foldedLine(saidText);
  return {
    range,
    names: new Set([
      ...[...people, ...speakers].flatMap(foldedWords),
      ...transcript.flatMap(({ speaker }) => (speaker === null ? [] : foldedWords(speaker))),
      ...foldedWords(withoutQuotes(childText)),
    ]),
    heard: new Set(said.trim().split(' ')),
    quotable: said + foldedLine(childText),
    said,
    saidTimes: new Set(saidText.normalize('NFKC').match(timePattern) ?? []),
  };
}

const foldedWords = (text: string) => wordsOf(text.normalize('NFKC')).map((word) => folded(word.text));

/** What a template quotes is heard, and names in it are of people that nobody has seen. */
const withoutQuotes = (text: string) => text.replaceAll(/["“„«][^"”“»]*["”“»]/gu, ' ');

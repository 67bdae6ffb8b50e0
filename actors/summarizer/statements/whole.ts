// What a file is in one line and in a few sentences.
import type { Facts } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { scoredSentences } from '../facts/leaf.ts';
import { capital, lengthOf, listOf } from './english.ts';
import { peoplePhrase, peopleSeen, speakingLong } from './people.ts';
import { planOf, type Section } from './plan.ts';
import { seenInNode, seenPhrase } from './seen.ts';
import { quoted, recurring, recurringWords } from './speech.ts';
import { fitting, type Statement, textOf } from './statement.ts';
import { linesPhrase, writtenIn } from './written.ts';

/** UTF-16 units. */
export const longestLine = 160;
export const longestShort = 800;
/** Sentences of the short summary. */
const mostSentences = 5;

export function extentOf({ kind, material: { seconds }, root }: OutlinedFilm): Statement {
  const what =
    kind === 'image' ? 'A still' : `${kind === 'audio' ? 'Sound' : 'A video'} of ${lengthOf(seconds)}`;
  const parts = root.child_ids.length;
  const text = parts > 1 ? `${what} in ${parts} parts.` : `${what}.`;
  return { kind: 'extent', text, evidence: [], rank: 0 };
}

/** `root`: facts of the root. */
export function oneLine(film: OutlinedFilm, root: Facts): string {
  const said = recurring(film, root.sentences, 3).words;
  const isLeaf = film.root.child_ids.length === 0;
  const seen = [seenPhrase(root, { things: 3, conditions: 1 }, isLeaf).text, linesPhrase(root.lines, 1)];
  const result: Record<Section, string> = {
    seen: seen.filter((part) => part !== '').join('; '),
    people: peoplePhrase(root.people),
    speech: said.length > 1 ? `about ${listOf(said.map((word) => `“${word}”`))}` : bestQuote(film, root),
  };
  const { text } = extentOf(film);
  const whole = text.replace(/( in \d+ parts)?\.$/, '');
  let line = whole;
  for (const section of planOf(film.objective).sections) {
    const more = `${line}${line === whole ? ': ' : '; '}${result[section]}`;
    if (result[section] !== '' && more.length < longestLine) line = more;
  }
  return `${line === whole ? `${whole}: ${nothingKnown(film)}` : line}.`.replace(/([.!?…]”?)\.$/u, '$1');
}

function bestQuote(film: OutlinedFilm, root: Facts): string {
  const best = scoredSentences(film, root.sentences, 1)[0];
  return best ? quoted(film, best.sentence, 60, 0).text.replace(/ \([\d:]+\)\.$/, '') : '';
}

function nothingKnown({ segments, material, kind }: OutlinedFilm): string {
  const looked = kind !== 'audio' && (material.pictures?.frames.length ?? 0) > 0;
  if (!looked) return segments ? 'nobody speaks' : 'nothing is known about it';
  if (kind === 'image') return 'nothing was recognised';
  return [...(segments ? ['nobody speaks'] : []), 'nothing in the pictures was recognised'].join(', ');
}

/** Two to five sentences; `root`: facts and statements of the root. */
export function shortSummary(film: OutlinedFilm, root: Facts, statements: readonly Statement[]): string {
  const seen = seenInNode(root, { things: 4, conditions: 1 });
  const best = scoredSentences(film, root.sentences, 2);
  const quotes = best.map(({ sentence }, i) => quoted(film, sentence, 140, 3 + i));
  const words = recurringWords(film, root, 4);
  const speakers = speakingLong(root, true);
  const result: Record<Section, (Statement | null)[]> = {
    seen: [seen, writtenIn(root.lines, 3, film.kind !== 'image')],
    people: [peopleSeen(root, false)],
    speech: [speakers, ...(words ? [{ ...words, rank: 3.5 }, ...quotes.slice(0, 1)] : quotes)],
  };
  const content = planOf(film.objective)
    .sections.flatMap((section) => result[section])
    .filter((own) => own !== null);
  const missing = statements.filter(({ kind }) => kind === 'absence');
  const all = [extentOf(film), ...content, ...missing];
  const kept = new Set(all.toSorted((a, b) => a.rank - b.rank).slice(0, mostSentences));
  const fit = fitting(
    all.filter((own) => kept.has(own)),
    longestShort,
  );
  if (fit.length > 1) return capital(textOf(fit));
  return `${extentOf(film).text} ${capital(nothingKnown(film))}.`;
}

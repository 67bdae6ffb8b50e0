// Which people a question names: names that stand in it as whole words, whatever the case.
import { fold } from '../text/fold.ts';

const word = /[\p{L}\p{N}\p{M}_]+/gu;
/** What is left hanging where a name was taken out: `Ann's`, `Ann and`, `with Ann`. */
const hanging = new Set('and with or s & und mit oder of von et y e avec con'.split(' '));

interface Word {
  readonly folded: string;
  readonly start: number;
  readonly end: number;
}

export interface NamedIn {
  /** Of `names`, as they are written there, in the order of the text. */
  readonly names: readonly string[];
  /** The text without them. */
  readonly rest: string;
}

/** `names`: each once. Where several fit, the longest counts. */
export function namedIn(text: string, names: readonly string[]): NamedIn {
  const words = wordsOf(text);
  const byFirst = Map.groupBy(
    names.map((name) => ({ name, words: wordsOf(name).map(({ folded }) => folded) })),
    (one) => one.words[0] ?? '',
  );
  const found: string[] = [];
  const kept: Word[][] = [[]];
  for (let at = 0; at < words.length; ) {
    const fits = (byFirst.get(words[at]!.folded) ?? []).filter((one) =>
      one.words.every((part, i) => words[at + i]?.folded === part),
    );
    if (fits.length === 0) {
      kept.at(-1)!.push(words[at++]!);
      continue;
    }
    const length = Math.max(...fits.map((one) => one.words.length));
    // Names that differ in nothing but case and marks are all meant.
    found.push(...fits.filter((one) => one.words.length === length).map(({ name }) => name));
    at += length;
    kept.push([]);
  }
  if (found.length === 0) return { names: [], rest: text };
  return { names: [...new Set(found)], rest: joined(text, kept) };
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(word)].map(([one], i, all) => ({
    folded: fold(one),
    start: all[i]!.index,
    end: all[i]!.index + one.length,
  }));
}

/** The words between the names, without those that hang at an end of the text or at a name. */
function joined(text: string, kept: readonly (readonly Word[])[]): string {
  const parts = kept.flatMap((words, i) => {
    let [first, last] = [0, words.length - 1];
    const hangs = (at: number) => at >= 0 && hanging.has(words[at]?.folded ?? '');
    while (first <= last && i > 0 && hangs(first)) first++;
    while (last >= first && i < kept.length - 1 && hangs(last)) last--;
    return first > last ? [] : [text.slice(words[first]!.start, words[last]!.end)];
  });
  return parts.join(' ');
}

// Word error rate. Case and punctuation do not count; numbers are compared as they are written, so "15" and
// "fifteen" differ.

export interface WordErrors {
  /** Words of the reference; letters where the script writes no spaces. */
  readonly words: number;
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
}

export interface Step {
  readonly kind: 'same' | 'substitution' | 'deletion' | 'insertion';
  /** Null for an insertion. */
  readonly reference: string | null;
  /** Null for a deletion. */
  readonly hypothesis: string | null;
}

/**
 * Errors for each word of the reference: 0 is perfect, and there may be more than 1. Infinity for an empty
 * reference.
 */
export function errorRate({ words, substitutions, deletions, insertions }: WordErrors): number {
  const errors = substitutions + deletions + insertions;
  return errors === 0 ? 0 : errors / words;
}

/** Of one text. `language`: BCP 47, for its letters of either case. */
export function wordErrors(reference: string, hypothesis: string, language = 'en'): WordErrors {
  const counts = { same: 0, substitution: 0, deletion: 0, insertion: 0 };
  for (const { kind } of align(wordsOf(reference, language), wordsOf(hypothesis, language)))
    counts[kind] += 1;
  return {
    words: counts.same + counts.substitution + counts.deletion,
    substitutions: counts.substitution,
    deletions: counts.deletion,
    insertions: counts.insertion,
  };
}

/** The sum over many texts, so that a long one counts for more. */
export function pooled(texts: readonly WordErrors[]): WordErrors {
  const sum = (of: (one: WordErrors) => number) => texts.reduce((total, one) => total + of(one), 0);
  return {
    words: sum(({ words }) => words),
    substitutions: sum(({ substitutions }) => substitutions),
    deletions: sum(({ deletions }) => deletions),
    insertions: sum(({ insertions }) => insertions),
  };
}

const unspaced =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)/gu;

/** Words as they are compared. An apostrophe inside a word and the marks inside a number belong to it. */
export function wordsOf(text: string, language = 'en'): string[] {
  return text
    .normalize('NFKC')
    .toLocaleLowerCase(language)
    .replace(/[\u2018\u2019\u02BC]/gu, "'")
    .replace(unspaced, ' $1 ')
    .replace(/(?<!\p{N})[.,:]|[.,:](?!\p{N})|(?<!\p{L})'|'(?!\p{L})|[^\p{L}\p{M}\p{N}.,:'\s]/gu, ' ')
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** The shortest edit sequence from one to the other; of several the one with most substitutions. */
export function align(reference: readonly string[], hypothesis: readonly string[]): Step[] {
  const width = hypothesis.length + 1;
  const costs = new Uint32Array((reference.length + 1) * width);
  for (let column = 0; column < width; column += 1) costs[column] = column;
  for (let row = 1; row <= reference.length; row += 1) {
    costs[row * width] = row;
    for (let column = 1; column < width; column += 1) {
      const changed =
        costs[(row - 1) * width + column - 1]! + Number(reference[row - 1] !== hypothesis[column - 1]);
      const lost = costs[(row - 1) * width + column]! + 1;
      const added = costs[row * width + column - 1]! + 1;
      costs[row * width + column] = Math.min(changed, lost, added);
    }
  }
  return walkBack(costs, width, reference, hypothesis);
}

function walkBack(
  costs: Uint32Array,
  width: number,
  reference: readonly string[],
  hypothesis: readonly string[],
): Step[] {
  const steps: Step[] = [];
  let row = reference.length;
  let column = hypothesis.length;
  while (row > 0 || column > 0) {
    const cost = costs[row * width + column]!;
    const said = reference[row - 1] ?? null;
    const written = hypothesis[column - 1] ?? null;
    const differs = Number(said !== written);
    if (row > 0 && column > 0 && costs[(row - 1) * width + column - 1]! + differs === cost) {
      steps.push({ kind: differs ? 'substitution' : 'same', reference: said, hypothesis: written });
      row -= 1;
      column -= 1;
    } else if (row > 0 && costs[(row - 1) * width + column]! + 1 === cost) {
      steps.push({ kind: 'deletion', reference: said, hypothesis: null });
      row -= 1;
    } else {
      steps.push({ kind: 'insertion', reference: null, hypothesis: written });
      column -= 1;
    }
  }
  return steps.reverse();
}

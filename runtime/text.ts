// Words and texts: what a mistyped word was probably meant to be, quotation marks, and apostrophes.

const apostrophes = /[\u00b4\u02b9\u02bb\u02bc\u02bd\u2018\u2019\u201b\u2032\u2035\uff07]/g;

/**
 * The text with each apostrophe, whatever sign people and programs write for it, as `'`.
 * All other characters keep their positions.
 */
export function plainApostrophes(text: string): string {
  return text.replace(apostrophes, "'");
}

/**
 * Null when nothing is near: one slip in a short word, two in a longer one, or a beginning of three letters
 * or more.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const typed = word.toLowerCase();
  const most = typed.length <= 4 ? 1 : typed.length <= 8 ? 2 : 3;
  let best: { readonly name: string; readonly slips: number } | null = null;
  for (const name of candidates) {
    if (Math.abs(typed.length - name.length) > most) continue;
    const slips = slipsBetween(typed, name.toLowerCase());
    if (slips <= most && slips < name.length && (best === null || slips < best.slips)) best = { name, slips };
  }
  if (best !== null || typed.length < 3) return best?.name ?? null;
  const begun = [...candidates].filter((name) => name.toLowerCase().startsWith(typed));
  return begun.length > 0 ? begun.reduce((a, b) => (b.length < a.length ? b : a)) : null;
}

/** A sentence to append to an error, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const name = nearest(word, candidates);
  return name === null ? '' : `; did you mean ${name}?`;
}

/** Letters left out, added, changed, or two of them swapped. */
export function slipsBetween(a: string, b: string): number {
  let [before, last] = [
    new Array<number>(b.length + 1).fill(0),
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = Math.min(last[j]! + 1, row[j - 1]! + 1, changed);
      row.push(swapped ? Math.min(least, before[j - 2]! + 1) : least);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

// A text in quotation marks, for messages.

/** Control characters, ends of lines and halves of characters. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Keeps a path readable and ready to copy; characters that a line cannot show become their number, `\u0007`.
 */
export function quoted(text: string): string {
  const shown = text.replace(unprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${shown}"`;
}

// A number and what it counts.

/** `many`: where it is not `one` with an s. */
export function counted(count: number, singular: string, many = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : many}`;
}

/** For sorting by code units, which is the same on every machine. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

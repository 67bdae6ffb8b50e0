// Material of a film inside a prompt: one JSON value a line between two marks. What is quoted has no line
// breaks and no bare quotation marks of its own, so it cannot end the quotation, whatever it says.

export const quoteStart = '<<<MATERIAL';
export const quoteEnd = 'MATERIAL>>>';

/** Control characters become spaces, and signs that a screen does not show are left out. */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Co}]+/gu, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** At most `longest` UTF-16 units, `…` included. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text
    .slice(0, Math.max(0, longest - 1))
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}

export function quoted(text: string, longest = Number.POSITIVE_INFINITY): string {
  return JSON.stringify(cut(plain(text), longest));
}

export function quotation(lines: readonly string[]): string {
  return [quoteStart, ...(lines.length > 0 ? lines : ['(nothing)']), quoteEnd].join('\n');
}

// A text in quotation marks, for messages.

/** Control characters, ends of lines and halves of characters. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * As it is, so that a path can be read and copied; what a line cannot show stands as its number, `\u0007`.
 */
export function quoted(text: string): string {
  const shown = text.replace(unprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${shown}"`;
}

// Texts and lists cut to what an answer may hold.

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** At most `most` characters (code points), and no letter torn from its marks. */
export function shortened(text: string, most: number): { readonly text: string; readonly isCut: boolean } {
  // No text of so few units has more characters.
  if (text.length <= most) return { text, isCut: false };
  // A character has two units at most.
  const start = Array.from(text.slice(0, 2 * most + 2));
  if (start.length <= most && text.length <= 2 * most + 2) return { text, isCut: false };
  const cut = start.slice(0, most).join('');
  // With one character more it is seen whether the last letter goes on.
  let end = 0;
  for (const { index, segment } of graphemes.segment(start.slice(0, most + 1).join(''))) {
    if (index + segment.length <= cut.length) end = index + segment.length;
  }
  return { text: end === 0 ? cut : cut.slice(0, end), isCut: true };
}

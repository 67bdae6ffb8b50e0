// The base direction of a text.

const letter = /\p{L}/u;
const rightToLeft =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}\p{sc=Samaritan}\p{sc=Mandaic}]/u;

/** That of its first letter. */
export function isRightToLeft(text: string): boolean {
  const first = letter.exec(text)?.[0];
  return first !== undefined && rightToLeft.test(first);
}

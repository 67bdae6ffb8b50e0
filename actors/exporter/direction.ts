// Which way a text is written. Pure.

const strong = /\p{L}/u;
const turned =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}\p{sc=Samaritan}\p{sc=Mandaic}]/u;

/** As its first letter is written. */
export function isRightToLeft(text: string): boolean {
  const first = strong.exec(text)?.[0];
  return first !== undefined && turned.test(first);
}

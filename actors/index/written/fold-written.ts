// The form in which printed words are compared. Whoever reads them drops spaces and accents, so both are
// dropped here.
import { fold } from '../text/fold.ts';

/** Letters that are no other one with a mark. */
const plain: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const special = new RegExp(`[${Object.keys(plain).join('')}]`, 'g');
const marks = /\p{M}/gu;

/** Case, width and accents do not count; spaces are as they were. */
export function withoutAccents(text: string): string {
  const bare = fold(text).normalize('NFD').replace(marks, '').normalize('NFC');
  return bare.replace(special, (letter) => plain[letter]!);
}

/** The same without spaces. */
export function foldWritten(text: string): string {
  return withoutAccents(text).replace(/\s+/g, '');
}

/**
 * What a query may look like in a picture, each once: an `ß` is read as a `B`. None for a query of spaces
 * alone.
 */
export function writtenForms(query: string): string[] {
  const forms = [query, query.replace(/[ßẞ]/g, 'b')].map(withoutAccents);
  return [...new Set(forms.map((form) => form.replace(/\s+/g, ' ').trim()))].filter((form) => form !== '');
}

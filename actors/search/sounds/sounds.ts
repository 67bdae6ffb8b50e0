// Words of a query for music and singing, in English and German: where they are heard is found like a name,
// and `without music` excludes what is heard.
import type { SoundName, SoundTerm } from '../../index/sounds/contract.ts';

const soundWords: Readonly<Record<SoundName, string>> = {
  music: 'background music|music|hintergrundmusik|musik',
  singing: 'singing|song|songs|gesang|lied|lieder',
};
const negations = 'without any|without|with no|no|not|ohne|keine|kein';
const fillers = /^(?:with|and|some|the|a|mit|und|,|\s)*$/;

const words = Object.values(soundWords).join('|');
const phrase = new RegExp(`(?<![\\p{L}\\p{N}-])(?:(${negations})\\s+)?(${words})(?![\\p{L}\\p{N}-])`, 'giu');

/** Null for a text that says anything else. */
export function soundTerms(text: string): SoundTerm[] | null {
  const terms = [...text.matchAll(phrase)].map(([, negation, word = '']) => termOf(negation, word));
  return terms.length > 0 && fillers.test(text.replace(phrase, '').toLowerCase()) ? terms : null;
}

/** The text without the sounds that it excludes; null for a text that excludes none, or says nothing else. */
export function withoutSounds(
  text: string,
): { readonly remainder: string; readonly sounds: SoundName[] } | null {
  const excluded = [...text.matchAll(phrase)].filter(([, negation]) => negation !== undefined);
  if (excluded.length === 0 || soundTerms(text) !== null) return null;
  const remainingText = excluded.reduce((remainder, [whole]) => remainder.replace(whole, ' '), text);
  return {
    remainder: remainingText.replace(/\s+/g, ' ').replace(/^[\s,]+|(?:[\s,]+(?:and|und|but|aber)?)+$/giu, ''),
    sounds: [...new Set(excluded.map(([, , word = '']) => termOf(undefined, word).sound))],
  };
}

function termOf(negation: string | undefined, word: string): SoundTerm {
  const isMusic = soundWords.music.split('|').includes(word.toLowerCase());
  return { sound: isMusic ? 'music' : 'singing', negated: negation !== undefined };
}

/** Terms in words: `music, without singing`. */
export function soundText(terms: readonly SoundTerm[]): string {
  return terms.map(({ sound, negated }) => (negated ? `without ${sound}` : sound)).join(', ');
}

// Words for people, English and German. A text is a pair, written in `words/`; `t` says it in the language in
// force.
import { get, type Language, update } from './store.ts';

// A text in both languages, and how values are put into it.

/** English, German. `{name}` is a value; `one|many` is chosen by the value `n`. */
export type Words = readonly [english: string, german: string];
type Values = Readonly<Record<string, string | number>>;

/** Numbers are written as the language does. */
export function filled(text: string, values: Values, language: string): string {
  const [singular = '', many = singular] = text.split('|');
  const chosen = values['n'] === 1 ? singular : many;
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}

const KEPT = 'framehound.language';

export function t([english, german]: Words, values: Values = {}): string {
  const { language } = get();
  return filled(language === 'de' ? german : english, values, language);
}

/** A name that others give, as the language says it where it is among the words. */
export function named(words: Readonly<Record<string, Words>>, name: string, otherwise = name): string {
  const entry = words[name];
  return entry ? t(entry) : otherwise;
}

export function setLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language;
  update({ language });
}

export function startLanguage(): void {
  const storedLanguage = localStorage.getItem(KEPT);
  const preferred = storedLanguage ?? navigator.language;
  const language = preferred.toLowerCase().startsWith('de') ? 'de' : 'en';
  document.documentElement.lang = language;
  update({ language });
}

// Words for people, English and German. A text is a pair, written in `words/`; `t` says it in the language in
// force.
import { get, type Language, update } from './store.ts';
import { filled, type Values, type Words } from './words/pair.ts';

const KEPT = 'framehound.language';

export function t([english, german]: Words, values: Values = {}): string {
  const { language } = get();
  return filled(language === 'de' ? german : english, values, language);
}

export function setLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language;
  update({ language });
}

export function startLanguage(): void {
  const kept = localStorage.getItem(KEPT);
  const wanted = kept ?? navigator.language;
  const language = wanted.toLowerCase().startsWith('de') ? 'de' : 'en';
  document.documentElement.lang = language;
  update({ language });
}

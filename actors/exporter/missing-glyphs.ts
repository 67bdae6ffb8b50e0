// The warning for characters that no font has, with packages of fonts that have them.

const help: readonly (readonly [pattern: RegExp, name: string, fonts: string])[] = [
  [
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3000-\u303f\uff00-\uffef]/u,
    'Chinese, Japanese and Korean',
    'fonts-noto-cjk (Debian, Ubuntu), google-noto-sans-cjk-fonts (Fedora), noto-fonts-cjk (Arch)',
  ],
  [
    /\p{L}|\p{M}|\p{N}/u,
    'other scripts',
    'fonts-noto-core (Debian, Ubuntu), google-noto-sans-fonts (Fedora), noto-fonts (Arch)',
  ],
  [/./su, 'signs and emoji', 'fonts-symbola (Debian, Ubuntu), or any font with outlines of them'],
];

/** Null when nothing is missing. */
export function missingWarning(missing: readonly string[]): string | null {
  if (missing.length === 0) return null;
  const advice = new Map<string, string>();
  for (const character of missing) {
    const [, name, fonts] = help.find(([pattern]) => pattern.test(character))!;
    advice.set(name, fonts);
  }
  const some = missing.slice(0, 20).join('');
  const more = missing.length > 20 ? ` and ${missing.length - 20} more` : '';
  const fonts = [...advice].map(([name, packages]) => `for ${name}: ${packages}`).join('; ');
  const what = missing.length === 1 ? 'a character' : `${missing.length} characters`;
  return `No font on this machine has ${what}, which are drawn as boxes: ${some}${more}. Fonts to install, ${fonts}.`;
}

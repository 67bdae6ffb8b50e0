// Turns names of languages ("english", "Deutsch", "ger", "pt-BR") into BCP 47 in its shortest form. Names
// come from the runtime's own tables (Intl); only what those lack is listed here.

// Codes of languages, as streams of sound and subtitles have them.

/**
 * ISO 639-2 has two codes for these languages; maps the bibliographic one, which files also use, to BCP 47.
 */
export const bibliographicCodes: Readonly<Record<string, string>> = {
  alb: 'sq',
  arm: 'hy',
  baq: 'eu',
  bur: 'my',
  chi: 'zh',
  cze: 'cs',
  dut: 'nl',
  fre: 'fr',
  geo: 'ka',
  ger: 'de',
  gre: 'el',
  ice: 'is',
  mac: 'mk',
  mao: 'mi',
  may: 'ms',
  per: 'fa',
  rum: 'ro',
  slo: 'sk',
  tib: 'bo',
  wel: 'cy',
};

/** Codes whose names are known in English and in the language itself: those of current speech models. */
const named =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fil fo fr gl gu ha haw he hi hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tr tt uk ur uz vi yi yo yue zh'.split(
    ' ',
  );

/**
 * Other names, and the bibliographic codes of files (ISO 639-2/B), which the runtime does not canonicalise.
 */
const aliases: Readonly<Record<string, string>> = {
  mandarin: 'zh',
  'mandarin chinese': 'zh',
  putonghua: 'zh',
  farsi: 'fa',
  tagalog: 'fil',
  pilipino: 'fil',
  flemish: 'nl',
  castilian: 'es',
  valencian: 'ca',
  moldavian: 'ro',
  moldovan: 'ro',
  burmese: 'my',
  myanmar: 'my',
  haitian: 'ht',
  letzeburgesch: 'lb',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  norsk: 'no',
  bokmål: 'no',
  nynorsk: 'nn',
  nb: 'no',
  tl: 'fil',
  'zh-yue': 'yue',
  ...bibliographicCodes,
};

let english: Intl.DisplayNames | null = null;

/** Made when a name is first asked for: it takes 10 ms, and most commands need none. */
function englishName(code: string): string | undefined {
  english ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return english.of(code);
}

let byName: ReadonlyMap<string, string> | null = null;

/** Made when a name is first asked for: the runtime takes some 50 ms to read its tables of all languages. */
function codesByName(): ReadonlyMap<string, string> {
  if (byName !== null) return byName;
  const codes = new Map<string, string>();
  for (const code of named) {
    const nativeName = new Intl.DisplayNames([code], { type: 'language', fallback: 'none' }).of(code);
    for (const name of [englishName(code), nativeName]) if (name) codes.set(fold(name), code);
  }
  for (const [name, code] of Object.entries(aliases)) codes.set(name, code);
  byName = codes;
  return codes;
}

function fold(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/**
 * BCP 47 of a language by any of its names, `auto` for one to be detected, null for an unknown one. A region
 * or script is kept: `pt_br` is `pt-BR`.
 */
export function languageCode(text: string): string | null {
  const name = fold(text);
  if (name === 'auto') return 'auto';
  const code = codesByName().get(name);
  if (code !== undefined) return code;
  // Codes of files for undetermined, several, no and uncoded languages.
  if (/^(und|mul|zxx|mis)\b/.test(name) || !/^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/.test(name)) return null;
  let tag: string | undefined;
  try {
    [tag] = Intl.getCanonicalLocales(name.replaceAll('_', '-'));
  } catch {
    return null;
  }
  const base = tag?.split('-', 1)[0] ?? '';
  if (tag === undefined || englishName(base) === undefined) return null;
  const plain = aliases[base] ?? base;
  return tag.length === base.length ? plain : `${plain}${tag.slice(base.length)}`;
}

/** English name of a code, `Portuguese`; the code itself where it has none. */
export function languageName(code: string): string {
  return englishName(code.split('-', 1)[0] ?? code) ?? code;
}

/** The primary language subtag: `pt` of `pt-BR`. */
export function baseLanguage(code: string): string {
  const tag = code.split('-', 1)[0] ?? code;
  return aliases[tag] ?? tag;
}

/**
 * The language among `offered` that matches `language`: itself, else the same one without region or script,
 * else with another one, else the base of `language` where `*` is offered. Null where none matches.
 */
export function offeredLanguage(offered: readonly string[], language: string): string | null {
  const exact = offered.find((candidate) => candidate.toLowerCase() === language.toLowerCase());
  if (exact !== undefined) return exact;
  const base = baseLanguage(language);
  const same = offered.find(
    (candidate) => candidate !== '*' && baseLanguage(candidate) === base && !candidate.includes('-'),
  );
  return (
    same ??
    offered.find((candidate) => candidate !== '*' && baseLanguage(candidate) === base) ??
    (offered.includes('*') ? base : null)
  );
}

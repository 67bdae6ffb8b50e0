// Chooses the fonts of a document: the bundled one, and fonts of the system for characters it lacks.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { type Font, openSync } from 'fontkit';

export interface FontFace {
  readonly path: string;
  /** Which of the fonts of a collection; null where the file is one font. */
  readonly name: string | null;
}

export interface FontFaces {
  /** The first is the bundled one. */
  readonly faces: readonly FontFace[];
  /** Place in `faces` of the font that has the character; 0 also where none has it. */
  of(character: string): number;
  /** Characters that no font has. */
  readonly missing: readonly string[];
}

const resolve = createRequire(import.meta.url).resolve;
/** Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic and symbols. */
export const bundled = resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
export const bundledBold = resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf');

/** Font files that are opened for one document, at most. */
const MOST_FILES = 150;

/** `folders`: of the system's fonts. They are read only for characters that the bundled font lacks. */
export function facesFor(characters: ReadonlySet<string>, folders: readonly string[]): FontFaces {
  const bundledFont = openSync(bundled) as Font;
  const faces: FontFace[] = [{ path: bundled, name: null }];
  const place = new Map<string, number>();
  let missing = [...characters].filter((character) => !has(bundledFont, character));
  for (const path of missing.length > 0 ? fontFiles(folders).slice(0, MOST_FILES) : []) {
    if (missing.length === 0) break;
    const match = best(path, missing);
    if (!match) continue;
    for (const character of match.characters) place.set(character, faces.length);
    missing = missing.filter((character) => !place.has(character));
    faces.push(match.face);
  }
  return { faces, of: (character) => place.get(character) ?? 0, missing };
}

/** The font of a file that has most of the characters; null when none has any, or may not be embedded. */
function best(path: string, characters: readonly string[]) {
  let fonts: readonly Font[];
  let isCollection: boolean;
  try {
    const opened = openSync(path);
    isCollection = 'fonts' in opened;
    fonts = 'fonts' in opened ? opened.fonts : [opened as Font];
  } catch {
    // Not every file with such an ending is a font; one that cannot be opened has no characters.
    return null;
  }
  const choice = fonts
    .filter(isUsable)
    .map((font) => ({ font, characters: characters.filter((character) => has(font, character)) }))
    .toSorted((a, b) => b.characters.length - a.characters.length)[0];
  if (!choice || choice.characters.length === 0) return null;
  const face: FontFace = { path, name: isCollection ? choice.font.postscriptName : null };
  return { face, characters: choice.characters };
}

/** Has outlines, not only bitmaps, and its licence bits allow embedding (OS/2 fsType). */
function isUsable(font: Font): boolean {
  try {
    const { directory, 'OS/2': os2 } = font as unknown as {
      directory: { tables: Readonly<Record<string, unknown>> };
      'OS/2'?: { fsType?: { noEmbedding?: boolean; bitmapOnly?: boolean } };
    };
    const hasOutlines = 'glyf' in directory.tables || 'CFF ' in directory.tables;
    return hasOutlines && !os2?.fsType?.noEmbedding && !os2?.fsType?.bitmapOnly;
  } catch {
    return false;
  }
}

function has(font: Font, character: string): boolean {
  return font.hasGlyphForCodePoint(character.codePointAt(0)!);
}

/** Fonts of many scripts first, regular weights before others. */
function fontFiles(folders: readonly string[]): string[] {
  const files = folders.flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:ttf|otf|ttc|otc)$/i.test(name))
        .map((name) => join(folder, name));
    } catch {
      // Most of the possible folders do not exist.
      return [];
    }
  });
  const ranked = [...new Set(files)].map((path) => ({ path, rank: rank(basename(path)) }));
  return ranked.toSorted((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

const preferred = [
  /NotoSans(?:Mono)?CJK|SourceHanSans|PingFang|Hiragino Sans|msyh|YuGothR|meiryo|malgun\.|AppleSDGothicNeo/i,
  /wqy|DroidSansFallback|ArialUni|Arial Unicode|unifont|simsun|msgothic|msjh|gulim|uming|ukai/i,
  /NotoSans|NotoNaskh|NotoEmoji|Symbola/i,
  /Lohit|Leelaw|Nirmala|segoeui|Arial|FreeS(?:ans|erif)|Thonburi|Kohinoor|Geeza|tahoma/i,
];

function rank(name: string): number {
  const at = preferred.findIndex((pattern) => pattern.test(name));
  const isStyled = /bold|italic|oblique|light|thin|black|heavy|medium|condensed|mono|serif/i.test(name);
  return 2 * (at < 0 ? preferred.length : at) + (isStyled ? 1 : 0);
}

/** The font folders of macOS, of Windows, and of Linux by its fontconfig. */
export function fontFolders(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir();
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] ?? join(home, 'AppData/Local');
    return [join(env['WINDIR'] ?? 'C:/Windows', 'Fonts'), join(local, 'Microsoft/Windows/Fonts')];
  }
  if (platform === 'darwin') {
    return ['/System/Library/Fonts', '/Library/Fonts', '/Network/Library/Fonts', join(home, 'Library/Fonts')];
  }
  const data = env['XDG_DATA_HOME'] ?? join(home, '.local/share');
  const shared = (env['XDG_DATA_DIRS'] ?? '/usr/local/share:/usr/share').split(':').filter(Boolean);
  const usual = [...shared.map((folder) => join(folder, 'fonts')), join(data, 'fonts'), join(home, '.fonts')];
  return [...new Set([...usual, ...configured(home, data)])];
}

/** `<dir>` of fontconfig's configuration. */
function configured(home: string, data: string): string[] {
  let text: string;
  try {
    text = readFileSync('/etc/fonts/fonts.conf', 'utf8');
  } catch {
    return [];
  }
  return [...text.matchAll(/<dir(\s[^>]*)?>([^<]+)<\/dir>/g)].map(([, attributes = '', path]) => {
    const plain = path!.trim().replace(/^~/, home);
    return attributes.includes('xdg') ? join(data, plain) : plain;
  });
}

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

// Exclusions of a watched folder: extensions, file names, and folders. Pure; settings of watch folders are
// checked and normalised with it.
import { quoted } from '../../runtime/text.ts';
import { isMediaName } from '../decoder/media-names.ts';
import type { Exclusions } from './contract.ts';

/** Names or paths that one glob may stand for by its braces. */
const MOST_WRITTEN_OUT = 256;
const LONGEST_GLOB = 1000;
/** Characters of an extension with its dot, as it is stored. */
export const LONGEST_EXTENSION = 100;

/** Lower case, with the dot, each once, in the order in which they came. */
export function normalizeExtensions(extensions: readonly string[]): string[] {
  return [
    ...new Set(extensions.map((extension) => `.${bareExtension(extension).normalize('NFC').toLowerCase()}`)),
  ];
}

/** With `/` between folders, and in front of a single one that is a path: it is matched in the same way. */
export function normalizeFolderGlob(glob: string): string {
  if (!isPath(glob)) return glob;
  const segments = segmentsOf(glob);
  return segments.length === 1 ? `/${segments[0]}` : segments.join('/');
}

/** Complaint about one exclusion, phrased to follow the name of the field; null if it is valid. */
export function exclusionComplaint(field: keyof Exclusions, exclusion: string): string | null {
  const what =
    field === 'excluded_extensions' ? extensionComplaint(exclusion) : globComplaint(field, exclusion);
  return what === null ? null : `holds ${quoted(exclusion)}, which ${what}`;
}

/**
 * Names are compared whatever their case and normal form; a leading dot is a character like any other. `*` is
 * any text, `?` one character, `[a-z]` one of those, `[!a-z]` one of the others, `{a,b}` one of the texts.
 * All else stands for itself, as in `Copy (1)`, `!later`, `+(a)` and `{1..3}`; `[[]`, `[*]` and `[{]` are the
 * characters themselves, and what is written just like a name leaves out that name, too: `[old]` is a folder
 * `[old]`, `o`, `l` or `d`.
 *
 * A folder glob without a separator is a name at any depth. With one, at the front and the end too, it is a
 * path from the watched folder: `/a`, `a/`, `a\b`. Backslashes separate and never escape. Each segment is one
 * level, also `*` and `**`, wherever it stands. Whatever lies in a folder that is left out is left out.
 */
export function exclusionsOf({
  excluded_extensions,
  excluded_filename_globs,
  excluded_folder_globs,
}: Exclusions): {
  leavesOutFile(name: string): boolean;
  /**
   * `relative`: `/` between the folders and none at the front; empty is the watched folder, which is never
   * left out.
   */
  leavesOutFolder(relative: string): boolean;
} {
  const isExtension = endsWithOne(excluded_extensions);
  const isFile = anyOf(excluded_filename_globs.flatMap(pathsOf).flat());
  const isNamed = anyOf(
    excluded_folder_globs.filter((glob) => !isPath(glob)).flatMap((glob) => pathsOf(glob).flat()),
  );
  const paths = excluded_folder_globs
    .filter(isPath)
    .flatMap(pathsOf)
    .map((segments) => segments.map((segment) => anyOf([segment])));
  return {
    leavesOutFile(name) {
      return isExtension(name) || (excluded_filename_globs.length > 0 && isFile(foldName(name)));
    },
    leavesOutFolder(relative) {
      if (relative === '' || excluded_folder_globs.length === 0) return false;
      const names = relative.split('/').map(foldName);
      const isBelow = (path: Matches[]) =>
        path.length <= names.length && path.every((is, at) => is(names[at]!));
      return names.some(isNamed) || paths.some(isBelow);
    },
  };
}

function anyOf(segments: readonly string[]): Matches {
  const names = new Set(segments);
  const globs = segments.filter(hasWildcard).map(globOf);
  return (name) => names.has(name) || globs.some((matches) => matches(name));
}

/** Folded segments of each path that a glob stands for: as it is written, and by its braces. */
function pathsOf(glob: string): string[][] {
  const text = foldName(glob).replaceAll('\\', '/');
  return [...new Set([text, ...writtenOut(text, MOST_WRITTEN_OUT)])].map(segmentsOf);
}

function segmentsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((segment) => segment !== '');
}

function isPath(glob: string): boolean {
  return /[\\/]/.test(glob);
}

function endsWithOne(extensions: readonly string[]): (name: string) => boolean {
  const endings = new Set(normalizeExtensions(extensions).map(foldName));
  const mostDots = Math.max(0, ...Array.from(endings, (ending) => ending.split('.').length - 1));
  return (name) => {
    // Only the end is folded: this is asked of every file of every poll.
    for (let dots = 1, at = name.length; dots <= mostDots && at > 0; dots++) {
      at = name.lastIndexOf('.', at - 1);
      if (at >= 0 && endings.has(foldName(name.slice(at)))) return true;
    }
    return false;
  };
}

function bareExtension(extension: string): string {
  return extension.trim().replace(/^\.+/, '');
}

function extensionComplaint(extension: string): string | null {
  const bare = bareExtension(extension);
  if (bare.trim() === '') return 'is no extension';
  if (isPath(bare)) return 'has a separator';
  if (/[*?[\]{}]/.test(bare)) return 'is a glob; an extension is a text such as `.mov`';
  if (bare.includes(',')) return 'has a comma; each extension stands by itself';
  // The stored form is longer than what was sent where the dot is missing or a small letter is several.
  if ([...normalizeExtensions([bare])[0]!].length > LONGEST_EXTENSION)
    return `is longer than ${LONGEST_EXTENSION} characters with its dot`;
  return textComplaint(bare);
}

function globComplaint(field: Exclude<keyof Exclusions, 'excluded_extensions'>, glob: string): string | null {
  if (glob.replace(/[\\/\s]/g, '') === '') return 'is no name';
  if (field === 'excluded_filename_globs' && isPath(glob)) return 'has a separator, which no file name has';
  if (/^[a-z]:[\\/]/i.test(glob)) return 'has a drive; it is a path below the watched folder';
  if (glob.length > LONGEST_GLOB) return `is longer than ${LONGEST_GLOB} characters`;
  return textComplaint(glob) ?? segmentComplaint(pathsOf(glob));
}

function segmentComplaint(paths: readonly string[][]): string | null {
  // The glob itself is one of them.
  if (paths.length > MOST_WRITTEN_OUT + 1)
    return `stands for more than ${MOST_WRITTEN_OUT} names by its braces`;
  if (paths.some((segments) => segments.length === 0)) return 'has braces that can stand for no name';
  const segments = paths.flat();
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'has a segment `.` or `..`';
  try {
    anyOf(segments);
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'has a range in brackets that runs backwards';
  }
}

function textComplaint(text: string): string | null {
  if (text.includes('\0')) return 'has a NUL character';
  return text.isWellFormed() ? null : 'has half a character';
}

/**
 * Unicode's simple case folding of the composed form: a name typed by a person, one listed by a Mac and one
 * listed by Windows are the same. One character is one, so that a wildcard counts them alike: `ẞ` is `ß` and
 * not `ss`. The dotless `ı` and the dotted `İ` are letters of their own, as in file systems.
 */
export function foldName(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  return name
    .normalize('NFC')
    .replace(/[A-Z]+|[^ -~]/gu, foldCharacters)
    .normalize('NFC');
}

/** Letters of ASCII, or one other character. */
function foldCharacters(character: string): string {
  if (character <= '~') return character.toLowerCase();
  if (character === 'ı') return character;
  const upper = oneFor(character, character.toUpperCase());
  return oneFor(upper, upper.toLowerCase());
}

/** Cases of several characters, such as `SS` for `ß`, belong to full folding. */
function oneFor(character: string, replacement: string): string {
  return [...replacement].length === 1 ? replacement : character;
}

// Globs of one name, without separators: `*`, `?`, `[…]`, `{a,b}`. None takes longer than its length times
// that of the name.

/** Takes a folded name. */
type Matches = (name: string) => boolean;

/** A class, whose first member may be `]`; stars; or one character. */
const tokens = /\[(?:([!^])|(?![!^]))([^/][^\]/]*)\]|\*+|./gsu;

function hasWildcard(segment: string): boolean {
  return /[*?[]/.test(segment);
}

/** Matcher of a whole segment, which is folded. Throws SyntaxError for a range that runs backwards. */
function globOf(segment: string): Matches {
  const parts = [''];
  for (const [text, negation, members] of segment.matchAll(tokens)) {
    if (text.startsWith('*')) parts.push('');
    else parts[parts.length - 1] += members === undefined ? sourceOf(text) : classOf(negation, members);
  }
  const [first, ...middle] = parts;
  const last = middle.pop();
  // Text between two stars is matched at its first place only, since a later match is of no more use. A
  // lookahead is not entered again.
  const lookaheads = middle.map((part, i) => `(?=([^]*?${part}))\\${i + 1}`).join('');
  const expression = new RegExp(`^${first}${lookaheads}${last === undefined ? '' : `[^]*${last}`}$`, 'u');
  return (name) => expression.test(name);
}

function sourceOf(character: string): string {
  return character === '?' ? '[^]' : character.replace(/[\\^$.*+()[\]{}|/]/, '\\$&');
}

function classOf(negation: string | undefined, members: string): string {
  return `[${negation === undefined ? '' : '^'}${members.replace(/[\\[\]]/g, '\\$&')}]`;
}

/**
 * `{a,b}` written out, nested ones too; of more than `most` the first, one more than that. Braces without a
 * comma are texts.
 */
function writtenOut(glob: string, most: number): string[] {
  const parts = glob.match(tokens) ?? [];
  const cuts = bracesOf(parts);
  const [open, ...ends] = cuts;
  if (open === undefined) return [glob];
  const text = (from: number, to?: number) => parts.slice(from, to).join('');
  const middles = ends.flatMap((end, i) => writtenOut(text(cuts[i]! + 1, end), most)).slice(0, most + 1);
  const tails = writtenOut(text(ends.at(-1)! + 1), most);
  return middles.flatMap((middle) => tails.map((tail) => text(0, open) + middle + tail)).slice(0, most + 1);
}

/** Where the first braces with a comma open, are divided, and close; empty when there are none. */
function bracesOf(parts: readonly string[]): number[] {
  for (let open = parts.indexOf('{'); open >= 0; open = parts.indexOf('{', open + 1)) {
    const cuts = [open];
    for (let [at, depth] = [open, 0]; at < parts.length; at++) {
      if (parts[at] === '{') depth++;
      else if (parts[at] === ',' && depth === 1) cuts.push(at);
      else if (parts[at] === '}' && --depth === 0) {
        if (cuts.length > 1) return [...cuts, at];
        break;
      }
    }
  }
  return [];
}

// Which names of a watched folder are looked at.

// Names that programs give to files while they write, download or copy them: such a file is looked at when it
// has its own name. Programs that write under the final name (Finder, Explorer, robocopy, curl, wget, most
// renders) are caught by size and time alone; hidden names, as of rsync and Syncthing, are left anyway.

/** The last ending of the name, in lower case. */
const endings = new Set([
  // Extensions used by many programs, Firefox and WinSCP among them.
  ...['part', 'partial', 'tmp', 'temp', 'filepart'],
  // Browsers: Chrome and Edge, Safari (a folder that holds the file), Opera.
  ...['crdownload', 'download', 'opdownload'],
  // Download managers: aria2 (the note beside the file), Free Download Manager, Thunder, and others.
  ...['aria2', 'fdmdownload', 'xltd', 'downloading'],
  // Peer to peer: uTorrent, BitTorrent, qBittorrent, Resilio Sync, BitComet, Vuze.
  ...['!ut', '!bt', '!qb', '!sync', 'bc!', 'az!'],
]);

/** Temporary name of a Mac: the file name, `.sb-`, eight digits and six characters. */
const aSafeSave = /\.sb-[0-9a-f]{8}-[0-9a-z]{6}$/i;

const patterns = [
  // Backups and copies of editors and of Sonarr (`.partial~`); notes of who has a document open.
  /~$/,
  /^~\$/,
  /^\.~/,
  // Syncthing on Windows.
  /^~syncthing~/i,
  aSafeSave,
  // yt-dlp joins picture and sound in `name.temp.mp4`: its tools go by the last ending.
  /\.temp\.[0-9a-z]{1,5}$/i,
];

export function isPartialName(name: string): boolean {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (name.includes('.') && endings.has(ending)) || patterns.some((pattern) => pattern.test(name));
}

/** A folder that holds a partial file under its own name; other folders may be called as they like. */
export function isPartialFolderName(name: string): boolean {
  return /\.download$/i.test(name) || aSafeSave.test(name);
}

/**
 * Folders of the system and of storage devices, which hold thumbnails and what was thrown away. Lower case.
 */
const ofSystem = new Set([
  'lost+found',
  'system volume information',
  '$recycle.bin',
  '#recycle',
  '#snapshot',
  '@eadir',
  '@recycle',
]);

export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

export function isWatchedFile(name: string): boolean {
  return isMediaName(name) && !isHidden(name) && !isPartialName(name);
}

export function isWatchedFolder(name: string): boolean {
  return !isHidden(name) && !isPartialFolderName(name) && !ofSystem.has(name.toLowerCase());
}

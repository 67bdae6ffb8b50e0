// Files and folders by the words of their names. The names of a library are in memory once, as two texts that
// are searched as a whole: a search that names none of them reads each text once.
import { basename, dirname, extname } from 'node:path';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import { inScope, type ScopeParts } from '../facets/scope.ts';
import type { FrameRanges } from '../people/moments.ts';
import { common } from '../person-sightings/handlers.ts';
import { isWithin } from '../store/footage-path.ts';
import type { ContentPaths, ListedContent } from '../store/inventory.ts';
import type { Store } from '../store/store.ts';
import { fitOf, nameRow, wordsOfName } from '../text/name-words.ts';
import type { FrameRange } from '../visual/contract.ts';
import type { nameMessages } from './contract.ts';

/** Rows of words one after the other, searched as one text. */
class Rows {
  readonly #rows: readonly string[];
  readonly #text: string;
  readonly #starts: Float64Array;

  constructor(rows: readonly string[]) {
    this.#rows = rows;
    this.#text = rows.join('\n');
    this.#starts = new Float64Array(rows.length);
    let at = 0;
    for (const [i, row] of rows.entries()) {
      this.#starts[i] = at;
      at += row.length + 1;
    }
  }

  /** The rows that a word fits; null for none. */
  fits(word: string): Uint8Array | null {
    let fits: Uint8Array | null = null;
    for (let at = this.#text.indexOf(word); at >= 0; ) {
      const row = this.#rowAt(at);
      const fit = fitOf(this.#rows[row]!, word);
      if (fit > 0) {
        fits ??= new Uint8Array(this.#rows.length);
        fits[row] = fit;
      }
      at = this.#text.indexOf(word, this.#starts[row]! + this.#rows[row]!.length);
    }
    return fits;
  }

  #rowAt(position: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}

interface NamedContent extends ListedContent {
  readonly of: 'file' | 'folder';
  /** The name of the file or the folder. */
  readonly name: string;
}

class NameTable {
  readonly #contents: readonly ListedContent[];
  readonly #files: Rows;
  readonly #folders: Rows;
  /** Parents come before what lies in them. */
  readonly #folderPaths: readonly string[];
  readonly #parents: Int32Array;
  readonly #folderOf: Int32Array;

  constructor(contents: readonly ListedContent[], nameOf: (path: string) => FileName) {
    this.#contents = contents.filter(({ replaced, path }) => !replaced && path !== '');
    const paths = new Map<string, number>();
    const parents: number[] = [];
    const top = commonFolder(this.#contents);
    const numberOf = (folder: string): number => {
      const number = paths.get(folder);
      if (number !== undefined) return number;
      // A folder above all of the footage does not name any part of it.
      const parent =
        folder.length <= top.length || dirname(folder) === folder ? -1 : numberOf(dirname(folder));
      parents.push(parent);
      return paths.set(folder, paths.size).size - 1;
    };
    const names = this.#contents.map(({ path }) => nameOf(path));
    this.#folderOf = Int32Array.from(names, ({ folder }) => numberOf(folder));
    this.#parents = Int32Array.from(parents);
    this.#folderPaths = [...paths.keys()];
    // Nor is what holds all of it.
    const isPart = (path: string) => path.length > top.length;
    this.#folders = new Rows(this.#folderPaths.map((path) => (isPart(path) ? nameRow(basename(path)) : '')));
    this.#files = new Rows(names.map(({ row }) => row));
  }

  /**
   * Contents whose path has all of the words, best first: a match in the file name ranks before one in a
   * folder.
   */
  find(words: readonly string[]): NamedContent[] {
    const fits: { readonly files: Uint8Array | null; readonly folders: Uint8Array | null }[] = [];
    for (const word of words.toSorted((a, b) => b.length - a.length)) {
      const fit = { files: this.#files.fits(word), folders: this.#folders.fits(word) };
      if (fit.files === null && fit.folders === null) return [];
      fits.push(fit);
    }
    const within = fits.map(({ folders }) => folders && this.#inherited(folders));
    const matches: (NamedContent & { readonly worth: number })[] = [];
    for (const [i, content] of this.#contents.entries()) {
      const folder = this.#folderOf[i]!;
      let [worth, fileWorth] = [0, 0];
      const isNamed = fits.every(({ files }, k) => {
        const [file, above] = [files?.[i] ?? 0, within[k]?.[folder] ?? 0];
        fileWorth += file;
        worth += Math.max(file, above);
        return file + above > 0;
      });
      if (!isNamed) continue;
      const of = fileWorth > 0 ? 'file' : 'folder';
      const path = of === 'file' ? content.path : this.#namedFolder(folder, fits);
      matches.push({ ...content, of, name: basename(path), worth: worth + (fileWorth > 0 ? 100 : 0) });
    }
    return matches.sort((a, b) => b.worth - a.worth);
  }

  /** A folder has what the folders around it have. */
  #inherited(folders: Uint8Array): Uint8Array {
    const all = new Uint8Array(folders);
    for (const [folder, parent] of this.#parents.entries())
      if (parent >= 0) all[folder] = Math.max(all[folder]!, all[parent]!);
    return all;
  }

  /** The lowest folder with a word in its own name. */
  #namedFolder(folder: number, fits: readonly { readonly folders: Uint8Array | null }[]): string {
    let at = folder;
    while (this.#parents[at]! >= 0 && !fits.some(({ folders }) => (folders?.[at] ?? 0) > 0))
      at = this.#parents[at]!;
    return this.#folderPaths[at]!;
  }
}

/** The lowest folder that holds all of them. */
function commonFolder(contents: readonly ListedContent[]): string {
  const [first, last] = [contents[0], contents.at(-1)];
  if (first === undefined || last === undefined) return '';
  // In the order of paths, so all others lie between.
  let folder = dirname(first.path);
  while (!isWithin(last.path, folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

interface FileName {
  readonly folder: string;
  /** The words of the name of the file. */
  readonly row: string;
}

function fileName(path: string): FileName {
  return { folder: dirname(path), row: nameRow(basename(path, extname(path))) };
}

interface Kept {
  readonly list: readonly ListedContent[];
  readonly table: NameTable;
  /** Names by path; most stay the same when something is added. */
  readonly names: ReadonlyMap<string, FileName>;
}

const tables = new WeakMap<ContentPaths, Kept>();

/** The contents whose names, or whose folders' names, have all of these words. `pause` may throw to stop. */
function contentsNamed(paths: ContentPaths, words: readonly string[], pause: () => void): NamedContent[] {
  const list = paths.all(pause);
  const before = tables.get(paths);
  if (before?.list === list) return before.table.find(words);
  const names = new Map<string, FileName>();
  const nameOf = (path: string) => {
    const name = before?.names.get(path) ?? fileName(path);
    names.set(path, name);
    return name;
  };
  const table = new NameTable(list, nameOf);
  tables.set(paths, { list, table, names });
  return table.find(words);
}

type Messages = Contract<typeof nameMessages>;
type NamedMedia = Reply<Messages, 'media_named'>;

/** `pause` may throw to stop. Errors: those of filters and people. */
export async function namedMedia(
  parts: ScopeParts,
  request: Request<Messages, 'media_named'>,
  pause: () => void,
): Promise<NamedMedia> {
  const words = wordsOfName(request.text);
  const open = (store: Store) => (words.length === 0 ? [] : contentsNamed(store.paths, words, pause));
  const hashesOf = (all: ReturnType<typeof open>) => all.map(({ hash }) => hash);
  const { data: contents, hashes, sightings } = await inScope(parts, request, open, hashesOf, pause);
  const passing = new Set(hashes ?? hashesOf(contents));
  const matches: NamedMedia['matches'] = [];
  for (const { hash, path, of, name } of contents) {
    if (matches.length === request.max_results) break;
    // Several files of one content are one match.
    if (!passing.delete(hash)) continue;
    const frames = framesOf(hash, request.scope.ranges, sightings?.ranges ?? null);
    if (frames !== 'none') matches.push({ hash_str: hash, path, of, name, frames });
  }
  return { matches };
}

/** The first part of a content in the ranges and with the people; null for all of it. */
function framesOf(
  hash: string,
  ranges: Readonly<Record<string, readonly FrameRange[]>>,
  peopleRanges: FrameRanges | null,
): FrameRange | null | 'none' {
  const requestedRanges = Object.hasOwn(ranges, hash)
    ? Uint32Array.from(joinRanges(ranges[hash]!).flat())
    : null;
  if (requestedRanges === null && peopleRanges === null) return null;
  const shown = peopleRanges === null ? null : (peopleRanges.get(hash) ?? new Uint32Array(0));
  const [start, end] =
    requestedRanges && shown ? common(requestedRanges, shown) : (requestedRanges ?? shown)!;
  return start === undefined || end === undefined ? 'none' : [start, end];
}

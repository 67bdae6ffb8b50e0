// How paths are stored where roots are known. A root is a folder of footage with a name, and it may lie
// elsewhere tomorrow, or on another machine. What is stored keeps the path that the root had first (its
// `prefix`); the path of now is put in its place when it is read. So nothing is written when a root moves.
//
// A path that would be read as another one, because what it begins with belongs to a root that has left that
// place, is stored behind a mark that no absolute path begins with: `root:NAME/…` below a root, else
// `path:…`.

import { comparablePath } from '../../../runtime/paths.ts';

/** A root as one machine sees it. */
export interface PlacedRoot {
  readonly name: string;
  /** Prefix of stored paths below it. */
  readonly prefix: string;
  /** Where it is on this machine. */
  readonly folder: string;
  /** Where its volume is mounted; null where that is not known. */
  readonly volume: string | null;
}

const rootMark = 'root:';
const pathMark = 'path:';

export class PathMap {
  readonly #byPrefix: readonly PlacedRoot[];
  readonly #byFolder: readonly PlacedRoot[];

  constructor(roots: readonly PlacedRoot[]) {
    this.#byPrefix = roots.toSorted((a, b) => b.prefix.length - a.prefix.length);
    this.#byFolder = roots.toSorted((a, b) => b.folder.length - a.folder.length);
  }

  /** The root a path of this machine lies below: of nested ones the innermost. */
  rootOf(path: string): PlacedRoot | null {
    return this.#byFolder.find(({ folder }) => below(path, folder) !== null) ?? null;
  }

  /** The root that a stored path is read by. */
  rootOfStored(stored: string): PlacedRoot | null {
    const root = this.#byPrefix.find(({ prefix }) => below(stored, prefix) !== null);
    if (root !== undefined || !stored.startsWith(rootMark)) return root ?? null;
    return this.#byPrefix.find(({ name }) => below(stored, rootMark + name) !== null) ?? null;
  }

  /** The path on this machine. That of a root that is not known here stays as it is stored. */
  shown(stored: string): string {
    const root = this.rootOfStored(stored);
    if (root === null) return stored.startsWith(pathMark) ? stored.slice(pathMark.length) : stored;
    const names = below(stored, root.prefix) ?? below(stored, rootMark + root.name) ?? [];
    return joined(root.folder, names);
  }

  stored(path: string): string {
    return this.forms(path)[0]!;
  }

  /**
   * Every text that is read as this path, the one by which it is stored first. The others are of paths that
   * were stored before a root came there.
   */
  forms(given: string): string[] {
    const root = this.rootOf(given);
    // Uses the spelling of the root, if the system knows several.
    const path = root === null ? given : joined(root.folder, below(given, root.folder)!);
    const forms = this.#byFolder.flatMap(({ name, prefix, folder }) => {
      const names = below(path, folder);
      return names === null ? [] : [joined(prefix, names), joined(rootMark + name, names)];
    });
    return [...new Set([...forms, path, pathMark + path])].filter((form) => this.shown(form) === path);
  }
}

export const noRoots = new PathMap([]);

/** A copy of what JSON can hold, in which `map` gave every text, for those that are paths. */
export function withTexts<T>(value: T, map: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, entry) => (typeof entry === 'string' ? map(entry) : entry));
}

/** The names of a path from a folder on; null when it does not lie in it. */
function below(path: string, folder: string): string[] | null {
  const separator = separatorOf(folder);
  const within = folder.endsWith(separator) ? folder : folder + separator;
  if (comparablePath(path) === comparablePath(folder)) return [];
  if (!comparablePath(path).startsWith(comparablePath(within))) return null;
  // Spellings may differ in length, but not in the number of names.
  return path.split(separator).slice(within.split(separator).length - 1);
}

function joined(folder: string, names: readonly string[]): string {
  if (names.length === 0) return folder;
  const separator = separatorOf(folder);
  return (folder.endsWith(separator) ? folder : folder + separator) + names.join(separator);
}

/** Separator of the path's own system, which need not be this one. */
function separatorOf(path: string): string {
  return /^(path:)?([A-Za-z]:\\|\\\\)/.test(path) ? '\\' : '/';
}

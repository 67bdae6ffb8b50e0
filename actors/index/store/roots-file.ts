// The roots of a home folder, in one small file that every process and thread reads again when it has
// changed.
import { type Static, Type } from 'typebox';
import { expectVersion, markOf, readJsonNow } from '../../../runtime/files/json-file.ts';
import { nullable } from '../../../runtime/schema.ts';
import { storeErrors } from './contract.ts';
import type { Environment, Transaction } from './environment.ts';
import { rootKey, rootPrefix } from './names.ts';
import { PathMap, type PlacedRoot } from './path-map.ts';
import { RootRow } from './records.ts';
import { seal, unseal } from './table.ts';

export const RootRecord = Type.Object({
  name: Type.String(),
  /** Where it is now. */
  folder: Type.String(),
  /** How its folder was stored when it was added; see `path-map.ts`. */
  origin: Type.String(),
  /** Where the volume of the folder is mounted; null where that is not known. */
  volume: nullable(Type.String()),
  /** A root no more: what is stored by it keeps its paths. */
  removed: Type.Boolean(),
});
export type RootRecord = Static<typeof RootRecord>;

const VERSION = 1;
const Document = Type.Object({ version: Type.Literal(VERSION), roots: Type.Array(RootRecord) });

/** The roots at one time; another object when they changed. */
export interface RootsState {
  /** How often they changed in this thread. */
  readonly version: number;
  readonly all: readonly RootRecord[];
  /** How paths are stored in the home folder. */
  readonly paths: PathMap;
}

export class RootsFile {
  readonly path: string;
  #mark = '';
  #last: RootsState = rootsOf(0, []);

  constructor(path: string) {
    this.path = path;
  }

  /** Reads the roots from the disk. Throws ROOTS_DAMAGED naming the file. */
  read(): RootsState {
    try {
      const mark = markOf(this.path);
      if (mark === this.#mark) return this.#last;
      const all = readJsonNow(Document, this.path, (value) => expectVersion(VERSION, value))?.roots ?? [];
      this.#last = rootsOf(this.#last.version + 1, all);
      this.#mark = mark;
      return this.#last;
    } catch (error) {
      const what = `${this.path} ${(error as Error).message}`;
      throw storeErrors.ROOTS_DAMAGED(what, { path: this.path }, error);
    }
  }
}

export function rootsText(roots: readonly RootRecord[]): string {
  const document: Static<typeof Document> = { version: VERSION, roots: [...roots] };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function rootsOf(version: number, all: readonly RootRecord[]): RootsState {
  return { version, all, paths: new PathMap(placedBy(all, ({ origin }) => origin)) };
}

function placedBy(roots: readonly RootRecord[], prefix: (root: RootRecord) => string): PlacedRoot[] {
  // If two are in the same place, the one that is still a root counts.
  const inOrder = roots.toSorted((a, b) => Number(a.removed) - Number(b.removed));
  return inOrder.map((root) => ({ ...root, prefix: prefix(root) }));
}

/**
 * The prefixes of the roots in one analysis folder. `recorded`: those that its records name, perhaps by
 * another machine, where the roots were elsewhere.
 */
export function prefixesIn(
  roots: readonly RootRecord[],
  recorded: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  // A root that the folder does not know yet may lie in one that it knows.
  const knownRoots = roots.flatMap(({ name, origin }) => {
    const prefix = recorded.get(name);
    return prefix === undefined ? [] : [{ name, prefix: origin, folder: prefix, volume: null }];
  });
  const translated = new PathMap(knownRoots);
  return new Map(roots.map(({ name, origin }) => [name, recorded.get(name) ?? translated.shown(origin)]));
}

export function pathsIn(roots: readonly RootRecord[], recorded: ReadonlyMap<string, string>): PathMap {
  const prefixes = prefixesIn(roots, recorded);
  return new PathMap(placedBy(roots, ({ name }) => prefixes.get(name)!));
}

/** The prefixes that the records of a folder name, by root. Throws STORE_DAMAGED. */
export function recordedRoots(environment: Environment): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const { key, value } of environment.entries(rootPrefix))
    prefixes.set(key.slice(rootPrefix.length), unseal(RootRow, key, value, environment.file).prefix);
  return prefixes;
}

/** Within a transaction: the folder knows these roots from now on, wherever it is used. */
export function noteRoots(writes: Transaction, environment: Environment, roots: readonly RootRecord[]): void {
  for (const [name, prefix] of prefixesIn(roots, recordedRoots(environment)))
    noteRoot(writes, { name, prefix });
}

export function noteRoot(writes: Transaction, { name, prefix }: Pick<PlacedRoot, 'name' | 'prefix'>): void {
  const key = rootKey(name);
  if (writes.get(key) === undefined) writes.put(key, seal(RootRow, key, { name, prefix }));
}

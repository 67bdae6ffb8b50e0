// Paths as all nodes know them: the name of a root, and what lies below it. Each machine says where a root
// is (`framehound roots`).

import type { Root } from '../index/roots/contract.ts';
import { PathMap, withTexts } from '../index/store/path-map.ts';
import { RootsFile } from '../index/store/roots-file.ts';

/** Prefix of paths in the database. */
const prefixOf = (name: string) => `root:${name}`;

/** The names of roots in paths as the database has them. */
export function rootsOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => /^root:([^/\\]*)/.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Names of those whose files can be read. */
export function readableIn(roots: readonly Root[]): string[] {
  return roots.filter(({ away }) => away === null).map(({ name }) => name);
}

export class RootPaths {
  readonly #file: RootsFile;
  #version = -1;
  #map = new PathMap([]);

  /** `file`: of the roots of the home folder. */
  constructor(file: string) {
    this.#file = new RootsFile(file);
  }

  /** Current roots. Throws ROOTS_DAMAGED. */
  #now(): PathMap {
    const { version, all } = this.#file.read();
    if (version === this.#version) return this.#map;
    this.#version = version;
    const there = all.filter(({ removed }) => !removed);
    this.#map = new PathMap(
      there.map(({ name, folder }) => ({ name, folder, prefix: prefixOf(name), volume: null })),
    );
    return this.#map;
  }

  /** Paths that no other machine could find. */
  outside(paths: readonly string[]): string[] {
    const map = this.#now();
    return paths.filter((path) => map.rootOf(path) === null);
  }

  /** A copy in which every path is as the database has it. */
  shared<T>(value: T): T {
    const map = this.#now();
    return withTexts(value, (text) => map.stored(text));
  }

  /** A copy in which every path is that of this machine. */
  own<T>(value: T): T {
    const map = this.#now();
    return withTexts(value, (text) => map.shown(text));
  }
}

/** Prefix of the name of a machine's replica in the database. */
const replicaMark = 'replica:';

/** Paths in files of the home folder, and as all nodes know them. */
export class HomePlaces {
  readonly #file: RootsFile;
  readonly #replica: string;

  /** `file`: of the roots; `replica`: the analysis folder that follows the cluster. */
  constructor(file: string, replica: string) {
    this.#file = new RootsFile(file);
    this.#replica = replica;
  }

  /** Another one when roots have changed. Throws ROOTS_DAMAGED. */
  get version(): number {
    return this.#file.read().version;
  }

  /**
   * A copy of what a file here holds, in which every path is as the database has it. `byOrigin`: paths in the
   * file are by where roots were first, and not where files are now.
   */
  shared<T>(value: T, byOrigin = false): T {
    const { paths } = this.#file.read();
    const map = this.#map();
    return withTexts(value, (text) => map.stored(byOrigin ? paths.shown(text) : text));
  }

  /** A copy in which every path is as a file here has it. */
  own<T>(value: T, byOrigin = false): T {
    const { paths } = this.#file.read();
    const map = this.#map();
    return withTexts(value, (text) => (byOrigin ? paths.stored(map.shown(text)) : map.shown(text)));
  }

  #map(): PathMap {
    const there = this.#file.read().all.filter(({ removed }) => !removed);
    const roots = there.map(({ name, folder }) => ({ name, folder, prefix: prefixOf(name), volume: null }));
    const replica = { name: replicaMark, folder: this.#replica, prefix: replicaMark, volume: null };
    return new PathMap([...roots, replica]);
  }
}

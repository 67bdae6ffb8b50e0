// Paths as all nodes know them: the name of a root, and what lies below it. Each machine says where a root
// is (`framehound roots`).
import { PathMap, withTexts } from '../index/store/path-map.ts';
import { RootsFile } from '../index/store/roots-file.ts';
import { clusterErrors } from './contract.ts';

/** What paths begin with in the database. */
const prefixOf = (name: string) => `root:${name}`;

export class Places {
  readonly #file: RootsFile;
  #version = -1;
  #map = new PathMap([]);

  /** `file`: of the roots of the home folder. */
  constructor(file: string) {
    this.#file = new RootsFile(file);
  }

  /** As roots are now. Throws ROOTS_DAMAGED. */
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

  /** Throws OUTSIDE_ROOTS naming the first that no other machine could find. */
  expectInside(paths: readonly string[]): void {
    const map = this.#now();
    const outside = paths.find((path) => map.rootOf(path) === null);
    if (outside === undefined) return;
    throw clusterErrors.OUTSIDE_ROOTS(
      `${outside} is in no root, so other machines could not find it; to add one: framehound roots add NAME FOLDER`,
      { path: outside },
    );
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

// Every path at which a content was seen. Read once, then kept in step with what is stored, whoever writes
// it.
import { upheaval } from './changes.ts';
import { readable } from './faults.ts';
import type { MediaRecords } from './media.ts';

/** Records between two looks at whether to stop. */
const stride = 256;

export interface ListedContent {
  readonly path: string;
  readonly hash: string;
  /** Another content was seen at the path since: what is stored of this one belongs to no file any more. */
  readonly replaced: boolean;
}

export class ContentPaths {
  readonly #media: MediaRecords;
  #seen: number | null = null;
  #hashOf = new Map<string, string>();
  #pathsOf = new Map<string, Set<string>>();
  #listed: readonly ListedContent[] | null = null;

  constructor(media: MediaRecords) {
    this.#media = media;
  }

  /** For each hash its paths, ascending; none where it is not known. `pause` may throw to stop. */
  of(hashes: readonly string[], pause: () => void): string[][] {
    this.#follow(pause);
    return hashes.map((hash) => [...(this.#pathsOf.get(hash) ?? [])].sort());
  }

  /** Everything the folder knows, in the order of paths. *Borrowed until the next change*. */
  all(pause: () => void): readonly ListedContent[] {
    this.#follow(pause);
    this.#listed ??= this.#list(pause);
    return this.#listed;
  }

  /**
   * After these contents were removed, of which `of` was asked before: where nothing else changed, nothing is
   * read anew.
   */
  removed(hashes: readonly string[]): void {
    const { seen } = this.#media.changes(null);
    if (this.#seen === null || seen !== this.#seen + upheaval) return;
    for (const hash of hashes) {
      for (const path of this.#pathsOf.get(hash) ?? []) this.#hashOf.delete(path);
      this.#pathsOf.delete(hash);
    }
    this.#seen = seen;
    this.#listed = null;
  }

  #follow(pause: () => void): void {
    const { seen, changed } = this.#media.changes(this.#seen);
    if (changed === null) this.#readAll(pause);
    else for (const { path, hash } of changed) this.#set(path, hash);
    if (seen !== this.#seen) this.#listed = null;
    this.#seen = seen;
  }

  #list(pause: () => void): ListedContent[] {
    const listed = Array.from(this.#hashOf, ([path, hash]) => ({ path, hash, replaced: false }));
    const lost = this.#media.hashes().filter((hash) => (this.#pathsOf.get(hash)?.size ?? 0) === 0);
    for (const [i, hash] of lost.entries()) {
      if (i % stride === 0) pause();
      listed.push({ path: readable(() => this.#media.pathOf(hash)) ?? '', hash, replaced: true });
    }
    return listed.sort((a, b) => (a.path === b.path ? order(a.hash, b.hash) : order(a.path, b.path)));
  }

  #readAll(pause: () => void): void {
    this.#seen = null;
    this.#hashOf = new Map();
    this.#pathsOf = new Map();
    let records = 0;
    for (const { row } of this.#media.remembered('path/')) {
      if (records++ % stride === 0) pause();
      if (row !== null) this.#set(row.path, row.hash_str);
    }
  }

  #set(path: string, hash: string): void {
    const before = this.#hashOf.get(path);
    if (before === hash) return;
    if (before !== undefined) this.#pathsOf.get(before)?.delete(path);
    this.#hashOf.set(path, hash);
    const paths = this.#pathsOf.get(hash);
    if (paths === undefined) this.#pathsOf.set(hash, new Set([path]));
    else paths.add(path);
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

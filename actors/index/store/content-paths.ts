// Every path at which a content was seen. Read once, then kept in step with what is stored, whoever writes it.
import type { MediaRecords } from './media.ts';

/** Records between two looks at whether to stop. */
const stride = 256;

export class ContentPaths {
  readonly #media: MediaRecords;
  #seen: number | null = null;
  #hashOf = new Map<string, string>();
  #pathsOf = new Map<string, Set<string>>();

  constructor(media: MediaRecords) {
    this.#media = media;
  }

  /** For each hash its paths, ascending; none where it is not known. `pause` may throw to stop. */
  of(hashes: readonly string[], pause: () => void): string[][] {
    const { seen, changed } = this.#media.changes(this.#seen);
    if (changed === null) this.#readAll(pause);
    else for (const { path, hash } of changed) this.#set(path, hash);
    this.#seen = seen;
    return hashes.map((hash) => [...(this.#pathsOf.get(hash) ?? [])].sort());
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

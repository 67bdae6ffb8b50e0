// Lists the media files of a folder and of all folders below it. Calls of the file system are synchronous, so
// it is in steps: between two of them messages can be received and the walk can be given up.
import type { BigIntStats, Dirent } from 'node:fs';
import { sep } from 'node:path';
import { codeOf, reasonOf } from '../../runtime/files/error-code.ts';
import { nameOf } from '../../runtime/files/utf8-name.ts';
import { type Disk, markOf } from './disk.ts';
import { emptyHash, extended, finished, type Hash64 } from './hash.ts';
import { isHidden, isWatchedFile, isWatchedFolder } from './names.ts';

export interface Visitor {
  /** `path`: absolute; `key`: the hash of the part below the root. */
  file(key: Hash64, mark: Hash64, isEmpty: boolean, path: string): void;
  /** It is there, and its size and time cannot be had. */
  unknownFile(key: Hash64, path: string, message: string): void;
  /** Something else that cannot be looked at, or has no name as text. */
  unreadable(path: string, message: string): void;
}

export interface WalkOptions {
  readonly disk: Disk;
  /** Absolute; files are named below it. */
  readonly root: string;
  readonly rootStat: BigIntStats;
  readonly exclusions: {
    leavesOutFile(name: string): boolean;
    leavesOutFolder(relative: string): boolean;
  };
  /** Absolute paths and `identityOf` of folders that are left out. */
  readonly skip: ReadonlySet<string>;
  readonly visitor: Visitor;
}

export interface Walked {
  /** Hashes of the folders that were read, and of those that were not, with the code of the error. */
  readonly read: Set<number>;
  readonly unread: ReadonlyMap<number, string>;
  /** The root has no names but hidden ones. */
  readonly isRootEmpty: boolean;
}

interface Folder {
  /** With a separator at the end. */
  readonly prefix: string;
  /** Below the root, with a separator at the end; empty for the root. */
  readonly below: string;
  readonly hash: Hash64;
}

/** Entries between two steps. */
const stepEntries = 32;

/** Nothing is there any more, or a link leads nowhere. */
const goneCodes = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Names a folder on whatever path it is reached; the same after a rename. */
export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Names of files below a root begin with this. */
export function prefixOf(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** Throws what the file system says of the root. */
export function* walk(options: WalkOptions): Generator<void, Walked> {
  const walker = new Walker(options);
  yield* walker.steps();
  return walker;
}

class Walker implements Walked {
  readonly read = new Set<number>();
  readonly unread = new Map<number, string>();
  isRootEmpty = true;
  readonly #options: WalkOptions;
  readonly #disk: Disk;
  /** Every folder is entered once, so that links end. */
  readonly #entered: Set<string>;
  /** By device, whether the kernel makes up what is on it. */
  readonly #pseudo = new Map<bigint, boolean>();
  /** Links wait until the folders themselves were entered: a file is then always found by the same name. */
  readonly #links: Folder[] = [];
  #entries = 0;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#disk = options.disk;
    this.#entered = new Set(options.skip);
  }

  *steps(): Generator<void> {
    const { root, rootStat } = this.#options;
    this.#entered.add(this.#identity(root, rootStat));
    const stack: Folder[] = [{ prefix: prefixOf(root), below: '', hash: emptyHash }];
    for (let folder = stack.pop(); folder; folder = stack.pop() ?? this.#nextLinked()) {
      yield;
      yield* this.#list(folder, stack);
    }
  }

  /** A folder behind a link that nothing else led to. */
  #nextLinked(): Folder | undefined {
    for (let folder = this.#links.pop(); folder; folder = this.#links.pop()) {
      const stat = this.#statOf(folder);
      if (stat && this.#isEnterable(folder, stat)) return folder;
    }
    return undefined;
  }

  *#list(folder: Folder, stack: Folder[]): Generator<void> {
    const entries = this.#entriesOf(folder);
    const garbled = new Set<string>();
    for (const entry of entries) {
      if (++this.#entries % stepEntries === 0) yield;
      const { name } = entry;
      if (name.includes('\ufffd') && this.#isLookedAt(folder, entry)) garbled.add(name);
      if (folder.below === '' && !isHidden(name)) this.isRootEmpty = false;
      if (entry.isFile()) {
        if (!this.#isWanted(name)) continue;
        const stat = this.#statOfFile(folder, name);
        // Something else may have its name since the folder was listed.
        if (stat?.isFile()) this.#file(folder, name, stat);
      } else if (entry.isDirectory()) {
        if (this.#isEntered(folder, name)) this.#enter(folder, name, stack);
      } else if (entry.isSymbolicLink()) this.#link(folder, name);
    }
    if (garbled.size > 0) this.#tellGarbled(folder, garbled);
  }

  #isLookedAt(folder: Folder, entry: Dirent): boolean {
    const asFile = !entry.isDirectory() && this.#isWanted(entry.name);
    return asFile || (!entry.isFile() && this.#isEntered(folder, entry.name));
  }

  #isWanted(name: string): boolean {
    return isWatchedFile(name) && !this.#options.exclusions.leavesOutFile(name);
  }

  #isEntered({ prefix, below }: Folder, name: string): boolean {
    if (!isWatchedFolder(name) || this.#options.skip.has(prefix + name)) return false;
    const relative = sep === '/' ? below + name : (below + name).replaceAll(sep, '/');
    return !this.#options.exclusions.leavesOutFolder(relative);
  }

  /** None for a folder that is gone or cannot be read, which is told. */
  #entriesOf(folder: Folder): Dirent[] {
    try {
      const entries = this.#disk.list(folder.prefix);
      this.read.add(keyOf(folder.hash));
      return entries;
    } catch (error) {
      if (folder.below === '') throw error;
      this.#tellUnread(folder, error);
      return [];
    }
  }

  #file({ prefix, hash }: Folder, name: string, stat: BigIntStats): void {
    const key = finished(extended(hash, name));
    const mark = finished(extended(emptyHash, markOf(stat)));
    this.#options.visitor.file(key, mark, stat.size === 0n, prefix + name);
  }

  /** Undefined when it is gone, or cannot be looked at, which is told. */
  #statOfFile({ prefix, hash }: Folder, name: string): BigIntStats | undefined {
    const path = prefix + name;
    try {
      return this.#disk.stat(path);
    } catch (error) {
      // A name that is not text is told as such.
      const isTold = goneCodes.includes(codeOf(error)) || name.includes('\ufffd');
      if (!isTold) {
        this.#options.visitor.unknownFile(finished(extended(hash, name)), path, reasonOf(error));
      }
      return undefined;
    }
  }

  #enter(parent: Folder, name: string, stack: Folder[]): void {
    const folder = inside(parent, name);
    const stat = this.#statOf(folder);
    if (stat && this.#isEnterable(folder, stat)) stack.push(folder);
  }

  #link(parent: Folder, name: string): void {
    const [asFile, asFolder] = [this.#isWanted(name), this.#isEntered(parent, name)];
    if (!asFile && !asFolder) return;
    const folder = inside(parent, name);
    const stat = asFile ? this.#statOfFile(parent, name) : this.#statOf(folder);
    if (stat?.isFile() && asFile) this.#file(parent, name, stat);
    else if (stat?.isDirectory() && asFolder) this.#links.push(folder);
  }

  #isEnterable(folder: Folder, stat: BigIntStats): boolean {
    return stat.isDirectory() && !this.#isPseudo(folder, stat) && this.#isNew(folder, stat);
  }

  #isPseudo(folder: Folder, stat: BigIntStats): boolean {
    const known = this.#pseudo.get(stat.dev);
    if (known !== undefined) return known;
    try {
      const isPseudo = this.#disk.isPseudo(folder.prefix, stat);
      this.#pseudo.set(stat.dev, isPseudo);
      return isPseudo;
    } catch {
      // What keeps the folder from being asked is met, and told, when it is listed.
      return false;
    }
  }

  #isNew({ prefix }: Folder, stat: BigIntStats): boolean {
    const identity = this.#identity(prefix, stat);
    if (this.#entered.has(identity)) return false;
    this.#entered.add(identity);
    return true;
  }

  /** Some shares number nothing: there the real path names a folder. */
  #identity(path: string, stat: BigIntStats): string {
    if (stat.ino !== 0n) return identityOf(stat);
    try {
      return this.#disk.realpath(path);
    } catch {
      // The system ends links that go round by itself.
      return path;
    }
  }

  /** Undefined when it is gone, or cannot be looked at: then what is in it is unknown. */
  #statOf(folder: Folder): BigIntStats | undefined {
    const path = folder.prefix.slice(0, -sep.length);
    try {
      return this.#disk.stat(path);
    } catch (error) {
      this.#tellUnread(folder, error);
      return undefined;
    }
  }

  #tellUnread({ prefix, hash }: Folder, error: unknown): void {
    if (goneCodes.includes(codeOf(error)) || prefix.includes('\ufffd')) return;
    this.unread.set(keyOf(hash), codeOf(error));
    this.#options.visitor.unreadable(prefix.slice(0, -sep.length), reasonOf(error));
  }

  /** `names`: those that may not be UTF-8. */
  #tellGarbled(folder: Folder, names: ReadonlySet<string>): void {
    try {
      for (const bytes of this.#disk.listBytes(folder.prefix)) {
        const name = bytes.toString();
        if (nameOf(bytes) !== null || !names.has(name)) continue;
        this.#options.visitor.unreadable(folder.prefix + name, 'The name is not UTF-8');
      }
    } catch (error) {
      if (folder.below === '') throw error;
      this.#tellUnread(folder, error);
    }
  }
}

function inside({ prefix, below, hash }: Folder, name: string): Folder {
  const next = name + sep;
  return { prefix: prefix + next, below: below + next, hash: extended(hash, next) };
}

/** For sets: 53 bits of the hash. */
function keyOf(hash: Hash64): number {
  const { high, low } = finished(hash);
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

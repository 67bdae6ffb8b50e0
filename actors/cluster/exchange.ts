// Results of workers in the folder that all nodes share: an analysis folder for each job, exported with a
// manifest, and never changed once a change of the log names it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, reasonOf } from '../../runtime/errors.ts';
import { createFile } from '../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../runtime/files/folder.ts';
import { rename, rm } from '../../runtime/files/names.ts';
import { openFolder } from '../index/store/names.ts';
import {
  type LibraryTransfer,
  type Manifest,
  manifestFile,
  transferErrors,
} from '../library/transfer/contract.ts';
import { clusterErrors } from './contract.ts';
import type { TakenJob } from './database.ts';
import { markFile, ownerOf } from './share.ts';

/** Reference to a folder of results in a change of the log. */
export interface Sealed {
  /** From the shared folder on. */
  readonly place: string;
  /** SHA-256, hex, of its manifest, which has those of its files. */
  readonly digest: string;
}

/** Place of the results of one attempt at a job. Of two attempts, one may still write. */
export function resultPlace({ id, retryCount }: Pick<TakenJob, 'id' | 'retryCount'>): string {
  return `results/${id.slice(0, 2)}/${id}-${retryCount}`;
}

/** Where interrupted work of a job is kept. */
export const openPlace = (job: string): string => `open/${job}`;

export interface ExchangeParts {
  /** That all nodes share, absolute. */
  readonly shared: string;
  readonly home: string;
  /** The file of the roots. */
  readonly roots: string;
  /** See actors/library/transfer/. */
  exportLibrary(transfer: LibraryTransfer): Promise<Manifest>;
  takeLibrary(transfer: LibraryTransfer): Promise<Manifest>;
  mergeLibrary(from: string, into: Pick<LibraryTransfer, 'cacheDir' | 'roots'>): Promise<unknown>;
}

export class ClusterExchange {
  readonly #parts: ExchangeParts;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Absolute. */
  get shared(): string {
    return this.#parts.shared;
  }

  /** *Flushed* when answered. SHARED_FOLDER, and the errors of an export. */
  async seal(place: string, cacheDir: string, signal: AbortSignal): Promise<Sealed> {
    const { sealed } = await this.#seal(place, cacheDir, signal);
    return sealed;
  }

  /** Like `seal`; LIBRARY_DAMAGED for an incomplete folder. */
  async sealWhole(place: string, cacheDir: string, signal: AbortSignal): Promise<Sealed> {
    const { sealed, missing } = await this.#seal(place, cacheDir, signal);
    if (missing.length === 0) return sealed;
    throw transferErrors.LIBRARY_DAMAGED(`In ${cacheDir} ${missing[0]} is missing`, { folder: cacheDir });
  }

  async #seal(place: string, cacheDir: string, signal: AbortSignal) {
    const { shared } = this.#parts;
    const folder = join(shared, place);
    if (!this.#isThere()) throw this.#notMounted();
    const { missing, files } = await this.#parts.exportLibrary(this.#transfer(cacheDir, folder, signal));
    const manifest = await readFile(join(folder, manifestFile)).catch(() => null);
    const sizes = await Promise.all(files.map(({ path }) => sizeOf(join(folder, path))));
    // Where the share went away meanwhile, something was written into the folder that lies below it.
    if (manifest === null || files.some(({ bytes }, at) => sizes[at] !== bytes) || !this.#isThere()) {
      await this.drop(place);
      throw this.#notMounted();
    }
    return { sealed: { place, digest: digestOf(manifest) }, missing };
  }

  #notMounted(): Error {
    const { shared } = this.#parts;
    return clusterErrors.SHARED_FOLDER(`${shared} is not mounted`, { folder: shared });
  }

  /** Nobody needs it any more. */
  async drop(place: string): Promise<void> {
    await rm(join(this.#parts.shared, place), { recursive: true, force: true });
  }

  /**
   * A verified copy in a new folder; one that was begun goes on. SHARED_FOLDER while the shared folder is
   * away, LIBRARY_DAMAGED when it is not what was sealed, and what an import throws.
   */
  async take(
    { place, digest }: Sealed,
    into: string,
    signal: AbortSignal,
    progress: LibraryTransfer['progress'] = () => {},
  ): Promise<void> {
    await this.expectSealed({ place, digest });
    const folder = join(this.#parts.shared, place);
    await this.#parts.takeLibrary({ ...this.#transfer(into, folder, signal), progress });
  }

  /** Joins a replica with a library that was taken. A second time nothing comes. */
  async merge(from: string, cacheDir: string): Promise<void> {
    const { roots, mergeLibrary } = this.#parts;
    await mergeLibrary(from, { cacheDir, roots });
  }

  /**
   * Keeps what a stopped worker has of its files so far, for whoever takes the job next. A copy is named as
   * one when it is whole.
   */
  async keepOpen(job: string, cacheDir: string): Promise<void> {
    const target = join(this.#parts.shared, openPlace(job));
    if (!existsSync(openFolder(cacheDir)) || !this.#isThere()) return;
    await rm(`${target}.part`, { recursive: true, force: true });
    await cp(openFolder(cacheDir), `${target}.part`, { recursive: true, preserveTimestamps: true });
    await rm(target, { recursive: true, force: true });
    await rename(`${target}.part`, target);
  }

  /** Copies what was kept into the folder of the job, which is new. */
  async takeOpen(job: string, cacheDir: string): Promise<void> {
    const source = join(this.#parts.shared, openPlace(job));
    if (existsSync(source))
      await cp(source, openFolder(cacheDir), { recursive: true, preserveTimestamps: true });
  }

  /** SHARED_FOLDER while the shared folder is away, LIBRARY_DAMAGED when the manifest is another one. */
  async expectSealed({ place, digest }: Sealed): Promise<void> {
    const folder = join(this.#parts.shared, place);
    const manifest = await readFile(join(folder, manifestFile)).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT' && this.#isThere())
        throw transferErrors.LIBRARY_DAMAGED(`${folder} has no manifest`, { folder }, error);
      throw clusterErrors.SHARED_FOLDER(`${folder} cannot be read: ${reasonOf(error)}`, { folder }, error);
    });
    if (digestOf(manifest) !== digest)
      throw transferErrors.LIBRARY_DAMAGED(`The manifest in ${folder} is damaged`, { folder });
  }

  /**
   * Throws SHARED_FOLDER unless this is the folder of the library, and can be written. `isNew`: the library
   * has no change yet, so a folder becomes its own.
   */
  expect(library: string, isNew: boolean): void {
    const { shared } = this.#parts;
    const refuse = (why: string, cause?: unknown) =>
      clusterErrors.SHARED_FOLDER(`--cluster-folder ${shared} ${why}`, { folder: shared }, cause);
    if (!existsSync(shared)) throw refuse('does not exist: is it mounted?');
    const path = join(shared, markFile);
    try {
      if (isNew) createFile(path, `${JSON.stringify({ version: 1, library })}\n`, { flush: true });
      if (ownerOf(shared) !== library) throw refuse('is not the folder of this cluster: is it mounted?');
      makeFolder(join(shared, 'results'));
    } catch (error) {
      throw clusterErrors.SHARED_FOLDER.is(error)
        ? error
        : refuse(`cannot be used: ${reasonOf(error)}`, error);
    }
  }

  /** Where a share is not mounted its folder may be there, and is another one. */
  #isThere(): boolean {
    return existsSync(join(this.#parts.shared, markFile));
  }

  #transfer(cacheDir: string, folder: string, signal: AbortSignal): LibraryTransfer {
    const { home, roots } = this.#parts;
    return { cacheDir, folder, home, roots, progress: () => {}, signal };
  }
}

/** Null where nothing can be read. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// The two packs of one model and one generation, which always hold the same rows.
import { existsSync, readdirSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import { type Disk, disk, flushFolder } from './disk.ts';
import { storeFault } from './faults.ts';
import { packFile, vectorFolder } from './names.ts';
import { Pack } from './pack.ts';

export interface PacksShape {
  readonly modelKey: string;
  readonly dimensions: number;
  readonly generation: number;
}

export class Packs {
  readonly shape: PacksShape;
  /** Rows to scan, 8 bits a value. */
  readonly coarse: Pack;
  /** Rows to re-score, 16 bits a value. */
  readonly fine: Pack;

  private constructor(shape: PacksShape, coarse: Pack, fine: Pack) {
    this.shape = shape;
    this.coarse = coarse;
    this.fine = fine;
  }

  static open(folder: string, shape: PacksShape, access: 'r' | 'r+' = 'r', on: Disk = disk): Packs {
    const file = (kind: 8 | 16) => packFile(folder, shape.modelKey, shape.generation, kind);
    const coarse = Pack.open(file(8), { ...shape, kind: 8 }, access, on);
    try {
      return new Packs(shape, coarse, Pack.open(file(16), { ...shape, kind: 16 }, access, on));
    } catch (error) {
      coarse.close();
      throw error;
    }
  }

  /** New empty packs whose names are flushed. */
  static create(folder: string, shape: PacksShape, on: Disk = disk): Packs {
    const within = vectorFolder(folder);
    try {
      makeFolder(within);
    } catch (error) {
      throw storeFault(error, within, 'write');
    }
    const file = (kind: 8 | 16) => packFile(folder, shape.modelKey, shape.generation, kind);
    const coarse = Pack.create(file(8), { ...shape, kind: 8 }, on);
    try {
      const packs = new Packs(shape, coarse, Pack.create(file(16), { ...shape, kind: 16 }, on));
      flushFolder(within);
      return packs;
    } catch (error) {
      coarse.close();
      throw error;
    }
  }

  get isCurrent(): boolean {
    return this.coarse.isCurrent && this.fine.isCurrent;
  }

  rows(): number {
    return Math.min(this.coarse.rows(), this.fine.rows());
  }

  flush(): void {
    this.coarse.flush();
    this.fine.flush();
  }

  close(): void {
    this.coarse.close();
    this.fine.close();
  }
}

/** The files of the packs of a model, with their generations. */
function filesOf(folder: string, modelKey: string): { name: string; generation: number }[] {
  const within = vectorFolder(folder);
  if (!existsSync(within)) return [];
  const prefix = basename(packFile(folder, modelKey, 0, 8)).slice(0, -'0.v8'.length);
  return readdirSync(within).flatMap((name) => {
    const match = name.startsWith(prefix) ? /^(\d+)\.v(8|16)$/.exec(name.slice(prefix.length)) : null;
    return match === null ? [] : [{ name, generation: Number(match[1]) }];
  });
}

export function hasOtherGenerations(folder: string, modelKey: string, generation: number): boolean {
  return filesOf(folder, modelKey).some((file) => file.generation !== generation);
}

/**
 * Removes the packs of a model whose generation is not among `keep`; what is still open elsewhere stays until
 * closed.
 */
export function removeOtherGenerations(folder: string, modelKey: string, keep: ReadonlySet<number>): void {
  for (const { name, generation } of filesOf(folder, modelKey)) {
    if (keep.has(generation)) continue;
    try {
      unlinkSync(join(vectorFolder(folder), name));
    } catch {
      // Open in another process on a system that keeps such names: the next compaction tries again.
    }
  }
}

// The two packs of the faces of one pair of models and one generation: vectors, and pictures.
import { existsSync, readdirSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../../../runtime/files/make-folder.ts';
import { type Disk, disk, flushFolder } from '../disk.ts';
import { storeFault } from '../faults.ts';
import { facePackFile, peopleFolder } from '../names.ts';
import { Pack, type PacksShape } from '../pack.ts';
import { CropPack } from './crop-pack.ts';

export class FacePacks {
  readonly shape: PacksShape;
  readonly vectors: Pack;
  readonly crops: CropPack;

  private constructor(shape: PacksShape, vectors: Pack, crops: CropPack) {
    this.shape = shape;
    this.vectors = vectors;
    this.crops = crops;
  }

  static open(folder: string, shape: PacksShape, access: 'r' | 'r+' = 'r', on: Disk = disk): FacePacks {
    const { modelKey, generation } = shape;
    const vectors = Pack.open(
      facePackFile(folder, modelKey, generation, 'v16'),
      { ...shape, kind: 16 },
      access,
      on,
    );
    try {
      const file = facePackFile(folder, modelKey, generation, 'crops');
      return new FacePacks(shape, vectors, CropPack.open(file, generation, access, on));
    } catch (error) {
      vectors.close();
      throw error;
    }
  }

  /** New empty packs whose names are flushed. */
  static create(folder: string, shape: PacksShape, on: Disk = disk): FacePacks {
    const within = peopleFolder(folder);
    try {
      makeFolder(within);
    } catch (error) {
      throw storeFault(error, within, 'write');
    }
    const { modelKey, generation } = shape;
    const file = (kind: 'v16' | 'crops') => facePackFile(folder, modelKey, generation, kind);
    const vectors = Pack.create(file('v16'), { ...shape, kind: 16 }, on);
    try {
      const packs = new FacePacks(shape, vectors, CropPack.create(file('crops'), generation, on));
      flushFolder(within);
      return packs;
    } catch (error) {
      vectors.close();
      throw error;
    }
  }

  get isCurrent(): boolean {
    return this.vectors.isCurrent && this.crops.isCurrent;
  }

  flush(): void {
    this.vectors.flush();
    this.crops.flush();
  }

  close(): void {
    this.vectors.close();
    this.crops.close();
  }
}

function filesOf(folder: string, modelKey: string): { name: string; generation: number }[] {
  const within = peopleFolder(folder);
  if (!existsSync(within)) return [];
  const prefix = basename(facePackFile(folder, modelKey, 0, 'v16')).slice(0, -'0.v16'.length);
  return readdirSync(within).flatMap((name) => {
    const match = name.startsWith(prefix) ? /^(\d+)\.(v16|crops)$/.exec(name.slice(prefix.length)) : null;
    return match === null ? [] : [{ name, generation: Number(match[1]) }];
  });
}

export function hasOtherFacePacks(folder: string, modelKey: string, generation: number): boolean {
  return filesOf(folder, modelKey).some((file) => file.generation !== generation);
}

/**
 * Removes the packs whose generation is not among `keep`; what is still open elsewhere stays until closed.
 */
export function removeOtherFacePacks(folder: string, modelKey: string, keep: ReadonlySet<number>): void {
  for (const { name, generation } of filesOf(folder, modelKey)) {
    if (keep.has(generation)) continue;
    try {
      unlinkSync(join(peopleFolder(folder), name));
    } catch {
      // Open in another process on a system that keeps such names: the next compaction tries again.
    }
  }
}

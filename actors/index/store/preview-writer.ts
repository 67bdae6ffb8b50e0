// Writing the previews of one media file: header, JPEG bytes one after the other, then a table of where each
// frame's lie. Written beside the final place and renamed when whole, so a preview file is never seen half
// written. A media file with one picture, as every still, has it inside its record: 100,000 stills are not
// 100,000 tiny files.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import { type Disk, disk, flush, flushFolder, writeAll } from './disk.ts';
import { isMissing, replaced, storeFault } from './faults.ts';
import { partFolder, previewFolder, previewName } from './names.ts';
import type { Previews } from './records.ts';

export const version = 1;
export const headerBytes = 16;
export const entryBytes = 24;
export const trailerBytes = 16;
export const headMagic = 'FHPV';
export const tailMagic = 'FHPE';
/** The largest single picture kept inside a record. */
const inlineLimit = 1 << 20;

export interface Picture {
  readonly frame: number;
  readonly size: number;
  readonly crc: number;
  readonly offset: number;
}

function tableOf(pictures: readonly Picture[]): Buffer {
  const bytes = Buffer.alloc(pictures.length * entryBytes + trailerBytes);
  pictures.forEach((picture, i) => {
    bytes.writeUInt32LE(picture.frame, i * entryBytes);
    bytes.writeUInt32LE(picture.size, i * entryBytes + 4);
    bytes.writeUInt32LE(picture.crc, i * entryBytes + 8);
    bytes.writeBigUInt64LE(BigInt(picture.offset), i * entryBytes + 16);
  });
  const end = pictures.length * entryBytes;
  bytes.writeUInt32LE(pictures.length, end);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end + 4);
  bytes.write(tailMagic, end + 8, 'latin1');
  bytes.writeUInt32LE(version, end + 12);
  return bytes;
}

/** Collects the previews of one stage. Owns its part file until `finish` or `drop`. */
export class PreviewWriter {
  readonly #folder: string;
  readonly #on: Disk;
  readonly #part: string;
  readonly #pictures: Picture[] = [];
  #first: { frame: number; jpeg: Uint8Array } | null = null;
  #fd: number | null = null;
  #end = headerBytes;

  /** Where the part file has been moved to. */
  #moved: string | null = null;

  constructor(folder: string, part: string, on: Disk = disk) {
    this.#folder = folder;
    this.#on = on;
    this.#part = part;
  }

  /** Of the first picture, in the part file. */
  get firstOffset(): number {
    return headerBytes;
  }

  /** 0 when it is not there. */
  sizeOfPart(): number {
    return statSync(this.#part, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Goes on with a part file that was left, behind these pictures. Called first. */
  takeUp(pictures: readonly Picture[]): void {
    const last = pictures.at(-1);
    this.#end = last === undefined ? headerBytes : last.offset + last.size;
    try {
      this.#fd = openSync(this.#part, 'r+');
      ftruncateSync(this.#fd, this.#end);
    } catch (error) {
      throw storeFault(error, this.#part, 'write');
    }
    for (const picture of pictures) this.#pictures.push(picture);
  }

  /** The pictures so far, *flushed*. */
  flushPart(): readonly Picture[] {
    if (this.#fd === null && this.#first !== null) this.#begin();
    if (this.#fd !== null) flush(this.#on, this.#fd, this.#part);
    return this.#pictures;
  }

  /** The name of the file that `finish` made and nobody has settled. */
  get made(): string | null {
    return this.#moved === null ? null : basename(this.#moved);
  }

  /** A record names the file that `finish` made. */
  settle(): void {
    this.#moved = null;
  }

  /** Frees the part file; it stays, under its own name. */
  leave(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    if (this.#moved !== null) renameSync(this.#moved, this.#part);
    this.#moved = null;
  }

  /** *Copied* into the part file, or kept while it is the only one. */
  add(frame: number, jpeg: Uint8Array): void {
    if (this.#fd === null && this.#first === null && jpeg.byteLength <= inlineLimit) {
      this.#first = { frame, jpeg };
      return;
    }
    if (this.#fd === null) this.#begin();
    this.#write(frame, jpeg);
  }

  #begin(): void {
    const head = Buffer.alloc(headerBytes);
    head.write(headMagic, 0, 'latin1');
    head.writeUInt32LE(version, 4);
    try {
      makeFolder(dirname(this.#part));
      this.#fd = openSync(this.#part, 'w');
    } catch (error) {
      throw storeFault(error, this.#part, 'write');
    }
    writeAll(this.#on, this.#fd, this.#part, head, 0);
    if (this.#first !== null) this.#write(this.#first.frame, this.#first.jpeg);
    this.#first = null;
  }

  #write(frame: number, jpeg: Uint8Array): void {
    writeAll(this.#on, this.#fd as number, this.#part, jpeg, this.#end);
    this.#pictures.push({ frame, size: jpeg.byteLength, crc: crc32(jpeg), offset: this.#end });
    this.#end += jpeg.byteLength;
  }

  /**
   * The record of what was written. The file is *flushed* and has its final name, but no record speaks of it
   * yet.
   */
  finish(hash: string, revision: number): Previews {
    const record = { hash_str: hash, revision, file: '', size_bytes: 0, count: 0, frame: 0 };
    if (this.#first !== null) {
      const { frame, jpeg } = this.#first;
      return { ...record, size_bytes: jpeg.byteLength, count: 1, frame, jpeg };
    }
    if (this.#fd === null) return { ...record, jpeg: new Uint8Array(0) };
    const table = tableOf(this.#pictures);
    writeAll(this.#on, this.#fd, this.#part, table, this.#end);
    flush(this.#on, this.#fd, this.#part);
    closeSync(this.#fd);
    this.#fd = null;
    const within = previewFolder(this.#folder, hash);
    const file = previewName(hash, revision);
    try {
      makeFolder(within);
      renameSync(this.#part, join(within, file));
      this.#moved = join(within, file);
    } catch (error) {
      // The part was there: its folder was removed or replaced meanwhile.
      throw isMissing(error) ? replaced(this.#part) : storeFault(error, join(within, file), 'write');
    }
    flushFolder(within);
    return {
      ...record,
      file,
      size_bytes: this.#end + table.byteLength,
      count: this.#pictures.length,
      jpeg: new Uint8Array(0),
    };
  }

  /** Frees the part file; nothing of it stays. Does nothing after `finish`. */
  drop(): void {
    this.#first = null;
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    if (existsSync(this.#part)) unlinkSync(this.#part);
  }
}

/**
 * The part file of a stage of which nothing is kept when it is interrupted; `token` makes its name its own.
 */
export function partFile(folder: string, token: string): string {
  return join(partFolder(folder), `${token}.part`);
}

/** Removes what writers that ended in the middle left. Only for who has just taken the lease. */
export function removeParts(folder: string): void {
  const within = partFolder(folder);
  if (!existsSync(within)) return;
  try {
    for (const name of readdirSync(within)) unlinkSync(join(within, name));
  } catch (error) {
    throw storeFault(error, within, 'write');
  }
}

/**
 * Removes preview files of a media file that its record does not name: older ones, or ones left by a crash.
 */
export function removeOtherPreviews(folder: string, hash: string, keep: string): void {
  const within = previewFolder(folder, hash);
  if (!existsSync(within)) return;
  for (const name of readdirSync(within)) {
    if (!name.startsWith(`${hash}.`) || name === keep) continue;
    try {
      unlinkSync(join(within, name));
    } catch {
      // Open in another process on a system that keeps such names: the next commit of this file tries again.
    }
  }
}

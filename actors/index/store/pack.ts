// One append-only file of vector rows: a header of 64 bytes, then rows of fixed stride. Which rows count is
// said by the records alone; what lies behind the last committed row is left from a crash and is cut off by
// the next writer.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { stride8, stride16 } from '../visual/quantize.ts';
import { storeErrors } from './contract.ts';
import { type Disk, disk, flush, writeAll } from './disk.ts';
import { damaged, isMissing, storeFault } from './faults.ts';
import { isSameFile } from './same-file.ts';

const headerBytes = 64;
const packVersion = 1;
const magic = 0x4b504846; // 'FHPK'

/** Bits of a value. */
type PackKind = 8 | 16;

/** The packs of one pair of models and one generation. */
export interface PacksShape {
  readonly modelKey: string;
  readonly dimensions: number;
  readonly generation: number;
}

export interface PackShape {
  readonly kind: PackKind;
  readonly dimensions: number;
  readonly generation: number;
}

function header(shape: PackShape, stride: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  const fields = [magic, packVersion, shape.kind, shape.dimensions, stride, shape.generation];
  for (const [i, field] of fields.entries()) bytes.writeUInt32LE(field, i * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

function checkHeader(bytes: Buffer, file: string, shape: PackShape, stride: number): void {
  if (bytes.byteLength < headerBytes) throw damaged(file, 'it is shorter than its header');
  if (bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60)) || bytes.readUInt32LE(0) !== magic) {
    throw damaged(file, 'its header is broken');
  }
  const version = bytes.readUInt32LE(4);
  if (version > packVersion) {
    throw storeErrors.STORE_TOO_NEW(
      `${file} has format ${version}, but this program supports ${packVersion}`,
      {
        file,
      },
    );
  }
  if (!bytes.equals(header(shape, stride))) throw damaged(file, 'its header belongs to another pack');
}

export class Pack {
  readonly file: string;
  readonly stride: number;
  readonly #fd: number;
  readonly #on: Disk;
  #open = true;

  private constructor(file: string, stride: number, fd: number, on: Disk) {
    this.file = file;
    this.stride = stride;
    this.#fd = fd;
    this.#on = on;
  }

  static open(file: string, shape: PackShape, access: 'r' | 'r+' = 'r', on: Disk = disk): Pack {
    const stride = shape.kind === 8 ? stride8(shape.dimensions) : stride16(shape.dimensions);
    let fd: number;
    try {
      fd = openSync(file, access);
    } catch (error) {
      throw storeFault(error, file, isMissing(error) || access === 'r' ? 'read' : 'write');
    }
    const pack = new Pack(file, stride, fd, on);
    try {
      const bytes = Buffer.alloc(headerBytes);
      const got = readSync(fd, bytes, 0, headerBytes, 0);
      checkHeader(bytes.subarray(0, got), file, shape, stride);
    } catch (error) {
      pack.close();
      throw storeFault(error, file, 'read');
    }
    return pack;
  }

  /** Makes an empty pack; one that lies there, left by a crash, is replaced. */
  static create(file: string, shape: PackShape, on: Disk = disk): Pack {
    const stride = shape.kind === 8 ? stride8(shape.dimensions) : stride16(shape.dimensions);
    let fd: number;
    try {
      fd = openSync(file, 'w+');
    } catch (error) {
      throw storeFault(error, file, 'write');
    }
    const pack = new Pack(file, stride, fd, on);
    try {
      writeAll(on, fd, file, header(shape, stride), 0);
    } catch (error) {
      pack.close();
      throw error;
    }
    return pack;
  }

  /** True while the file of that name is the one that is open: not replaced, not removed. */
  get isCurrent(): boolean {
    return isSameFile(this.#fd, this.file);
  }

  /** Whole rows in the file, committed or not. */
  rows(): number {
    return Math.floor((fstatSync(this.#fd).size - headerBytes) / this.stride);
  }

  /** Fills `into` (whole rows) from row `row` on. Throws STORE_DAMAGED when the file ends before. */
  read(row: number, into: Uint8Array): void {
    try {
      const position = headerBytes + row * this.stride;
      let done = 0;
      while (done < into.byteLength) {
        const got = readSync(this.#fd, into, done, into.byteLength - done, position + done);
        if (got === 0) throw damaged(this.file, `it ends before row ${row + into.byteLength / this.stride}`);
        done += got;
      }
    } catch (error) {
      throw storeFault(error, this.file, 'read');
    }
  }

  /** *Accepted*: neither visible, which the records decide, nor flushed. */
  write(row: number, rows: Uint8Array): void {
    writeAll(this.#on, this.#fd, this.file, rows, headerBytes + row * this.stride);
  }

  flush(): void {
    flush(this.#on, this.#fd, this.file);
  }

  cutAfter(rows: number): void {
    try {
      ftruncateSync(this.#fd, headerBytes + rows * this.stride);
    } catch (error) {
      throw storeFault(error, this.file, 'write');
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

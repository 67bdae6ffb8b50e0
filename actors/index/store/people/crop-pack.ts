// One append-only file of face pictures: a header of 64 bytes, then JPEG after JPEG. Where the pictures of a
// face lie is said by the records alone; what lies behind the last committed byte is left from a crash and is
// cut off.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { storeErrors } from '../contract.ts';
import { type Disk, disk, flush, writeAll } from '../disk.ts';
import { damaged, isMissing, storeFault } from '../faults.ts';
import { isSameFile } from '../same-file.ts';

const headerBytes = 64;
const version = 1;
const magic = 0x50434846; // 'FHCP'
/** Of the pictures of one face: where they begin (64 bits, floating), two sizes, two checksums. */
export const placeBytes = 24;

/** The pictures of a face lie one behind the other. */
export interface CropPlace {
  readonly offset: number;
  readonly aligned: number;
  readonly display: number;
  readonly alignedCrc: number;
  readonly displayCrc: number;
}

export function writePlace(places: Uint8Array, at: number, place: CropPlace): void {
  const view = new DataView(places.buffer, places.byteOffset + at * placeBytes, placeBytes);
  view.setFloat64(0, place.offset, true);
  view.setUint32(8, place.aligned, true);
  view.setUint32(12, place.display, true);
  view.setUint32(16, place.alignedCrc, true);
  view.setUint32(20, place.displayCrc, true);
}

export function readPlace(places: Uint8Array, at: number): CropPlace {
  const view = new DataView(places.buffer, places.byteOffset + at * placeBytes, placeBytes);
  return {
    offset: view.getFloat64(0, true),
    aligned: view.getUint32(8, true),
    display: view.getUint32(12, true),
    alignedCrc: view.getUint32(16, true),
    displayCrc: view.getUint32(20, true),
  };
}

/** Bytes of all pictures. */
export function sizeOfPlaces(places: Uint8Array): number {
  const view = new DataView(places.buffer, places.byteOffset, places.byteLength);
  let bytes = 0;
  for (let at = 0; at < places.length; at += placeBytes) {
    bytes += view.getUint32(at + 8, true) + view.getUint32(at + 12, true);
  }
  return bytes;
}

/** Behind the last of the pictures. */
export function endOfPlaces(places: Uint8Array): number {
  let end = 0;
  for (let at = 0; at * placeBytes < places.length; at++) {
    const { offset, aligned, display } = readPlace(places, at);
    end = Math.max(end, offset + aligned + display);
  }
  return end;
}

function header(generation: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  for (const [i, field] of [magic, version, generation].entries()) bytes.writeUInt32LE(field, i * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

function checkHeader(bytes: Buffer, file: string, generation: number): void {
  if (bytes.length < headerBytes || bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60))) {
    throw damaged(file, 'its header is broken');
  }
  if (bytes.readUInt32LE(4) > version)
    throw storeErrors.STORE_TOO_NEW(`${file} has a newer format`, { file });
  if (!bytes.equals(header(generation))) throw damaged(file, 'its header belongs to another pack');
}

export class CropPack {
  readonly file: string;
  readonly #fd: number;
  readonly #on: Disk;
  #isOpen = true;

  private constructor(file: string, fd: number, on: Disk) {
    this.file = file;
    this.#fd = fd;
    this.#on = on;
  }

  static open(file: string, generation: number, access: 'r' | 'r+' = 'r', on: Disk = disk): CropPack {
    let fd: number;
    try {
      fd = openSync(file, access);
    } catch (error) {
      throw storeFault(error, file, isMissing(error) || access === 'r' ? 'read' : 'write');
    }
    const pack = new CropPack(file, fd, on);
    try {
      const bytes = Buffer.alloc(headerBytes);
      const got = readSync(fd, bytes, 0, headerBytes, 0);
      checkHeader(bytes.subarray(0, got), file, generation);
    } catch (error) {
      pack.close();
      throw storeFault(error, file, 'read');
    }
    return pack;
  }

  /** Makes an empty pack; one that lies there, left by a crash, is replaced. */
  static create(file: string, generation: number, on: Disk = disk): CropPack {
    let fd: number;
    try {
      fd = openSync(file, 'w+');
    } catch (error) {
      throw storeFault(error, file, 'write');
    }
    const pack = new CropPack(file, fd, on);
    try {
      writeAll(on, fd, file, header(generation), 0);
    } catch (error) {
      pack.close();
      throw error;
    }
    return pack;
  }

  get isCurrent(): boolean {
    return isSameFile(this.#fd, this.file);
  }

  /** Bytes of pictures in the file, committed or not. */
  end(): number {
    return Math.max(0, fstatSync(this.#fd).size - headerBytes);
  }

  /** *Copied*. Throws STORE_DAMAGED when the file ends before, or the checksum does not match. */
  read(offset: number, size: number, crc: number): Uint8Array<ArrayBuffer> {
    const bytes = this.bytes(offset, size);
    if (crc32(bytes) !== crc) throw damaged(this.file, `the picture at ${offset} is broken`);
    return bytes;
  }

  /** As they lie there, unchecked. *Copied*. Throws STORE_DAMAGED when the file ends before. */
  bytes(offset: number, size: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(size);
    try {
      const got = readSync(this.#fd, bytes, 0, size, headerBytes + offset);
      if (got < size) throw damaged(this.file, `it ends before the picture at ${offset}`);
    } catch (error) {
      throw storeFault(error, this.file, 'read');
    }
    return bytes;
  }

  /** *Accepted*: neither visible nor flushed. */
  write(offset: number, bytes: Uint8Array): void {
    writeAll(this.#on, this.#fd, this.file, bytes, headerBytes + offset);
  }

  flush(): void {
    flush(this.#on, this.#fd, this.file);
  }

  cutAfter(end: number): void {
    try {
      ftruncateSync(this.#fd, headerBytes + end);
    } catch (error) {
      throw storeFault(error, this.file, 'write');
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}

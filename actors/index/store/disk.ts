// The disk under the store: its writes, whether an open file is still the one of its name, and room set
// aside.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { rmSync } from '../../../runtime/files/names.ts';
import { storeFault } from './faults.ts';

// The writes of the store, as a value: a test hands in a disk that fills up or breaks. Reads need no such
// door.

export interface StoreDisk {
  /** Writes some of `bytes` at `position` and answers how many, as pwrite does. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** Returns when the data of the file is *flushed*: it survives a power cut. */
  flush(fd: number): void;
}

export const disk: StoreDisk = {
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.byteLength, position),
  flush: (fd) => fdatasyncSync(fd),
};

/** Writes all of `bytes`. Throws STORE_FULL, STORE_READ_ONLY or STORE_UNAVAILABLE naming `file`. */
export function writeAll(on: StoreDisk, fd: number, file: string, bytes: Uint8Array, position: number): void {
  try {
    let done = 0;
    while (done < bytes.byteLength) {
      const written = on.write(fd, bytes.subarray(done), position + done);
      if (written <= 0) throw new Error('nothing could be written');
      done += written;
    }
  } catch (error) {
    throw storeFault(error, file, 'write');
  }
}

export function flush(on: StoreDisk, fd: number, file: string): void {
  try {
    on.flush(fd);
  } catch (error) {
    throw storeFault(error, file, 'write');
  }
}

/** Makes a new or renamed entry of `folder` survive a power cut, where the system can open folders. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw storeFault(error, folder, 'write');
  }
}

// Checks whether an open file is still the one of its name. A folder can be deleted, swapped or remounted
// while its files are open: reads and writes still succeed, but the written data is lost.

/** Device and inode: another file has another identity for as long as this one is open. */
export interface OpenFileMark {
  readonly identity: string;
  readonly size: number;
  readonly changed: bigint;
}

interface Stats {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

const markOf = ({ dev, ino, size, mtimeNs }: Stats): OpenFileMark => ({
  identity: `${dev}:${ino}`,
  size: Number(size),
  changed: mtimeNs,
});

/**
 * Null when nothing lies there, or the folder is gone. Throws what else the file system says, a lost share
 * for one.
 */
export function markAt(path: string): OpenFileMark | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : markOf(stats);
}

export function isSameFile(fd: number, path: string): boolean {
  return markAt(path)?.identity === markOf(fstatSync(fd, { bigint: true })).identity;
}

// Room that is set aside beside the records while the disk has plenty, so that media can be forgotten when it
// is full: to remove a record takes room, too.

const fullBytes = 2 * 2 ** 20;
/** Less than this helps nobody. */
const leastBytes = 256 * 1024;
/** Free space required before the first write, so that a small disk is not filled. */
const plentyBytes = 8 * fullBytes;

export const spareFile = (records: string): string => `${records}-spare`;

/** Free bytes of the disk that holds the file; infinite if a network file system does not report its size. */
export function freeBytes(file: string): number {
  const { blocks, bavail, bsize } = statfsSync(dirname(file));
  return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
}

/** Once, where there is plenty. */
export function setRoomAside(records: string): void {
  if (spareBytes(records) === 0 && freeBytes(records) >= plentyBytes) write(records, fullBytes);
}

/** Sets aside again what is left of the room that was used, and what was freed by that. */
export function setRestAside(records: string): void {
  const bytes = Math.min(fullBytes, freeBytes(records));
  if (spareBytes(records) === 0 && bytes >= leastBytes) write(records, bytes);
}

export function useRoomSetAside(records: string): void {
  rmSync(spareFile(records), { force: true });
}

function spareBytes(records: string): number {
  return statSync(spareFile(records), { throwIfNoEntry: false })?.size ?? 0;
}

function write(records: string, bytes: number): void {
  try {
    writeFileSync(spareFile(records), Buffer.alloc(bytes), { flag: 'wx' });
  } catch {
    // Somebody else was quicker to take the room: there is nothing to set aside.
    useRoomSetAside(records);
  }
}

// The writes of the store, as a value: a test hands in a disk that fills up or breaks. Reads need no such
// door.
import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { storeFault } from './faults.ts';

export interface Disk {
  /** Writes some of `bytes` at `position` and answers how many, as pwrite does. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** Returns when the data of the file is *flushed*: it survives a power cut. */
  flush(fd: number): void;
}

export const disk: Disk = {
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.byteLength, position),
  flush: (fd) => fdatasyncSync(fd),
};

/** Writes all of `bytes`. Throws STORE_FULL, STORE_READ_ONLY or STORE_UNAVAILABLE naming `file`. */
export function writeAll(on: Disk, fd: number, file: string, bytes: Uint8Array, position: number): void {
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

export function flush(on: Disk, fd: number, file: string): void {
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

// Small files of the home folder that several processes share, and how they are changed: here under a lock of
// this machine. An engine of a cluster changes those of all machines.

import { dirname } from 'node:path';
import { flushFolder, replaceFile, type WriteOptions } from './atomic-write.ts';
import { type LockOptions, underLock } from './lock.ts';
import { rmSync } from './names.ts';

export interface FileEdits {
  /** Atomically. Throws the error of the file system. */
  replace(path: string, text: string, options: WriteOptions): void;
  /** *Flushed*. Throws the error of the file system, also when there is no such file. */
  remove(path: string): void;
}

export interface HomeFiles {
  /**
   * Runs `edit`, which does not wait for anything, while nobody else changes files under the same lock. It
   * reads the files of the home folder, and what it edits is there when this answers; if it throws, nothing
   * is. Throws what `refused` of the options makes, and CANCELLED.
   */
  change<T>(lock: string, options: LockOptions, edit: (files: FileEdits) => T): Promise<T>;
}

const direct: FileEdits = {
  replace: replaceFile,
  remove: (path) => {
    rmSync(path);
    flushFolder(dirname(path));
  },
};

/** Home files of a single engine. */
export const ownFiles: HomeFiles = {
  change: (lock, options, edit) => underLock(lock, options, () => edit(direct)),
};

// Small files that are never seen half written.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

/** `flush`: it survives a power cut when answered. Errors are those of the file system. */
export function replaceFile(path: string, text: string, { flush }: { flush: boolean }): void {
  renameSync(writePart(path, text, flush), path);
}

/** *Flushed* when answered. False, and nothing changed, when there is such a file already. */
export function writeNew(path: string, text: string): boolean {
  const part = writePart(path, text, true);
  try {
    // A name is given to a file that is whole, and only if nobody has it; where links are not known, to a copy.
    try {
      linkSync(part, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      copyFileSync(part, path, constants.COPYFILE_EXCL);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

/** Makes new and renamed entries of a folder survive a power cut, where the system can open folders. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The name has the process in it: two of them may write the same file at once. */
function writePart(path: string, text: string, flush: boolean): string {
  const part = `${path}.${process.pid}.part`;
  try {
    writeFileSync(part, text, { flush });
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  return part;
}

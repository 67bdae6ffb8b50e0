// The results of a task's files: one JSON object a line, appended, so that a task of very many files is
// neither kept in memory nor written whole again. A later line about the same file takes the place of an
// earlier one.
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  openSync,
  readdirSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { engineErrors } from '../../../runtime/errors.ts';
import { createFile } from '../../../runtime/files/atomic-write.ts';
import { renameSync, rmSync } from '../../../runtime/files/names.ts';
import type { ResultPage } from '../contract.ts';
import { workKey } from '../result.ts';
import type { FileResult } from './contract.ts';

/** Lines of cancelled files are buffered, up to so many; all others are written at once. */
const GATHERED = 512;

export interface ResultsFile {
  /** Handed to the system when answered, unless the file was only cancelled. */
  append(result: FileResult): void;
  /** *Flushed* when answered. */
  close(): void;
}

/** Appends to what is there. Errors are those of the file system. */
export function openResults(path: string): ResultsFile {
  const file = openSync(path, 'a');
  let gathered: string[] = [];
  const write = () => {
    const text = gathered.join('');
    gathered = [];
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done);
  };
  return {
    append: (result) => {
      gathered.push(`${JSON.stringify(result)}\n`);
      if (result.outcome !== 'cancelled' || gathered.length >= GATHERED) write();
    },
    close: () => {
      try {
        write();
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
  };
}

/** Complete lines; a last one without its end was cut short by a crash. None when there is no file. */
async function* lines(path: string): AsyncGenerator<string> {
  let partialLine: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...partialLine, chunk.subarray(from, end)]).toString();
        partialLine = [];
        from = end + 1;
      }
      if (from < chunk.byteLength) partialLine.push(chunk.subarray(from));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Undefined for a line that a power cut has damaged: only that result is lost, and its file is analysed
 * again.
 */
function resultOf(line: string): FileResult | undefined {
  if (!looksWhole(line)) return undefined;
  try {
    return JSON.parse(line) as FileResult;
  } catch {
    return undefined;
  }
}

/** Cheap, because every line of a long file is counted for each page of it. */
function looksWhole(line: string): boolean {
  return line.startsWith('{"path":"') && line.endsWith('}');
}

/** The result that stands for each piece of work, by `workKey`, in the order in which they ended. */
export async function readResults(path: string): Promise<Map<string, FileResult>> {
  const results = new Map<string, FileResult>();
  for await (const line of lines(path)) {
    const result = resultOf(line);
    if (!result) continue;
    results.delete(workKey(result));
    results.set(workKey(result), result);
  }
  return results;
}

/** The results that stand and say that the work failed, `most` at most, in the order in which it ended. */
export async function readFailures(path: string, most: number, signal: AbortSignal): Promise<FileResult[]> {
  const failed = new Map<string, FileResult>();
  for await (const line of lines(path)) {
    if (signal.aborted) throw engineErrors.CANCELLED();
    const result = resultOf(line);
    if (!result) continue;
    failed.delete(workKey(result));
    if (result.outcome === 'failed' && failed.size < most) failed.set(workKey(result), result);
  }
  return [...failed.values()];
}

/** `once`: no piece of work can be there twice, so that only the lines of the page have to be read. */
export async function readPage(
  path: string,
  { offset, limit }: ResultPage,
  once: boolean,
): Promise<{ total: number; results: FileResult[] }> {
  if (!once) {
    const all = [...(await readResults(path)).values()];
    return { total: all.length, results: all.slice(offset, offset + limit) };
  }
  const results: FileResult[] = [];
  let total = 0;
  for await (const line of lines(path)) {
    const isInPage = total >= offset && total < offset + limit;
    const result = isInPage ? resultOf(line) : undefined;
    if (result) results.push(result);
    if (result || (!isInPage && looksWhole(line))) total++;
  }
  return { total, results };
}

/** Puts `results` in the place of what is in the file, at once. */
export async function replaceResults(path: string, results: Iterable<FileResult>): Promise<void> {
  const part = `${path}.part`;
  await pipeline(linesOf(results), createWriteStream(part, { flush: true }));
  renameSync(part, path);
}

function* linesOf(results: Iterable<FileResult>): Generator<string> {
  for (const result of results) yield `${JSON.stringify(result)}\n`;
}

// Attachments of a request that are too large for its record: files beside it that only their owner can read.
// They are removed with the record.

/** Attachments by number. */
export type Attachments = readonly Uint8Array[];

export function attachmentPath(folder: string, task_id: string, number: number): string {
  return join(folder, `${task_id}.attachment-${number}`);
}

/** *Flushed* when it returns. Errors are those of the file system. */
export function writeAttachments(folder: string, task_id: string, attachments: Attachments): void {
  for (const [number, bytes] of attachments.entries()) {
    createFile(attachmentPath(folder, task_id, number), bytes, { flush: true, mode: 0o600 });
  }
}

/** Removes incompletely written ones too. */
export function removeAttachments(folder: string, task_id: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${task_id}.attachment-`)) rmSync(join(folder, name), { force: true });
  }
}

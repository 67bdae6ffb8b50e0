// What came with a request and is too large for its record: files beside it, which only their owner can read.
// They go with the record.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../../runtime/files/atomic-write.ts';
import { rmSync } from '../../../runtime/files/names.ts';

/** By number. */
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

/** Those that were not written whole, too. */
export function removeAttachments(folder: string, task_id: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${task_id}.attachment-`)) rmSync(join(folder, name), { force: true });
  }
}

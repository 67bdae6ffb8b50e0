// Room that is set aside beside the records while the disk has plenty, so that media can be forgotten when it
// is full: to remove a record takes room, too.
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const fullBytes = 2 * 2 ** 20;
/** Less than this helps nobody. */
const leastBytes = 256 * 1024;
/** So much has to be free before the first time: a small disk is not filled by it. */
const plentyBytes = 8 * fullBytes;

export const spareFile = (records: string): string => `${records}-spare`;

/** Of the disk that holds the file; infinite where a network file system says nothing about its size. */
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

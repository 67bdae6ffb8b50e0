// To which part of a library a content belongs: by its hash, so that every machine says the same.
import { fraction } from '../visual/background.ts';
import type { Hold } from '../visual/contract.ts';

/** 1 to `of`, the same on every machine. */
export function partOf(hash: string, of: number): number {
  return 1 + Math.floor(fraction(hash) * of);
}

/** Whether an engine has the vectors of a content in memory; null for one that has all of them. */
export function isHeld(hash: string, hold: Hold | null): boolean {
  return hold === null || partOf(hash, hold.of) === hold.part;
}

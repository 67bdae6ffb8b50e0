// What a watch folder leaves out. Pure.
import type { Exclusions } from './contract.ts';

/** `relative`: with `/` between folders and none in front. */
export function exclusionsOf(_: Exclusions): {
  leavesOutFile(name: string): boolean;
  leavesOutFolder(relative: string): boolean;
} {
  return { leavesOutFile: () => false, leavesOutFolder: () => false };
}

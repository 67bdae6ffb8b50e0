// Which tests a run takes.
import { globSync } from 'node:fs';
import { dirname, sep } from 'node:path';

/** `quick`: what `npm run check` runs. `all`: what `npm test` runs. `release`: what takes longer. */
export type Selection = 'quick' | 'all' | 'release';

const root = dirname(import.meta.dirname);

/** Paths from the root, with slashes, in a stable order. */
export function testFiles(selection: Selection): string[] {
  const all = globSync('test/**/*.test.ts', { cwd: root }).map((path) => path.split(sep).join('/'));
  return all
    .filter((path) => isRelease(path) === (selection === 'release') && isTaken(path, selection))
    .sort();
}

/** Such a file starts a service, a browser or another program, and has a process of its own. */
export function isSlow(path: string): boolean {
  return path.startsWith('test/system/') || path.endsWith('.slow.test.ts') || isRelease(path);
}

function isTaken(path: string, selection: Selection): boolean {
  return selection !== 'quick' || !isSlow(path);
}

function isRelease(path: string): boolean {
  return path.startsWith('test/release/');
}

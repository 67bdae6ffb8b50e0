// Which tests a run takes, and which of them share a process.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** `quick`: what `npm run check` runs. `all`: what `npm test` runs. `release`: what takes longer. */
export type Selection = 'quick' | 'all' | 'release';

const root = dirname(import.meta.dirname);

/** Paths from the root, with slashes, in a stable order. */
export function testFiles(selection: Selection): string[] {
  const all = globSync('test/**/*.test.ts', { cwd: root }).map((path) => path.split(sep).join('/'));
  return all.filter((path) => isTaken(path, selection)).sort();
}

/** Such a file starts a service, a browser or another program, or takes long for another reason. */
export function isSlow(path: string): boolean {
  return path.startsWith('test/system/') || path.endsWith('.slow.test.ts') || isRelease(path);
}

/**
 * Files of the same answer share a process: those of a room, those that need a browser, those that share a
 * service, and those that build the package in this checkout, which only one may do at a time. Other files
 * that test the whole program have one each.
 */
export function processOf(path: string): string {
  if (path.startsWith('test/system/page-')) return 'page';
  if (/^test\/release\/(bundle|package)\./.test(path)) return 'package';
  if (path.startsWith('test/system/') && /\bsharedService\b/.test(textOf(path))) return 'shared-service';
  const [, top = '', second = ''] = path.split('/');
  if (top.endsWith('.ts')) return 'test';
  if (top === 'system' || top === 'release') return `${top}-${second}`;
  return top === 'actors' && !second.endsWith('.ts') ? `${top}-${second}` : top;
}

/** Services, browsers and servers of databases: such a test waits more than others. */
export function startsPrograms(path: string): boolean {
  return /^test\/(system|release)\//.test(path) || / from '.*\/system\//.test(textOf(path));
}

function isTaken(path: string, selection: Selection): boolean {
  if (selection === 'release') return isRelease(path) || hasTestsForRelease(path);
  return !isRelease(path) && (selection === 'all' || !isSlow(path));
}

/** Such a file is run whole for a release too. */
function hasTestsForRelease(path: string): boolean {
  return /^import .*\b(untilRelease|draws|sampled)\b.* from '.*shared\.ts'/m.test(textOf(path));
}

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

function isRelease(path: string): boolean {
  return path.startsWith('test/release/') || path.endsWith('.long.test.ts');
}

// Real footage and model files for tests. They lie in ../shared beside the checkout and are no part of the
// project: a test that needs them is skipped without them, and the last lines of a run say so
// (test/reporter.ts).
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const checkout = dirname(import.meta.dirname);

/** Absolute path of a file or folder in ../shared; `media/video`. */
export function sharedPath(name: string): string {
  return join(checkout, '..', 'shared', name);
}

/**
 * The `skip` option of a test that needs these files or folders of ../shared; false when all of them are
 * there.
 */
export function skipWithout(...names: string[]): string | false {
  const missing = names.map(highestMissing).find((path) => path !== null);
  return missing ? `needs ${missing}, which is not here` : false;
}

/**
 * The `skip` option of a test that takes long and is a second look at something: a release runs it
 * (selection.ts).
 */
export const untilRelease: string | false = process.env['FRAMEHOUND_RELEASE'] ? false : 'runs for a release';

/** How many values a property is drawn for: all of them for a release, a fifth otherwise. */
export const draws = (count: number): number => (untilRelease ? Math.ceil(count / 5) : count);

/** All of them for a release, one of each `every` otherwise. */
export const sampled = <T>(all: readonly T[], every: number): readonly T[] =>
  untilRelease ? all.filter((_, i) => i % every === 0) : all;

/** Without all of ../shared that is what is named, once for all tests. */
function highestMissing(name: string): string | null {
  const parts = name.split('/').filter(Boolean);
  for (let count = 0; count <= parts.length; count++) {
    const part = parts.slice(0, count).join('/');
    if (!existsSync(sharedPath(part))) return join('../shared', part);
  }
  return null;
}

// Reel names of an EDL: eight capital letters and digits, another one for each file.
import type { Source } from './model.ts';

const LENGTH = 8;
/** What these mean to a reader of EDLs is no reel. */
const taken: readonly string[] = ['', 'AX', 'BL', 'NONE'];

/** By place of the source. The first letters of the name of its file; what is taken ends with a number. */
export function reelNames(sources: readonly Pick<Source, 'name'>[]): string[] {
  const used = new Set(taken);
  // Where the search for a free number went on to, so that many files of one name take no longer.
  const next = new Map<string, number>();
  return sources.map(({ name }) => {
    const stem = name
      .replace(/\.[^.]*$/, '')
      .normalize('NFKD')
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, '');
    const plain = stem.slice(0, LENGTH);
    let reel = plain;
    let number = next.get(plain) ?? (plain === '' ? 1 : 2);
    for (; used.has(reel); number++) {
      const digits = String(number);
      reel = (plain || 'REEL').slice(0, LENGTH - digits.length) + digits;
    }
    next.set(plain, number);
    used.add(reel);
    return reel;
  });
}

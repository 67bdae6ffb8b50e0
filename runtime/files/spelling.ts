// Accents in names of files. Unicode writes é as one character (NFC) or as an e with a mark (NFD). macOS
// writes names in the second form, people type the first, and Linux and Windows take the two for different
// names.
import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

const forms = ['NFC', 'NFD'] as const;

/** Other ways to write the same text; none for most. */
export function otherSpellings(text: string): string[] {
  if (isPlain(text)) return [];
  return [...new Set(forms.map((form) => text.normalize(form)))].filter((spelling) => spelling !== text);
}

/** ASCII has no accents. */
function isPlain(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are all of ASCII.
  return /^[\x00-\x7f]*$/.test(text);
}

/**
 * Absolute paths by the names that are on the disk, where those differ only in how accents are written. A
 * name that is there as it was sent is taken first; behind one that is not there in any form, the path stays
 * as sent. So does a text that is no absolute path.
 */
export async function spelledOnDisk(paths: readonly string[]): Promise<string[]> {
  const lookups: Lookups = new Map();
  const spelled: string[] = [];
  // One after the other: a disk that does not answer keeps one thread of Node's pool only.
  for (const path of paths) {
    const isSure = otherSpellings(path).length === 0 || !isAbsolute(path);
    spelled.push(isSure ? path : await spell(path, lookups));
  }
  return spelled;
}

/** Spellings on the disk, keyed by path as sent; folders above paths are looked up once. */
type Lookups = Map<string, Promise<string>>;

function spell(path: string, lookups: Lookups): Promise<string> {
  const earlier = lookups.get(path);
  if (earlier !== undefined) return earlier;
  const lookup = lookUp(path, lookups);
  lookups.set(path, lookup);
  return lookup;
}

async function lookUp(path: string, lookups: Lookups): Promise<string> {
  if (await isThere(path)) return path;
  const above = dirname(path);
  if (above === path) return path;
  const folder = await spell(above, lookups);
  const name = path.slice(above.endsWith('/') || above.endsWith('\\') ? above.length : above.length + 1);
  const sent = join(folder, name);
  for (const candidate of [sent, ...otherSpellings(name).map((spelling) => join(folder, spelling))])
    if (await isThere(candidate)) return candidate;
  return sent;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

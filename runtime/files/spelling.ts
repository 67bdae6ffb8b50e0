// Accents in names of files. Unicode writes é as one character (NFC) or as an e with a mark (NFD). macOS
// writes names in the second form, people type the first, and Linux and Windows take the two for different
// names.
import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

const forms = ['NFC', 'NFD'] as const;

/** Other ways to write the same text; none for most. */
export function otherSpellings(text: string): string[] {
  if (isPlain(text)) return [];
  return [...new Set(forms.map((form) => text.normalize(form)))].filter((other) => other !== text);
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
  const known = new Map<string, Promise<string>>();
  const spelled: string[] = [];
  // One after the other: a disk that does not answer keeps one thread of Node's pool only.
  for (const path of paths) {
    const isSure = otherSpellings(path).length === 0 || !isAbsolute(path);
    spelled.push(isSure ? path : await spell(path, known));
  }
  return spelled;
}

/** `known`: what is being found out of each path and the folders above it. */
function spell(path: string, known: Map<string, Promise<string>>): Promise<string> {
  const earlier = known.get(path);
  if (earlier !== undefined) return earlier;
  const found = find(path, known);
  known.set(path, found);
  return found;
}

async function find(path: string, known: Map<string, Promise<string>>): Promise<string> {
  if (await isThere(path)) return path;
  const above = dirname(path);
  if (above === path) return path;
  const folder = await spell(above, known);
  const name = path.slice(above.endsWith('/') || above.endsWith('\\') ? above.length : above.length + 1);
  const sent = join(folder, name);
  for (const other of [sent, ...otherSpellings(name).map((one) => join(folder, one))])
    if (await isThere(other)) return other;
  return sent;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

// Which known files do not lie in a folder any more.

interface Known {
  readonly media_path: string;
  readonly hash_str: string;
}

export interface GoneFile {
  readonly path: string;
  readonly hash_str: string;
  /** From the folder on. */
  readonly name: string;
}

/**
 * `known`: files below the folder, by whatever spelling of the system. `names`: what lies in it. A hidden name is not listed, so
 * nothing is known of it.
 */
export function goneFrom(folder: string, known: readonly Known[], names: readonly string[]): GoneFile[] {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const start = folder.endsWith(separator) ? folder : folder + separator;
  const there = new Set(names.map((name) => name.normalize()));
  return known.flatMap(({ media_path: path, hash_str }) => {
    if (!path.startsWith(start)) return [];
    const name = path.slice(start.length);
    const [first = ''] = name.split(separator);
    return first.startsWith('.') || there.has(first.normalize()) ? [] : [{ path, hash_str, name }];
  });
}

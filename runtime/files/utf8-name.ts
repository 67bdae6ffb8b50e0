// Names of files that are not UTF-8. On Linux a name is any bytes; as text it has U+FFFD where they are none,
// and no file is found under that text. Paths are text everywhere: in requests, in answers, in records and in
// FFmpeg.
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null for bytes that are no UTF-8. */
export function nameOf(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * True when the path is what is left of one with a name that is not UTF-8: there is one that reads the same
 * as text.
 */
export async function isGarbled(path: string): Promise<boolean> {
  for (let at = path; at.includes('\ufffd') && dirname(at) !== at; at = dirname(at)) {
    const folder = dirname(at);
    const names = await readdir(folder, { encoding: 'buffer' }).catch(() => []);
    if (names.some((bytes) => nameOf(bytes) === null && join(folder, bytes.toString()) === at)) return true;
  }
  return false;
}

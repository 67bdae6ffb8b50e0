// Paths of files and folders on the machine of the service, as people type and paste them.
import { api } from './api.ts';

/**
 * A pasted path: in quotes, as a `file:` address, with spaces around it. `home`: what `~` stands for. Null
 * for
 * relative ones.
 */
export function pastedPath(text: string, home: string | null = null): string | null {
  const bare = text
    .trim()
    .split(/\r?\n/)[0]!
    .replace(/^(["'])(.*)\1$/, '$2');
  if (/^~(?=$|[\\/])/.test(bare)) return home === null ? null : pastedPath(home + bare.slice(1));
  const path = bare.startsWith('file://') ? decoded(bare.slice('file://'.length)) : bare;
  const plain = /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
  const isAbsolute = plain.startsWith('/') || /^[a-z]:[\\/]/i.test(plain) || plain.startsWith('\\\\');
  if (!isAbsolute) return null;
  return plain.length > 1 && !/^[a-z]:[\\/]$/i.test(plain) ? plain.replace(/[\\/]+$/, '') || plain : plain;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Where exports go unless a person says otherwise, and what `~` stands for; null where the system knows none.
 */
export async function userFolders(cache_dir: string) {
  const { home_folder, export_folder } = await api.listMedia({ cache_dir, limit: 1 });
  return { home_folder, export_folder };
}

/** Like `pastedPath`; asks for the home folder only if the text needs it. */
export async function typedPath(text: string, cache_dir: string): Promise<string | null> {
  return text.includes('~') ? pastedPath(text, (await userFolders(cache_dir)).home_folder) : pastedPath(text);
}

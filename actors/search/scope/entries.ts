// The files that a scope names, as a client says it.
import { type FilterScope, scopeErrors } from './contract.ts';

/** One file of a scope, named by path, hash or both. */
export interface ScopeEntry {
  readonly path: string | null;
  readonly hash: string | null;
}

/** `field`: where the scope stands, empty for the body itself. Throws WRONG_SCOPE. */
export function entriesOf(
  { media_paths, hash_strs }: Pick<FilterScope, 'media_paths' | 'hash_strs'>,
  field: string,
): ScopeEntry[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  if (media_paths.length === 0) return hash_strs.map((hash) => ({ path: null, hash }));
  if (hash_strs.length > 0 && hash_strs.length !== media_paths.length) {
    throw scopeErrors.WRONG_SCOPE(
      `${at('hash_strs')}: ${hash_strs.length} hashes for ${media_paths.length} media_paths; send one hash for each path`,
      { field: at('hash_strs') },
    );
  }
  return media_paths.map((path, i) => ({ path, hash: hash_strs[i] || null }));
}

/** Naming nothing means everything that is loaded, for filters, facets and searches alike. */
export function isGlobal({ mode }: Pick<FilterScope, 'mode'>, entries: readonly ScopeEntry[]): boolean {
  return mode === 'global' || entries.length === 0;
}

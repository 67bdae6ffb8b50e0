// Proxies: films and sound that browsers play, made of those they cannot play and kept in the analysis
// folder.
import { errorTable } from '../../../runtime/errors.ts';

export const proxyErrors = errorTable({
  PROXY_MISSING: { meaning: 'The media has no proxy yet', status: 404 },
  PROXY_OF_STILL: { meaning: 'Stills have no proxies', status: 400 },
});

export interface ProxySpec {
  readonly cache_dir: string;
  readonly hash_str: string;
  /** Longest side, px. */
  readonly max_side: number;
}

interface ProxyFile {
  readonly path: string;
  readonly size_bytes: number;
}

export interface ProxyWritten extends ProxyFile {
  /** Pictures, as many as the film has; 0 for sound. */
  readonly frames: number;
  /** Px; 0 for sound. */
  readonly width: number;
  readonly height: number;
  readonly duration_seconds: number;
}

export interface Proxies {
  /**
   * The proxy of a content with pictures of `max_side` or more, of any size when left out; null without one.
   * A request counts as a use: proxies that were not requested for longer are removed first.
   */
  find(spec: Omit<ProxySpec, 'max_side'> & { readonly max_side?: number }): Promise<ProxyFile | null>;
  /**
   * Makes one. `progress`: how much of it there is, 0 to 1. On any error nothing is left of it: MEDIA_GONE,
   * FILE_CHANGED, STORE_FULL, STORE_READ_ONLY, those of a clip, CANCELLED.
   */
  make(spec: ProxySpec, signal: AbortSignal, progress: (fraction: number) => void): Promise<ProxyWritten>;
  remove(cacheDir: string, hashes: readonly string[]): Promise<void>;
}

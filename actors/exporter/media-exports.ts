// Media files that are written: clips for editing programs and proxies for browsers, by the same threads.
import type { Log } from '../../runtime/log.ts';
import type { Search } from '../search/contract.ts';
import { createClips } from './clips/clips.ts';
import type { Clips } from './clips/contract.ts';
import { type Writer, Writers } from './clips/writers.ts';
import type { Proxies } from './proxies/contract.ts';
import { createProxies } from './proxies/proxies.ts';

interface MediaExportParts {
  readonly clipWriters: readonly Writer[];
  /** Writes where there are no threads for it. */
  readonly prober: Writer;
  readonly search: Pick<Search, 'mediaFile'>;
  /** GB that the proxies of an analysis folder may take. */
  readonly proxies_gb: number;
  readonly log: Log;
}

export function createMediaExports(parts: MediaExportParts): { clips: Clips; proxies: Proxies } {
  const { clipWriters, prober, search, proxies_gb, log } = parts;
  const writers = new Writers(clipWriters.length > 0 ? clipWriters : [prober]);
  const { mediaFile } = search;
  const mostBytes = proxies_gb * 1e9;
  return {
    clips: createClips({ writers, log }),
    proxies: createProxies({ writers, mediaFile, mostBytes, log, now: Date.now }),
  };
}

// What the index answers about the peaks of sound.
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import { keepPeaks, keptPeaks } from '../store/peaks.ts';
import type { peakMessages } from './contract.ts';

export function peakHandlers({ folders }: StoreParts): Handlers<Contract<typeof peakMessages>> {
  return {
    kept_peaks: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => {
        store.requireReadable();
        const peaks = keptPeaks(store.folder, hash_str);
        return new Sent({ peaks }, { transfer: peaks === null ? [] : [peaks.values.buffer] });
      }),
    keep_peaks: ({ cache_dir, hash_str, peaks }, turn) =>
      folders.with(cache_dir, (store) => {
        if (store.media.byHash(hash_str) === null) return { kept: false };
        try {
          keepPeaks(store.folder, hash_str, peaks);
          return { kept: true };
        } catch (error) {
          turn.log.warn('the peaks of a sound cannot be kept', { hash: hash_str, error });
          return { kept: false };
        }
      }),
  };
}

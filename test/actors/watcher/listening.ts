// A listener of folders that is heard by the test alone.
import type { Listen, Listener } from '../../../actors/watcher/changes.ts';

export interface Ears {
  readonly listen: Listen;
  /** Those that listen now, by folder. */
  readonly open: Map<string, Listener>;
  /** How many listened so far. */
  begun(): number;
}

export function ears(): Ears {
  const open: Ears['open'] = new Map();
  let begun = 0;
  return {
    open,
    begun: () => begun,
    listen: (folder, listener) => {
      begun += 1;
      open.set(folder, listener);
      return {
        close: async () => {
          if (open.get(folder) === listener) open.delete(folder);
        },
      };
    },
  };
}

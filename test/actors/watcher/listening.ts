// A listener of folders that is heard by the test alone.
import type { Listen, Listener } from '../../../actors/watcher/actor.ts';

export interface Ears {
  readonly listen: Listen;
  /** Those that listen now, by folder. */
  readonly open: Map<string, Listener>;
}

export function ears(): Ears {
  const open: Ears['open'] = new Map();
  return {
    open,
    listen: (folder, listener) => {
      open.set(folder, listener);
      return {
        close: async () => {
          if (open.get(folder) === listener) open.delete(folder);
        },
      };
    },
  };
}

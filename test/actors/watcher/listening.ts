// A listener of folders that is heard by the test alone.
import type { Listen } from '../../../actors/watcher/changes.ts';

export interface Ears {
  readonly listen: Listen;
  /** Those that listen now, by folder. */
  readonly open: Map<string, Parameters<Listen>[1]>;
  /** How many listened so far. */
  begun(): number;
}

export function ears(): Ears {
  const open: Ears['open'] = new Map();
  let begun = 0;
  return {
    open,
    begun: () => begun,
    listen: (folder, heard) => {
      begun += 1;
      open.set(folder, heard);
      return {
        close: async () => {
          if (open.get(folder) === heard) open.delete(folder);
        },
      };
    },
  };
}

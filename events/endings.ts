// Files that have ended and are not named in an event yet. States are conflated, the end of a file is not: each one is
// named once, and several in one event where very many end at the same time.
import type { WorkResult } from '../actors/analysis/contract.ts';

export interface Endings {
  add(result: WorkResult): void;
  /** Those to name in the next event, oldest first; empty when none waits. */
  take(): readonly WorkResult[];
  /** All that wait, divided among the last events of a run. */
  rest(): readonly (readonly WorkResult[])[];
}

/** What waits is divided among so many events. */
const EVENTS = 20;
/** Characters of paths in one event: what waits for a slow client stays small. */
const MOST_CHARACTERS = 256 * 1024;

export function createEndings(): Endings {
  let waiting: WorkResult[] = [];
  const cut = (most: number) => {
    let [count, characters] = [0, 0];
    while (count < Math.min(most, waiting.length) && characters < MOST_CHARACTERS)
      characters += waiting[count++]!.path.length;
    const first = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return first;
  };
  const portion = () => Math.ceil(waiting.length / EVENTS);
  return {
    add: (result) => {
      waiting.push(result);
    },
    take: () => cut(portion()),
    rest: () => {
      const most = portion();
      const batches: (readonly WorkResult[])[] = [];
      while (waiting.length > 0) batches.push(cut(most));
      return batches;
    },
  };
}

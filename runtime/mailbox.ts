// A bounded queue with two lanes: `now` (a person waits for the answer) always goes before `later` (ingest).
// The bound holds for each lane, so that a flood of ingest cannot turn searches away. Pure; the caller
// decides what full means.

export type MailboxLane = 'now' | 'later';

interface Mailbox<T> {
  /** False when the lane is full; then nothing was added. */
  offer(lane: MailboxLane, message: T): boolean;
  take(): T | undefined;
  /** Takes up to `most` messages of this kind out of a lane, in their order. */
  takeSome(lane: MailboxLane, isOf: (message: T) => boolean, most: number): T[];
  /** The message that `take` would return. */
  peek(): T | undefined;
  /** Takes one message out of the middle; false when it is not there (any more). */
  remove(message: T): boolean;
  /** Takes everything out, in the order of `take`. */
  drain(): T[];
  readonly size: number;
}

export function createMailbox<T>(capacity: number): Mailbox<T> {
  const lanes = { now: new Set<T>(), later: new Set<T>() };
  const next = () => (lanes.now.size > 0 ? lanes.now : lanes.later);
  const take = (): T | undefined => {
    const lane = next();
    const first = lane.values().next();
    if (first.done) return undefined;
    lane.delete(first.value);
    return first.value;
  };
  return {
    offer: (lane, message) => {
      if (lanes[lane].size >= capacity) return false;
      lanes[lane].add(message);
      return true;
    },
    take,
    takeSome: (lane, isOf, most) => {
      const items: T[] = [];
      for (const message of lanes[lane]) {
        if (items.length >= most) break;
        if (isOf(message)) items.push(message);
      }
      for (const message of items) lanes[lane].delete(message);
      return items;
    },
    peek: () => next().values().next().value,
    remove: (message) => lanes.now.delete(message) || lanes.later.delete(message),
    drain: () => {
      const all = [...lanes.now, ...lanes.later];
      lanes.now.clear();
      lanes.later.clear();
      return all;
    },
    get size() {
      return lanes.now.size + lanes.later.size;
    },
  };
}

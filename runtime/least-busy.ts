// Several actors of one contract behind one reference: a call that takes long in one of them does not hold up
// the next one.
import type { AskName, Contract, FeedItem, FeedName, Reply, Request } from './contract.ts';
import type { AskOptions, FeedOptions, Ref } from './ref.ts';

/**
 * Each call goes to the actor with the fewest calls under way, the first of equals, so that further ones stay
 * idle until they are needed. For messages that need no earlier call. `refs`: at least one.
 */
export function leastBusy<C extends Contract>(name: string, refs: readonly Ref<C>[]): Ref<C> {
  const members = refs.map((ref) => ({ ref, calls: 0 }));
  const next = () => {
    const up = members.filter(({ ref }) => ref.phase !== 'down' && ref.phase !== 'stopping');
    return (up.length > 0 ? up : members).reduce((best, member) =>
      member.calls < best.calls ? member : best,
    );
  };
  return {
    name,
    get phase() {
      return next().ref.phase;
    },
    ask: async <K extends AskName<C>>(message: K, request: Request<C, K>, options?: AskOptions) => {
      const member = next();
      member.calls++;
      try {
        return (await member.ref.ask(message, request, options)) as Reply<C, K>;
      } finally {
        member.calls--;
      }
    },
    feed: async function* <K extends FeedName<C>>(message: K, request: Request<C, K>, options?: FeedOptions) {
      const member = next();
      member.calls++;
      try {
        yield* member.ref.feed(message, request, options) as AsyncGenerator<FeedItem<C, K>>;
      } finally {
        member.calls--;
      }
    },
  };
}

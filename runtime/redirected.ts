// A reference whose questions go another way.
import type { Contract } from './contract.ts';
import type { Ref } from './ref.ts';

/** The same actor, asked by `ask`. */
export function redirected<C extends Contract>(ref: Ref<C>, ask: Ref<C>['ask']): Ref<C> {
  return {
    name: ref.name,
    get phase() {
      return ref.phase;
    },
    ask,
    feed: (name, request, options) => ref.feed(name, request, options),
  };
}

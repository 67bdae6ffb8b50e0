// What the index answers about spans of interrupted work.
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { spanMessages } from './contract.ts';

export function spanHandlers({ folders }: StoreParts): Handlers<Contract<typeof spanMessages>> {
  return {
    kept_spans: ({ cache_dir, span }) =>
      folders.with(cache_dir, (store) => {
        const spans = store.spans.all(span);
        return new Sent({ spans: [...spans] }, { transfer: spans.map(({ bytes }) => bytes.buffer) });
      }),
    keep_span: ({ cache_dir, span, position, bytes }) =>
      folders.with(cache_dir, (store) => {
        store.spans.add(span, position, bytes);
        return {};
      }),
    forget_spans: ({ cache_dir, span }) =>
      folders.with(cache_dir, (store) => {
        store.spans.forget(span);
        return {};
      }),
  };
}

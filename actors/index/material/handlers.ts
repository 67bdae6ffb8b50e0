// What the index answers about material of summaries: read from the store, whether it is loaded or not.
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { readable } from '../store/faults.ts';
import type { StoreParts } from '../store/handlers.ts';
import { vectorPage } from '../store/stored-vectors.ts';
import { sampleVectors } from '../store/vector-sample.ts';
import type { materialMessages } from './contract.ts';
import { peopleIn } from './people-in.ts';

export function materialHandlers({ folders }: StoreParts): Handlers<Contract<typeof materialMessages>> {
  return {
    analysed_by: ({ cache_dir, hashes }) =>
      folders.with(cache_dir, (store) => ({ models: store.visual.storedBy(hashes) })),
    stored_vectors: ({ cache_dir, model_key, hash_str, from, most }) =>
      folders.with(cache_dir, (store) => {
        const page = vectorPage(store.visual, model_key, hash_str, from, most);
        return new Sent(page, {
          transfer: [page.frames.buffer, page.vectors.buffer, page.cuts.buffer],
        });
      }),
    sample_vectors: ({ cache_dir, model_key, most }, turn) =>
      folders.with(cache_dir, (store) => {
        const pause = () => turn.throwIfCancelled();
        const warn = (message: string, fields: Readonly<Record<string, unknown>>) =>
          turn.log.warn(message, fields);
        const sample = sampleVectors(store.visual, model_key, most, { pause, warn });
        return new Sent(sample, { transfer: [sample.vectors.buffer] });
      }),
    people_in: ({ cache_dir, hash_str }, turn) =>
      folders.with(cache_dir, (store) => {
        const people = store.people.clusterings().flatMap((name) => {
          turn.throwIfCancelled();
          const clustered = readable(
            () => store.people.stored.readWith(name, hash_str),
            (error) =>
              turn.log.warn('A face clustering cannot be read and is left out', {
                name,
                reason: error.message,
              }),
          );
          return clustered === null ? [] : peopleIn(clustered, hash_str);
        });
        return { people };
      }),
  };
}

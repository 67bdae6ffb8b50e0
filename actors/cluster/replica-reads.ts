// The index for a worker: it writes into a folder of the job, and what is stored already is looked up in the
// replica, or changed in all of them.
import type { Reply, Request } from '../../runtime/contract.ts';
import { redirected } from '../../runtime/redirected.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';

type Index = Ref<typeof indexContract>;

/** Questions about what is known, whoever found it. */
const lookups: ReadonlySet<string> = new Set<Parameters<Index['ask']>[0]>([
  'known',
  'find',
  'places',
  'previews',
  'alike',
  'stored',
  'results_stored',
  'faces_stored',
  'transcript_marks',
]);

/** `whole`: changes every replica. */
export function lookingIn(index: Index, replica: string, whole: Index): Index {
  return redirected(index, async (name, request, options) => {
    if (name === 'set_edges') return whole.ask(name, { ...request, cache_dir: replica }, options);
    if (!lookups.has(name)) return index.ask(name, request, options);
    const there = await index.ask(name, { ...request, cache_dir: replica }, options);
    if (name !== 'alike') return there;
    // Among two files of one job with one hash, the second is compared with the first.
    const here = (await index.ask('alike', request as Alike, options)).media;
    const localHashes = new Set(here.map(({ identity }) => identity.hash_str));
    const others = (there as Reply<typeof indexContract, 'alike'>).media.filter(
      ({ identity }) => !localHashes.has(identity.hash_str),
    );
    return { media: [...here, ...others] } as never;
  });
}

type Alike = Request<typeof indexContract, 'alike'>;

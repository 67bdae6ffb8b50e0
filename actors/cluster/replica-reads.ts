// The index for a worker: it writes into a folder of the job, and what is stored already is looked up in the
// replica.
import { redirected } from '../../runtime/redirected.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';

type Index = Ref<typeof indexContract>;

/** Questions about what is known, whoever found it. */
const asked: ReadonlySet<string> = new Set<Parameters<Index['ask']>[0]>([
  ...(['known', 'alike', 'stored', 'written_stored', 'things_stored', 'transcript_marks'] as const),
]);

export function lookingIn(index: Index, replica: string): Index {
  return redirected(index, (name, request, options) => {
    const there = asked.has(name) ? { ...request, cache_dir: replica } : request;
    return index.ask(name, there, options);
  });
}

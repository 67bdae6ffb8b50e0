// Sends the message of a compaction until it is done; searches come in between.
import type { Contract } from '../../../runtime/contract.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../contract.ts';
import type { peopleMessages } from '../people/contract.ts';
import type { summaryMessages } from '../summaries/contract.ts';

/** Never rejects: what is not compacted now is by whoever writes next. `signal` stops it. */
export async function compactFacesInSteps(
  index: Ref<Contract<Pick<typeof peopleMessages, 'compact_faces'>>>,
  request: { readonly cache_dir: string; readonly model_key: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    while (!(await index.ask('compact_faces', { ...request }, { signal, lane: 'later' })).done);
  } catch {
    // Stopped, or the index has ended or is too busy.
  }
}

/** The same for what removed summaries take. */
export async function sweepInSteps(
  index: Ref<Contract<Pick<typeof summaryMessages, 'sweep_summaries'>>>,
  cache_dir: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    while (!(await index.ask('sweep_summaries', { cache_dir }, { signal, lane: 'later' })).done);
  } catch {
    // Stopped, or the index has ended or is too busy.
  }
}

/** Everything that can be freed in a folder. Throws what keeps it from being read. */
export async function tidyInSteps(
  index: Ref<typeof indexContract>,
  cache_dir: string,
  signal: AbortSignal,
): Promise<void> {
  const { face_models } = await index.ask('held_models', { cache_dir }, { signal });
  for (const { model_key } of face_models) await compactFacesInSteps(index, { cache_dir, model_key }, signal);
  await sweepInSteps(index, cache_dir, signal);
}

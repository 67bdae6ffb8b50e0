// How search asks the actors: in the `now` lane, ahead of an ingest.
import type { CallOptions } from '../../runtime/ref.ts';

export function now(signal: AbortSignal | undefined): CallOptions {
  return { lane: 'now', signal };
}

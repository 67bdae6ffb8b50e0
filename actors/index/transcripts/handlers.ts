// What the index answers about transcripts: stored, read and named.
import type { Handlers } from '../../../runtime/actor.ts';
import { type indexContract, storeErrors, type Transcript, type TranscriptMark } from '../contract.ts';
import type { Store } from '../store/store.ts';

type Contract = typeof indexContract;
type Asks = 'transcribed' | 'transcribe' | 'transcript_marks' | 'transcripts' | 'name_speakers';

/** The stores that are open. */
export interface Opened {
  with<T>(folder: string, use: (store: Store) => T): Promise<T>;
}

export function transcriptHandlers(opened: Opened): Pick<Handlers<Contract>, Asks> {
  return {
    transcribed: ({ cache_dir, hashes }) =>
      opened.with(cache_dir, (store) => ({ transcribed: store.transcripts.stored(hashes) })),
    transcribe: ({ cache_dir, media, mark, segments }) =>
      opened.with(cache_dir, (store) => {
        store.transcripts.store(media, mark, segments);
        return {};
      }),
    // A damaged transcript has no mark, so that it is made again.
    transcript_marks: ({ cache_dir, hashes }, turn) =>
      opened.with(cache_dir, (store) => {
        const marks: (TranscriptMark | null)[] = [];
        for (const hash of hashes) {
          turn.throwIfCancelled();
          marks.push(
            readable(
              () => store.transcripts.columns(hash)?.mark ?? null,
              () => {},
            ),
          );
        }
        return { marks };
      }),
    transcripts: ({ cache_dir, hashes }, turn) =>
      opened.with(cache_dir, (store) => {
        store.requireFolder();
        const transcripts: (Transcript | null)[] = [];
        const unreadable = new Set<string>();
        for (const hash of hashes) {
          turn.throwIfCancelled();
          const broken = (error: Error) => {
            turn.log.warn('A transcript cannot be read', { hash, reason: error.message });
            unreadable.add(hash);
          };
          transcripts.push(readable(() => store.transcripts.transcript(hash), broken));
        }
        return { transcripts, unreadable: [...unreadable] };
      }),
    name_speakers: ({ cache_dir, hash_str, assignments }) =>
      opened.with(cache_dir, (store) => ({ names: { ...store.transcripts.name(hash_str, assignments) } })),
  };
}

/** Null for what is damaged; `broken` is told. */
export function readable<T>(read: () => T, broken: (error: Error) => void): T | null {
  try {
    return read();
  } catch (error) {
    if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    broken(error);
    return null;
  }
}

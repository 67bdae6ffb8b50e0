// What the index answers about the library as a whole: what there is, what is taken out, what moves.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { Folders } from '../folders.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { libraryMessages } from './contract.ts';

export interface LibraryParts {
  readonly folders: Folders;
  readonly visual: VisualIndex;
  readonly transcripts: TranscriptIndex;
}

export function libraryHandlers({
  folders,
  visual,
  transcripts,
}: LibraryParts): Handlers<Contract<typeof libraryMessages>> {
  /** At once: what was removed is not found by the next search. */
  const follow = (store: Store) => {
    visual.follow(store);
    transcripts.follow(store);
  };
  return {
    held_media: ({ cache_dir, ...page }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return store.holdings.list(page, () => turn.throwIfCancelled());
      }),
    held_models: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { models: store.holdings.models() };
      }),
    remove_media: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        const pause = () => turn.throwIfCancelled();
        const removed = store.remove(hashes, pause);
        follow(store);
        return { removed };
      }),
    move_paths: ({ cache_dir, moves }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        const stayed = store.move(moves);
        follow(store);
        return { stayed };
      }),
  };
}

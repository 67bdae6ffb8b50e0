// What the index answers about the library as a whole: what there is, what is taken out, what moves.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { libraryMessages } from './contract.ts';
import { countsBelow, rootsOf } from './places.ts';

export function libraryHandlers({ folders }: StoreParts): Handlers<Contract<typeof libraryMessages>> {
  return {
    held_media: ({ cache_dir, ...page }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return store.holdings.list(page, () => turn.throwIfCancelled());
      }),
    held_files: ({ cache_dir, files }, turn) =>
      folders.with(cache_dir, (store) => ({
        files: store.holdings.files(files, () => turn.throwIfCancelled()),
      })),
    held_below: ({ cache_dir, within, names }, turn) =>
      folders.with(cache_dir, (store) => {
        const known = store.paths.all(() => turn.throwIfCancelled());
        const isAnalysed = store.holdings.isAnalysed(() => turn.throwIfCancelled());
        return { counts: countsBelow(known, within, names, isAnalysed) };
      }),
    held_roots: ({ cache_dir }, turn) =>
      folders.with(cache_dir, (store) => {
        const pause = () => turn.throwIfCancelled();
        return { roots: rootsOf(store.paths.all(pause), store.holdings.isAnalysed(pause)) };
      }),
    held_models: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { models: store.holdings.models(), face_models: store.holdings.faceModels() };
      }),
    remove_media: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return store.remove(hashes, () => turn.throwIfCancelled());
      }),
    move_paths: ({ cache_dir, moves }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { stayed: store.move(moves) };
      }),
  };
}

// What the index answers about the media of a folder.
import { resolve } from 'node:path';
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { Folders } from '../folders.ts';
import type { storeMessages } from './contract.ts';
import { baseHash } from './names.ts';

export interface StoreParts {
  readonly folders: Folders;
}

export function storeHandlers({ folders }: StoreParts): Handlers<Contract<typeof storeMessages>> {
  return {
    known: ({ cache_dir, path, ...mark }) =>
      folders.with(cache_dir, (store) => store.media.known(path, mark)),
    remember: ({ cache_dir, media }) =>
      folders.with(cache_dir, (store) => {
        store.media.remember(media);
        return {};
      }),
    find: ({ cache_dir, paths, hashes }) =>
      folders.with(cache_dir, (store) => ({
        by_path: paths.map((path) => store.media.byPath(path)),
        by_hash: hashes.map((hash) => store.media.byHash(hash)),
      })),
    alike: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => ({ media: store.media.alike(baseHash(hash_str)) })),
    paths: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => ({ paths: store.paths.of(hashes, () => turn.throwIfCancelled()) })),
    held: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => store.held(hash_str, resolve(cache_dir))),
    open: ({ cache_dir, was_there = false }) =>
      folders.with(cache_dir, (store) => {
        if (was_there) store.requireFolder();
        store.requireReadable();
        return {};
      }),
    media: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => {
        store.requireReadable();
        return { media: store.media.all() };
      }),
  };
}

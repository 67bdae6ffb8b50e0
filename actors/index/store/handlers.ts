// Handlers about the media of a folder, spans of interrupted work and the peaks of sound.
import { resolve } from 'node:path';
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { IndexFolders } from '../folders.ts';
import type { MediaRecord, peakMessages, spanMessages, storeMessages } from './contract.ts';
import { readable } from './faults.ts';
import { baseHash } from './names.ts';
import { keepPeaks, keptPeaks } from './peaks.ts';

export interface StoreParts {
  readonly folders: IndexFolders;
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
    places: ({ cache_dir, hashes, paths }, turn) =>
      folders.with(cache_dir, ({ media, paths: contentPaths }) => {
        const contents = contentPaths
          .of(hashes, () => turn.throwIfCancelled())
          .map((all, i) => ({ last: readable(() => media.byHash(hashes[i]!))?.path ?? null, paths: all }));
        const seenAt = contents.flatMap((content) =>
          content.last === null ? content.paths : [...content.paths, content.last],
        );
        const all = new Set([...paths, ...seenAt]);
        return {
          contents,
          records: Array.from(all, (path): [string, MediaRecord | null] => [
            path,
            readable(() => media.byPath(path)),
          ]),
        };
      }),
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

// Handlers about spans of interrupted work.

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

// Handlers about the peaks of sound.

export function peakHandlers({ folders }: StoreParts): Handlers<Contract<typeof peakMessages>> {
  return {
    kept_peaks: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => {
        store.requireReadable();
        const peaks = keptPeaks(store.folder, hash_str);
        return new Sent({ peaks }, { transfer: peaks === null ? [] : [peaks.values.buffer] });
      }),
    keep_peaks: ({ cache_dir, hash_str, peaks }, turn) =>
      folders.with(cache_dir, (store) => {
        if (store.media.byHash(hash_str) === null) return { stored: false };
        try {
          keepPeaks(store.folder, hash_str, peaks);
          return { stored: true };
        } catch (error) {
          turn.log.warn('the peaks of a sound cannot be kept', { hash: hash_str, error });
          return { stored: false };
        }
      }),
  };
}

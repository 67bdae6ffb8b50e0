// The coordinator of the library: lists what is stored, forgets media and moves paths, beside the tasks that run.
import type { HeldMedia } from '../index/library/contract.ts';
import type { Library, LibraryMedia } from './contract.ts';
import { diskUse } from './disk.ts';
import { forget } from './forget.ts';
import { FailedWork } from './listing/failures.ts';
import { Folders, systemDisk } from './listing/folder-names.ts';
import { listFolder } from './listing/list-folder.ts';
import { move } from './move.ts';
import type { LibraryParts } from './parts.ts';
import { prune } from './prune.ts';

export function createLibrary(parts: LibraryParts): Library {
  const failed = new FailedWork(parts.tasks, Date.now);
  const listing = { index: parts.index, disk: systemDisk, folders: new Folders(Date.now), failed };
  return {
    folder: (request, signal) => listFolder(listing, request, signal),
    list: async ({ cache_dir, under, offset, limit }, signal) => {
      const asked = { cache_dir, under, offset, limit };
      const { total, media } = await parts.index.ask('held_media', asked, { signal, group: 'now' });
      return { total, offset, limit, media: media.map(shown) };
    },
    forget: (request, signal) => forget(parts, request, signal),
    prune: (request, signal) => prune(parts, request, signal),
    disk: (cacheDir, signal) => diskUse(parts, cacheDir, signal),
    move: (request, signal) => move(parts, request, signal),
  };
}

function shown({ path, volume: _, visual, faces, transcript, ...media }: HeldMedia): LibraryMedia {
  return {
    media_path: path,
    ...media,
    visual: visual.map(({ stored_ms, ...stage }) => ({ ...stage, stored: seconds(stored_ms) })),
    faces: faces.map(({ stored_ms, ...found }) => ({ ...found, stored: seconds(stored_ms) })),
    transcript: transcript && storedIn(transcript),
  };
}

function storedIn({ stored_ms, ...transcript }: NonNullable<HeldMedia['transcript']>) {
  return { ...transcript, stored: seconds(stored_ms) };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

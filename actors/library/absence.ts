// Whether a file is gone, or only out of reach: a drive that is away must not look like footage that was deleted.
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMounted, mountFolders } from '../index/store/volume.ts';

/** `there`, `gone`, or why nobody can tell. */
export type Presence = 'there' | 'gone' | { readonly unknown: string };

/** Devices of files that are there, for paths of which no volume is known. */
export type Witnesses = ReadonlySet<number>;

/** The device of a file; null when it is not there. Any other reason is thrown. */
export async function deviceAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).dev;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** `volume`: where its volume was mounted when the file was last seen; null when that is not known. */
export async function presenceOf(
  path: string,
  volume: string | null,
  witnesses: Witnesses,
): Promise<Presence> {
  try {
    if ((await deviceAt(path)) !== null) return 'there';
    if (volume !== null) {
      return (await isMounted(volume)) ? 'gone' : { unknown: `the volume ${volume} is not mounted` };
    }
    return await withoutVolume(path, witnesses);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { unknown: `it cannot be accessed (${code})` };
  }
}

/** What an earlier version stored says nothing of volumes: then only what is certain counts as gone. */
async function withoutVolume(path: string, witnesses: Witnesses): Promise<Presence> {
  const folder = await nearestFolder(path);
  if (folder === null || mountFolders.test(folder)) {
    return { unknown: `its drive may be disconnected: only ${folder ?? path} exists of its path` };
  }
  if ((await readdir(folder)).length === 0) {
    return { unknown: `its drive may be disconnected: ${folder} is empty` };
  }
  const device = await deviceAt(folder);
  if (device !== null && witnesses.has(device)) return 'gone';
  return {
    unknown: `its drive may be disconnected: no other file of the library is on the disk of ${folder}`,
  };
}

async function nearestFolder(path: string): Promise<string | null> {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((await deviceAt(at)) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

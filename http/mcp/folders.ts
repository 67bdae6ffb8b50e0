// The media files of paths that an assistant names: a folder stands for all media in it.
import type { FolderPage } from '../../actors/library/listing/contract.ts';
import { ApiError } from '../client/error.ts';
import type { Call } from './tool.ts';

/** Folders and files of a page. */
const PAGE = 1_000;
/** Folders that are looked into. */
const MOST_FOLDERS = 20_000;

/**
 * Absolute, each once, in the same order each time: those after the first `start`. `left`: there are more
 * than `most`.
 */
export async function mediaUnder(
  paths: readonly string[],
  { start, most }: { readonly start: number; readonly most: number },
  call: Call,
): Promise<{ readonly files: string[]; readonly left: boolean }> {
  const end = start + most;
  const files = new Set<string>();
  const folders = new Set<string>();
  // Without links, which may lead back to a folder above.
  const seen = new Set<string>();
  for (const path of paths) {
    const page = await pageOf(path, 0, call);
    if (page === null) files.add(path);
    else folders.add(path);
  }
  // A set is walked in the order of insertion, what is added meanwhile too.
  for (const folder of folders) {
    for (let offset = 0; files.size <= end; offset += PAGE) {
      const page = await pageOf(folder, offset, call);
      const real = page?.real_path ?? folder;
      if (page === null || (offset === 0 && seen.has(real))) break;
      seen.add(real);
      for (const { media_path } of page.files) files.add(media_path);
      for (const { path } of page.folders) if (folders.size < MOST_FOLDERS) folders.add(path);
      if (offset + PAGE >= page.total) break;
    }
  }
  return { files: [...files].slice(start, end), left: files.size > end };
}

/** Null for what is no folder: the analysis says what is wrong with it. */
async function pageOf(
  folder: string,
  offset: number,
  { client, cacheDir, callOptions }: Call,
): Promise<FolderPage | null> {
  try {
    return await client.listMedia({ cache_dir: cacheDir, folder, offset, limit: PAGE }, callOptions);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return null;
    throw error;
  }
}

// Finds the media files of the paths a person names. A file named outright is always taken; in folders only
// files with the ending of a media format are.
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { analysisErrors } from '../actors/analysis/contract.ts';
import { mediaErrors } from '../actors/decoder/contract.ts';
import { isMediaName } from '../actors/decoder/media-names.ts';
import { isWatchedFile, isWatchedFolder } from '../actors/watcher/exclusions.ts';
import { codeOf, type EngineError, engineErrors } from '../runtime/errors.ts';
import { isTooWide, systemFolders } from '../runtime/files/folder.ts';
import { spelledOnDisk } from '../runtime/files/spelling.ts';
import { isGarbled, nameOf } from '../runtime/files/utf8-name.ts';

export interface MediaFiles {
  /** Absolute, sorted within each folder, each file once. */
  readonly files: string[];
  readonly failures: { readonly path: string; readonly error: EngineError }[];
}

/**
 * Entries that watching leaves out and `skip` (the analysis folder) are left out. A link that watching does
 * not follow, because it leads to a folder above or to a whole volume, is reported.
 */
export async function findMedia(
  paths: readonly string[],
  skip: string,
  signal?: AbortSignal,
): Promise<MediaFiles> {
  const media: MediaFiles = { files: [], failures: [] };
  const visited = new Set<string>();
  const named = await spelledOnDisk(paths.map((path) => resolve(path)));
  for (const path of named) await visit(path, true, [], media, visited, resolve(skip), signal);
  return media;
}

async function visit(
  path: string,
  named: boolean,
  above: readonly string[],
  media: MediaFiles,
  visited: Set<string>,
  skip: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) throw engineErrors.CANCELLED();
  if (path === skip) return;
  try {
    const real = await realpath(path);
    const entry = await stat(real);
    if (!entry.isDirectory()) {
      if (!named && (!entry.isFile() || !isWatchedFile(basename(path)))) return;
      if (!visited.has(real)) media.files.push(path);
      visited.add(real);
      return;
    }
    if (!named && !isWatchedFolder(basename(path))) return;
    if (above.includes(real)) throw analysisErrors.LINK_LOOP(`${path}: links back to ${real}`, { path });
    if (visited.has(real)) return;
    const [root] = above;
    if (
      root !== undefined &&
      real !== join(above.at(-1)!, basename(path)) &&
      isTooWide(real, root, systemFolders)
    ) {
      const why = `links to ${real}, which holds more than this folder; name it to analyse it, too`;
      throw analysisErrors.LINK_LOOP(`${path}: ${why}`, { path });
    }
    visited.add(real);
    const { names, garbled } = await namesIn(real);
    for (const name of garbled) media.failures.push(notUtf8(join(path, name)));
    for (const name of names)
      await visit(join(path, name), false, [...above, real], media, visited, skip, signal);
  } catch (error) {
    if (engineErrors.CANCELLED.is(error)) throw error;
    // A dangling link or a file that went away inside a folder is a failure of that entry only.
    const garbled = codeOf(error) === 'ENOENT' && (await isGarbled(path));
    media.failures.push(garbled ? notUtf8(path) : { path, error: asFailure(path, error) });
  }
}

/**
 * Hidden entries are left out. `garbled`: folders and media whose names are not UTF-8, as far as they can be
 * read.
 */
async function namesIn(folder: string): Promise<{ names: string[]; garbled: string[] }> {
  const [names, garbled]: [string[], string[]] = [[], []];
  for (const entry of await readdir(folder, { encoding: 'buffer', withFileTypes: true })) {
    const name = nameOf(entry.name);
    const text = entry.name.toString();
    if (text.startsWith('.')) continue;
    if (name !== null) names.push(name);
    else if (entry.isDirectory() || isMediaName(text)) garbled.push(text);
  }
  return { names: names.sort(), garbled: garbled.sort() };
}

function notUtf8(path: string): MediaFiles['failures'][number] {
  const what = 'its name or the name of a folder above it is not valid UTF-8; rename it';
  return { path, error: mediaErrors.NAME_NOT_UTF8(`${path}: ${what}`, { path }) };
}

function asFailure(path: string, error: unknown): EngineError {
  if (analysisErrors.LINK_LOOP.is(error)) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ENOENT') return mediaErrors.FILE_NOT_FOUND(`${path}: file not found`, { path }, error);
  if (code === 'ELOOP') return analysisErrors.LINK_LOOP(`${path}: too many symbolic links`, { path }, error);
  return analysisErrors.FOLDER_UNREADABLE(
    `${path}: cannot be read (${code || String(error)})`,
    { path },
    error,
  );
}

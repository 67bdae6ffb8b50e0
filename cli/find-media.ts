// Finds the media files of the paths a person names. A file named outright is always taken; in folders only files with
// the extension of a media format are, so that notes and project files beside films cause no errors.
import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { analysisErrors } from '../actors/analysis/contract.ts';
import { mediaErrors } from '../actors/decoder/contract.ts';
import { type EngineError, engineErrors } from '../runtime/errors.ts';

const stills = new Set('jpg jpeg jpe png webp tif tiff gif avif heic heif bmp jp2'.split(' '));
const others = new Set(
  (
    'mp4 m4v mov mkv webm avi mxf ts m2ts mts mpg mpeg vob flv wmv asf 3gp 3g2 ogv dv f4v mjpeg gxf ' +
    'wav mp3 m4a aac flac ogg oga opus aif aiff wma ac3 mka caf'
  ).split(' '),
);

export function isMediaName(name: string): boolean {
  return isStillName(name) || others.has(endingOf(name));
}

export function isStillName(name: string): boolean {
  return stills.has(endingOf(name));
}

function endingOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}

export interface Found {
  /** Absolute, sorted within each folder, each file once. */
  readonly files: string[];
  readonly failures: { readonly path: string; readonly error: EngineError }[];
}

/** Hidden entries and `skip` (the analysis folder) are left out; a link that leads back into its own folders is reported. */
export async function findMedia(
  paths: readonly string[],
  skip: string,
  signal?: AbortSignal,
): Promise<Found> {
  const found: Found = { files: [], failures: [] };
  const seen = new Set<string>();
  for (const path of paths) await visit(resolve(path), true, [], found, seen, resolve(skip), signal);
  return found;
}

async function visit(
  path: string,
  named: boolean,
  above: readonly string[],
  found: Found,
  seen: Set<string>,
  skip: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) throw engineErrors.CANCELLED();
  if (path === skip) return;
  try {
    const real = await realpath(path);
    const entry = await stat(real);
    if (!entry.isDirectory()) {
      if (!named && (!entry.isFile() || !isMediaName(path))) return;
      if (!seen.has(real)) found.files.push(path);
      seen.add(real);
      return;
    }
    if (above.includes(real)) throw analysisErrors.LINK_LOOP(`${path}: leads back to ${real}`, { path });
    if (seen.has(real)) return;
    seen.add(real);
    const names = (await readdir(real)).filter((name) => !name.startsWith('.')).sort();
    for (const name of names)
      await visit(join(path, name), false, [...above, real], found, seen, skip, signal);
  } catch (error) {
    if (engineErrors.CANCELLED.is(error)) throw error;
    // A dangling link or a file that went away inside a folder is a failure of that entry only.
    found.failures.push({ path, error: asFailure(path, error) });
  }
}

function asFailure(path: string, error: unknown): EngineError {
  if (analysisErrors.LINK_LOOP.is(error)) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ENOENT') return mediaErrors.FILE_NOT_FOUND(`${path}: there is no such file`, { path }, error);
  if (code === 'ELOOP') return analysisErrors.LINK_LOOP(`${path}: too many links`, { path }, error);
  return analysisErrors.FOLDER_UNREADABLE(
    `${path}: cannot be read (${code || String(error)})`,
    { path },
    error,
  );
}

// What an analysis folder and the models take on the disk, by kind.
import { readdir, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Reply } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import type { indexContract } from '../index/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import { facePackFile, packFile } from '../index/store/names.ts';
import { mostOfPage, type SummaryName } from '../index/summaries/contract.ts';
import type { DiskAnswer } from './contract.ts';
import type { LibraryParts } from './parts.ts';

/** Folders of what is being written, and of what is kept of interrupted work. */
const unfinished = ['parts', 'spans'];

interface FileSize {
  /** From the folder that was looked at, with `/`. */
  readonly name: string;
  readonly bytes: number;
}

export async function diskUse(
  { index, modelsFolder }: LibraryParts,
  cache_dir: string,
  signal: AbortSignal,
): Promise<DiskAnswer> {
  const { models, face_models } = await index.ask('held_models', { cache_dir }, { signal });
  const summaries = await summaryUse(index, cache_dir, signal);
  const own = ['vectors', 'previews', 'people', 'peaks', 'proxies', ...unfinished];
  const nested = await Promise.all(own.map((name) => sizesIn(cache_dir, signal, name)));
  const files = [...(await recordFiles(cache_dir)), ...nested.flat()];
  const sum = (wanted: (name: string) => boolean) =>
    files.reduce((total, { name, bytes }) => (wanted(name) ? total + bytes : total), 0);
  const { bavail, bsize } = await statfs(cache_dir).catch(unreadable(cache_dir));
  const downloaded = await sizesIn(modelsFolder, signal);
  return {
    analysis: {
      folder: cache_dir,
      bytes: sum(() => true),
      records_bytes: sum((name) => name.startsWith('records.mdb')),
      vectors_bytes: sum((name) => name.startsWith('vectors/')),
      people_bytes: sum((name) => name.startsWith('people/')),
      previews_bytes: sum((name) => name.startsWith('previews/')),
      peaks_bytes: sum((name) => name.startsWith('peaks/')),
      proxies_bytes: sum((name) => name.startsWith('proxies/')),
      unfinished_bytes: sum((name) => unfinished.some((folder) => name.startsWith(`${folder}/`))),
      models: models.map(({ model_key, rows, dead }) => {
        const prefix = `vectors/${basename(packFile(cache_dir, model_key, 0, 8)).slice(0, -'0.v8'.length)}`;
        const bytes = sum(
          (name) => name.startsWith(prefix) && /^\d+\.v(8|16)$/.test(name.slice(prefix.length)),
        );
        return { model_key, vectors: rows, dead_vectors: dead, bytes };
      }),
      face_models: face_models.map(({ model_key, rows, dead }) => {
        const file = basename(facePackFile(cache_dir, model_key, 0, 'v16')).slice(0, -'0.v16'.length);
        const prefix = `people/${file}`;
        const bytes = sum(
          (name) => name.startsWith(prefix) && /^\d+\.(v16|crops)$/.test(name.slice(prefix.length)),
        );
        return { model_key, faces: rows, dead_faces: dead, bytes };
      }),
      summaries,
    },
    models: {
      folder: modelsFolder,
      bytes: downloaded.reduce((total, { bytes }) => total + bytes, 0),
    },
    free_bytes: bavail * bsize,
  };
}

/** Added up a page at a time, so that a search comes in between. */
async function summaryUse(
  index: LibraryParts['index'],
  cache_dir: string,
  signal: AbortSignal,
): Promise<DiskAnswer['analysis']['summaries']> {
  const total = { count: 0, nodes: 0, bytes: 0 };
  let after: SummaryName | null = null;
  do {
    const page: Reply<typeof indexContract, 'count_summaries'> = await index.ask(
      'count_summaries',
      { cache_dir, after, limit: mostOfPage },
      { signal },
    );
    total.count += page.summaries;
    total.nodes += page.nodes;
    total.bytes += page.bytes;
    after = page.next;
  } while (after !== null);
  return total;
}

async function recordFiles(folder: string): Promise<FileSize[]> {
  const names = ['records.mdb', 'records.mdb-lock', 'records.mdb-spare'];
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return names.flatMap((name, i) => {
    const bytes = sizes[i];
    return typeof bytes === 'number' ? [{ name, bytes }] : [];
  });
}

/** Every file of a folder, links not followed; none of a folder that is not there. */
async function sizesIn(folder: string, signal: AbortSignal, below = ''): Promise<FileSize[]> {
  if (signal.aborted) throw engineErrors.CANCELLED();
  const within = join(folder, below);
  const entries = await readdir(within, { withFileTypes: true }).catch(absent([])).catch(unreadable(within));
  const found: FileSize[] = [];
  for (const entry of entries) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await sizesIn(folder, signal, name)));
    else if (entry.isFile()) {
      const bytes = await sizeOf(join(folder, name));
      if (bytes !== null) found.push({ name, bytes });
    }
  }
  return found;
}

/** Null when it is not there: a writer may have replaced it since it was listed. */
async function sizeOf(file: string): Promise<number | null> {
  return stat(file)
    .then(({ size }) => size)
    .catch(absent(null))
    .catch(unreadable(file));
}

function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return value;
  };
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw storeErrors.STORE_UNAVAILABLE(`${path} cannot be read (${reason})`, { path }, error);
  };
}

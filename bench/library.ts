// An analysis folder of a hundred hours, written through the store: synthetic vectors, and previews of
// realistic size for the frames that the given queries find. Its films exist as empty files.
import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modifiedMs } from '../actors/decoder/contract.ts';
import type { MediaRecord } from '../actors/index/store/contract.ts';
import { Store } from '../actors/index/store/store.ts';
import { sized } from './size.ts';
import { footageMaker, seeded } from './vectors.ts';

export interface Library {
  readonly cacheDir: string;
  readonly paths: readonly string[];
}

const FILMS = 100;
export const FRAMES = sized(3600, 128);
const BATCH = 64;
/** Bytes of a preview of 640 px, and of one that no query returns. */
const PREVIEW = 20_000;
const STAND_IN = 200;

/**
 * In each film one minute resembles the queries, eight seconds each, so that fifty matches lie in fifty
 * films. `queries`: vectors of length 1.
 */
export async function writeLibrary(
  folder: string,
  modelKey: string,
  queries: readonly Float32Array[],
): Promise<Library> {
  const films = join(folder, 'footage');
  mkdirSync(films, { recursive: true });
  const cacheDir = join(folder, 'analysis');
  const paths = Array.from({ length: FILMS }, (_, i) => join(films, `film-${i}.mp4`));
  const dimensions = queries[0]!.length;
  const make = footageMaker(dimensions);
  const random = seeded(11);
  const noise = Uint8Array.from({ length: 1 << 20 }, () => (random() + 0.5) * 256);
  /** Random bytes: as incompressible as a JPEG, and different each time. */
  const preview = (bytes: number) => {
    const from = Math.floor((random() + 0.5) * (noise.length - bytes));
    return noise.subarray(from, from + bytes);
  };
  const store = new Store(cacheDir);
  const batch = new Float32Array(BATCH * dimensions);
  for (const [film, path] of paths.entries()) {
    writeFileSync(path, '');
    const stage = store.begin(hashOf(path), modelKey, dimensions);
    const targetBatch = Math.floor((random() + 0.5) * (FRAMES / BATCH - 1));
    for (let first = 0; first < FRAMES; first += BATCH) {
      const count = Math.min(BATCH, FRAMES - first);
      const isFound = first === targetBatch * BATCH;
      for (let i = 0; i < count; i++) {
        const vector = batch.subarray(i * dimensions, (i + 1) * dimensions);
        make(vector);
        if (isFound) bend(vector, queries[((i >> 3) + film) % queries.length]!);
      }
      const frames = Array.from({ length: count }, (_, i) => first + i);
      const previews = frames.map(() => preview(isFound ? PREVIEW : STAND_IN));
      store.append(stage, {
        frames: frames,
        vectors: batch.subarray(0, count * dimensions),
        previews: previews,
      });
    }
    store.commit(stage, recordOf(path));
  }
  await store.close();
  return { cacheDir, paths };
}

/** Adds the query and normalises: near the query, and still different from the others. */
function bend(vector: Float32Array, query: Float32Array): void {
  let sum = 0;
  for (const [k, value] of query.entries()) {
    vector[k]! += value;
    sum += vector[k]! ** 2;
  }
  for (let k = 0; k < vector.length; k++) vector[k]! /= Math.sqrt(sum);
}

export function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 32);
}

function recordOf(path: string): MediaRecord {
  const stats = statSync(path, { bigint: true });
  const identity = {
    hash_str: hashOf(path),
    size_bytes: 0,
    mtime_ms: modifiedMs(stats),
    inode: String(stats.ino),
  };
  return {
    path,
    identity,
    probe: {
      kind: 'video',
      container: 'mp4',
      size_bytes: 0,
      duration_seconds: FRAMES,
      grid_frames: FRAMES,
      width: 1920,
      height: 1080,
      video: {
        index: 0,
        codec: 'h264',
        profile: 'High',
        coded_width: 1920,
        coded_height: 1080,
        pixel_aspect: { num: 1, den: 1 },
        rotation: 0,
        pixel_format: 'yuv420p',
        bit_depth: 8,
        color_space: 'bt709',
        color_transfer: 'bt709',
        color_primaries: 'bt709',
        hdr: false,
        frame_rate: { num: 25, den: 1 },
        bit_rate: null,
      },
      audio: [],
      subtitles: [],
      timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } },
      creation_date: null,
      camera_make: null,
      camera_model: null,
      location: null,
    },
  };
}

// Strips of pictures of scenes, for scrubbing: asked for when a tile is pointed at for a moment, the latest ones kept.
import { useEffect, useState } from 'preact/hooks';
import { api, isAbort } from '../../api.ts';
import { createBounded } from '../../bounded.ts';
import { get } from '../../store.ts';
import { fullClock } from '../../times.ts';
import type { Found } from './moment.ts';

const KEPT = 60;
const POINTED_MS = 120;

export interface Strip {
  /** Addresses for an `img`, in order. */
  readonly pictures: readonly string[];
  readonly seconds: readonly number[];
}

const kept = createBounded<Strip>(KEPT);

/** Null until it is there, and for what has none. */
export function useStrip(moment: Found, isPointed: boolean): Strip | null {
  const { hash_str, start_seconds, end_seconds } = moment;
  const key = `${hash_str} ${start_seconds} ${end_seconds}`;
  const [strip, setStrip] = useState<Strip | null>(null);
  useEffect(() => {
    if (!isPointed || moment.kind !== 'video') return;
    const known = kept.get(key);
    if (known) return setStrip(known);
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      load(moment, aborter.signal).then(
        (loaded) => {
          kept.set(key, loaded);
          if (!aborter.signal.aborted) setStrip(loaded);
        },
        (error: unknown) => {
          // A strip is an extra: the picture of the moment stays.
          if (!isAbort(error)) setStrip(null);
        },
      );
    }, POINTED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key, isPointed]);
  return isPointed ? strip : null;
}

async function load(
  { hash_str, media_path, start_seconds, end_seconds }: Found,
  signal: AbortSignal,
): Promise<Strip> {
  const input = {
    cache_dir: get().folder.cache_dir!,
    media_path,
    hash_str,
    start_time: fullClock(start_seconds),
    end_time: fullClock(Math.max(start_seconds, end_seconds)),
    max_size: 320,
  };
  const { scene_thumbnails } = await api.sceneThumbnails(input, { signal });
  const pairs = scene_thumbnails ?? [];
  return {
    pictures: pairs.map(([picture]) => `data:image/jpeg;base64,${picture}`),
    seconds: pairs.map(([, time]) => time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)),
  };
}

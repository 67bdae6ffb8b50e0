// Adds to how sure matches are where in the picture the things are that they show.
import type { Track } from '../../things/tracks.ts';
import { now } from '../call-options.ts';
import type { Explanation } from './contract.ts';
import type { QueryParts } from './query-vectors.ts';
import type { SeenThings, ThingQuery } from './thing-finder.ts';

interface Frame {
  readonly hash_str: string;
  readonly frame_index: number;
}
type Explain<F extends Frame> = (frames: readonly F[]) => Promise<Explanation[]>;

/** `seen.found`: null where nothing was looked for in what detectors have seen. */
export function withSeenThings<F extends Frame>(
  { index }: Pick<QueryParts, 'index'>,
  cache_dir: string,
  seen: Pick<ThingQuery, 'terms'> & { readonly found: SeenThings | null },
  explain: Explain<F>,
  signal: AbortSignal | undefined,
): Explain<F> {
  return async (frames) => {
    const explained = await explain(frames);
    if (seen.found === null || frames.length === 0) return explained;
    const frameKeys = frames.map(({ hash_str, frame_index }) => ({ hash_str, frame_index }));
    const request = { cache_dir, terms: [...seen.terms], frames: frameKeys };
    const { seen: tracks } = await index.ask('things_at', request, now(signal));
    return explained.map(({ band, parts }, i) => {
      const boxes = tracks[i]!.map(boxOf);
      const isSeen = boxes.length > 0;
      return { band, parts: parts.map((one) => (one.part === 'things' && isSeen ? { ...one, boxes } : one)) };
    });
  };
}

function boxOf({ start, end, class: name, score, box }: Track) {
  return { class: name, score, box, start_seconds: start, end_seconds: end };
}

// What the checks of a request ask of the analysis folder, before anything is started.
import type { Analysis } from '../contract.ts';
import { analysisErrors } from '../contract.ts';
import type { MediaProperties } from '../media/contract.ts';
import { plainPath, type StoredMedia } from '../request.ts';

type Asked = Pick<Analysis, 'properties' | 'hasGone' | 'summaryNames' | 'collections'>;

interface Request {
  readonly cache_dir: string;
  readonly visual_media_paths: readonly string[];
  readonly force: boolean;
}

export function storedMedia(
  { cache_dir, visual_media_paths, force }: Request,
  analysis: Asked,
  signal: AbortSignal,
): StoredMedia {
  const asked = new Set(visual_media_paths.map(plainPath));
  return {
    redoes: force,
    analysed: async (paths) => {
      const others = [...new Set(paths.filter((path) => !asked.has(path)))];
      if (others.length === 0) return asked;
      const known = await analysedBefore(cache_dir, others, analysis, signal);
      return new Set([...asked, ...known]);
    },
    summaryNames: (paths) => analysis.summaryNames(cache_dir, paths, signal),
    collections: () => analysis.collections(cache_dir, signal),
  };
}

/** Also sound, which has no pictures, and files that are gone, of which pictures are stored. */
async function analysedBefore(
  cache_dir: string,
  media_paths: readonly string[],
  analysis: Asked,
  signal: AbortSignal,
): Promise<string[]> {
  const { media_properties } = await analysis
    .properties({ cache_dir, media_paths, model_key: null }, signal)
    .catch((error: unknown) => {
      // None of them can be read: then none of them is there.
      if (analysisErrors.NO_MEDIA.is(error)) return { media_properties: {} };
      throw error;
    });
  const known: Readonly<Record<string, Pick<MediaProperties, 'video_cached' | 'kind'>>> = media_properties;
  const analysed: string[] = [];
  for (const path of media_paths) {
    const isStored = known[path]
      ? known[path].video_cached || known[path].kind === 'audio'
      : await analysis.hasGone(cache_dir, [path], signal);
    if (isStored) analysed.push(path);
  }
  return analysed;
}

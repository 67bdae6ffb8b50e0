// Matches of filters and people alone, in the form of any other search, to be shown and exported.
import { clockTime } from '../actors/decoder/contract.ts';
import { secondsWithin } from '../actors/index/visual/shots.ts';
import type { SearchAnswer } from '../actors/search/contract.ts';
import type { Moment, MomentKind } from '../actors/search/moments/contract.ts';
import { mostThumbnails } from '../actors/search/thumbnails/contract.ts';
import { filterFields, peopleFields, type Question } from './arguments.ts';
import type { NamedMatch } from './found.ts';
import type { CommandService } from './service.ts';

/** px, the longer side of a preview. */
const max_size = 640;

/** Loads the media of the matches. `kinds`: of a question; none for filters and people alone. */
export async function selectFootage(
  { client }: CommandService,
  question: Question,
  cache_dir: string,
  kinds: readonly MomentKind[] = [],
): Promise<SearchAnswer> {
  const { media, max, perFilm, query, exclude } = question;
  await client.loadTranscriptions({ cache_dir });
  const { moments, ...remarks } = await client.searchMoments({
    ...{ cache_dir, media_paths: [...media], search_all: media.length === 0, limit: max },
    ...(perFilm !== null && { max_per_media: perFilm }),
    ...(kinds.length > 0 && { query: query ?? '', exclude: [...exclude], kinds: [...kinds], explain: true }),
    ...filterFields(question),
    ...peopleFields(question),
  });
  const requests = moments.map((moment) => ({
    media_path: moment.media_path,
    time_seconds: shownSecond(moment),
  }));
  const images: (string | null)[] = [];
  for (let at = 0; question.previews && at < requests.length; at += mostThumbnails(max_size)) {
    const some = requests.slice(at, at + mostThumbnails(max_size));
    const { thumbnails } = await client.thumbnails({ cache_dir, requests: some, max_size });
    images.push(...thumbnails.map(({ thumbnail }) => thumbnail));
  }
  const { toast_warning, warnings, notes } = remarks;
  return {
    matches: moments.map((moment, i) => matchOf(moment, i, images[i] ?? null)),
    ...(toast_warning !== undefined && { toast_warning }),
    ...(warnings && { warnings }),
    ...(notes && { notes }),
  };
}

/** The first picture of a film is often black. */
function shownSecond({ kind, time_seconds, start_seconds, end_seconds, reasons }: Moment): number {
  const isWhole =
    kind === 'video' && reasons.every((reason) => reason.kind === 'name' && ofFiles.has(reason.of));
  return isWhole ? Math.floor((start_seconds + end_seconds) / 2) : time_seconds;
}

const ofFiles: ReadonlySet<string> = new Set(['file', 'folder']);

function matchOf(moment: Moment, original_index: number, image: string | null): NamedMatch {
  const named = moment.reasons.flatMap((reason) =>
    reason.kind === 'name' ? [{ of: reason.of, name: reason.name }] : [],
  );
  const explanation = moment.reasons.find((reason) => reason.kind === 'seen')?.explanation;
  const { hash_str, media_path, other_paths, time_seconds, start_seconds, end_seconds, shot } = moment;
  const [start, end] = secondsWithin(start_seconds, end_seconds);
  // A shot between two seconds has none of its own.
  const first = start < end ? start : Math.floor(start_seconds);
  return {
    frame_idx: String(Math.floor(time_seconds)),
    timestamp: clockTime(time_seconds),
    ...(image !== null && { image }),
    scene_start_timestamp: clockTime(first),
    // The last second belongs to it.
    scene_end_timestamp: clockTime(Math.max(first, end - 1)),
    ...(shot && { shot }),
    ...{ original_index, hash_str, video_path: media_path },
    ...(other_paths && { other_paths }),
    ...(named.length > 0 && { named }),
    ...(explanation && { explanation }),
  };
}

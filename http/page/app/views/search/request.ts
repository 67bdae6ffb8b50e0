// What is sent for a query: the fields of /search/moments, and those of /search/relevance and
// /metadata/facets.
import { type Kind, kinds, type Query } from './moment.ts';

/** A last second that no film has. */
const OPEN_END = 1_000_000;
const MOST_EXCLUDED = 16;

/** Null when nothing is asked for. */
export function momentsRequest(query: Query, cache_dir: string) {
  const asked = lookedFor(query);
  if (asked === null) return null;
  const names = query.people.map(({ name }) => name).join(' ');
  // People alone: where they are.
  const isPeople = query.text.trim() === '' && query.picture === null;
  return {
    cache_dir,
    search_all: query.film === null,
    media_paths: query.film === null ? [] : [query.film.media_path],
    metadata_filter_request: query.filters.length > 0 ? { filters: query.filters } : null,
    segments_to_frame_indices: ranges(query),
    people_filter: query.people.map(({ name, cluster_job_name }) => ({
      person_name: name,
      cluster_job_name,
    })),
    people_filter_mode: query.peopleMode,
    ...asked,
    ...(isPeople && { query: names }),
    ...kindsOf(query, isPeople),
    limit: query.limit,
    explain: true,
  };
}

/** Null when there is nothing to compare pictures with. */
export function relevanceRequest(query: Query, cache_dir: string, hash_str: string) {
  const asked = lookedFor(query);
  const isSeen = query.kinds.includes('seen') && (query.text.trim() !== '' || query.picture !== null);
  return asked === null || !isSeen ? null : { cache_dir, hash_str, ...asked };
}

function lookedFor({ text, exclude, picture, weight, people }: Query) {
  const words = text.trim();
  if (words === '' && picture === null && people.length === 0) return null;
  return {
    ...(words !== '' && { query: words }),
    ...(picture?.kind === 'own' && { image_data: picture.data }),
    ...(picture?.kind === 'like' && { like: { hash_str: picture.hash_str, time_seconds: picture.seconds } }),
    // Beside words alone.
    exclude: words === '' ? [] : phrases(exclude).slice(0, MOST_EXCLUDED),
    text_weight: weight,
  };
}

/** All of them: those that there are. One that is named and is not there would be a warning. */
function kindsOf({ kinds: chosen }: Query, isPeople: boolean): { kinds?: Kind[] } {
  if (isPeople) return { kinds: ['person'] };
  return chosen.length === kinds.length ? {} : { kinds: [...chosen] };
}

export function phrases(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function ranges({ film }: Query): Record<string, [number, number]> {
  if (film === null || (film.start === null && film.end === null)) return {};
  const start = Math.floor(film.start ?? 0);
  const end = Math.max(start + 1, film.end === null ? OPEN_END : Math.ceil(film.end));
  return { [film.media_path]: [start, end] };
}

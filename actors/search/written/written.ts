// Printed words for the coordinator of search.
import { clockTime } from '../../decoder/contract.ts';
import { exactTimes, type Shots } from '../../index/visual/shots.ts';
import type { WrittenMatch } from '../../index/written/contract.ts';
import { searchErrors } from '../contract.ts';
import { now, untilDone } from '../loaded-data.ts';
import type { LocationParts } from '../media/location.ts';
import { copiesIn, locateMatches, type ShownMatch, shownMatches } from '../media/match-locations.ts';
import { ignoredFilters, listNote, note, notesAnswer } from '../notes/contract.ts';
import { shotsOf } from '../scenes/scenes.ts';
import { frameField } from '../scope/contract.ts';
import { findScope, requestedPaths } from '../scope/scope.ts';
import { type Band, isAtLeast, leftOutOf } from '../visual/contract.ts';
import { bandOfLine, type WrittenAnswer, type WrittenRequest, type WrittenSearchMatch } from './contract.ts';

export async function searchWritten(
  parts: LocationParts,
  request: WrittenRequest,
  signal: AbortSignal | undefined,
): Promise<WrittenAnswer> {
  const { cache_dir, query, max_results, min_band } = request;
  if (query.trim() === '') throw searchErrors.QUERY_EMPTY('query is empty', { field: 'query' });
  const searched = { model_key: null, stored: true, field: frameField };
  const find = async (max: number) => {
    const { scope, ...scopeReport } = await findScope(parts, { ...request, ranges: {} }, searched, signal);
    const options = { cache_dir, query, scope, max_results: min_band ? leftOutOf : max };
    const answer = await untilDone(() => parts.index.ask('search_written', options, now(signal)));
    const { matches, weaker } = sureLines(answer.matches, min_band);
    return { ...scopeReport, ...answer, matches: matches.slice(0, max), weaker };
  };
  const { result, locations, shown } = await shownMatches(
    find,
    ({ matches, requested }) =>
      locateMatches(
        parts,
        cache_dir,
        matches,
        ({ hash_str, start, end }) => requestedPaths(requested, hash_str, [start, end]),
        now(signal),
      ),
    max_results,
    (all, max) => all.slice(0, max),
  );
  const { gone, changed } = locations;
  const { missing, media, unreadable } = result;
  const hashes = [...new Set(shown.map(({ match }) => match.hash_str))];
  const shots = await shotsOf(parts, cache_dir, hashes, now(signal));
  return {
    matches: shown.map((entry) => toMatch(entry, shots.get(entry.match.hash_str) ?? null)),
    ...(min_band && { weaker: result.weaker }),
    ...notesAnswer([
      ignoredFilters(request.metadata_filter_request?.filters),
      media === 0 && note('NOTHING_READ', {}),
      listNote('NOT_ANALYSED', missing),
      listNote('FILE_GONE', gone),
      listNote('FILE_CHANGED', changed),
      listNote('TEXT_DAMAGED', unreadable),
    ]),
  };
}

/** The lines that are read at least so well, and how many are not. */
export function sureLines<L extends Pick<WrittenMatch, 'score' | 'meant'>>(
  lines: readonly L[],
  min_band: Band = 'weak',
) {
  const matches = lines.filter((line) => isAtLeast(bandOfLine(line), min_band));
  return { matches, weaker: lines.length - matches.length };
}

function toMatch({ match, path, others }: ShownMatch<WrittenMatch>, shots: Shots | null): WrittenSearchMatch {
  const { hash_str, text, box, score, best } = match;
  const [start, end] = exactTimes(shots, match.start, match.end);
  return {
    media_path: path,
    ...copiesIn({ others }),
    hash_str,
    start_seconds: start,
    end_seconds: end,
    start_timestamp: clockTime(start),
    end_timestamp: clockTime(end),
    best_seconds: best,
    text,
    box,
    score,
    band: bandOfLine(match),
  };
}

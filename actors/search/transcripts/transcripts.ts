// Transcripts for the coordinator of search: loaded, read whole or in pages, searched, and their speakers
// named.
import { rangeFault } from '../../../runtime/ranges.ts';
import type { AskOptions } from '../../../runtime/ref.ts';
import { clockTime, isMediaError } from '../../decoder/contract.ts';
import { plainName } from '../../index/people/person-name.ts';
import { type MediaRecord, storeErrors } from '../../index/store/contract.ts';
import type { Transcript, TranscriptMatch } from '../../index/transcripts/contract.ts';
import { searchErrors } from '../contract.ts';
import { now, type TranscriptData } from '../loaded-data.ts';
import { whichMediaErrors } from '../media/contract.ts';
import { hashesAt, type LocationParts } from '../media/location.ts';
import { copiesIn, locateMatches, type ShownMatch, shownMatches } from '../media/match-locations.ts';
import { ignoredFilters, listNote, notesAnswer } from '../notes/contract.ts';
import { findScope, type RequestedPaths, requestedPaths } from '../scope/scope.ts';
import type {
  LegacySegment,
  SpeakerData,
  TranscriptionsAnswer,
  TranscriptRangeAnswer,
  TranscriptRangeRequest,
  TranscriptSearch,
  TranscriptSearchAnswer,
  TranscriptSearchMatch,
  Transcripts,
} from './contract.ts';
import { pageOf } from './transcript-page.ts';

/** Ten hours of speech are 2 MB. */
const transcriptsPerMessage = 8;

export function createTranscripts(parts: LocationParts, data: TranscriptData): Transcripts {
  const { index } = parts;
  return {
    load: (cache_dir, signal) => data.load({ cache_dir }, signal),
    list: (request, signal) => list(parts, request, now(signal)),
    range: (request, signal) => range(parts, request, now(signal)),
    search: (request, signal) => search(parts, data, request, signal),
    name: async ({ cache_dir, hash_str, assignments: given }, signal) => {
      const assignments = given.map(({ speaker, name }) => ({ speaker, name: name ?? '' }));
      const request = { cache_dir, hash_str, assignments };
      const { names } = await index.ask('name_speakers', request, now(signal));
      const changes = Object.fromEntries(assignments.map(({ speaker, name }) => [speaker, plainName(name)]));
      return { updated: Object.keys(changes).length, changes, speaker_names: names };
    },
  };
}

/** Null for what cannot be read and so has no transcript; anything else is thrown. */
function noMedia(error: unknown): null {
  if (isMediaError(error)) return null;
  throw error;
}

async function list(
  parts: LocationParts,
  { cache_dir, media_paths, language = null }: Parameters<Transcripts['list']>[0],
  call: AskOptions,
): Promise<TranscriptionsAnswer> {
  await parts.index.ask('open', { cache_dir }, call);
  const hashes = await hashesAt(parts, cache_dir, media_paths, call, noMedia);
  const uniqueHashes = [...new Set(hashes.filter((hash) => hash !== null))];
  const transcriptsByHash = new Map<string, Transcript>();
  const broken = new Set<string>();
  for (let at = 0; at < uniqueHashes.length; at += transcriptsPerMessage) {
    const some = uniqueHashes.slice(at, at + transcriptsPerMessage);
    const { transcripts, unreadable } = await parts.index.ask(
      'transcripts',
      { cache_dir, hashes: some },
      call,
    );
    for (const [i, transcript] of transcripts.entries())
      if (transcript) transcriptsByHash.set(some[i]!, transcript);
    for (const hash of unreadable) broken.add(hash);
  }
  const transcriptions: [string, LegacySegment[]][] = [];
  const data: [string, SpeakerData][] = [];
  const languages: [string, TranscriptionsAnswer['transcription_languages'][string]][] = [];
  for (const [i, path] of media_paths.entries()) {
    const hash_str = hashes[i] ?? '';
    const stored = transcriptsByHash.get(hash_str);
    if (!stored) continue;
    const { transcript, ...ownLanguages } = inLanguage(stored, language);
    languages.push([path, ownLanguages]);
    const segments = transcript.segments.map(
      ({ start_seconds, text, end_seconds }): LegacySegment => [start_seconds, text, end_seconds, path],
    );
    transcriptions.push([path, segments]);
    const speakers = speakersOf(transcript);
    const { speakers_uncertain, speaker_range } = transcript.mark;
    const uncertain = {
      ...(speakers_uncertain && { speakers_uncertain }),
      ...(speaker_range && { speaker_range }),
    };
    if (speakers) data.push([path, { segments, hash_str, ...uncertain, speakers }]);
  }
  const unreadable = media_paths.filter((_, i) => broken.has(hashes[i] ?? ''));
  return {
    transcriptions: Object.fromEntries(transcriptions),
    transcription_data: Object.fromEntries(data),
    transcription_languages: Object.fromEntries(languages),
    ...(unreadable.length > 0 ? { unreadable } : {}),
  };
}

/** The transcript, or the subtitles of the file in the language that fits better. */
function inLanguage(stored: Transcript, requestedLanguage: string | null) {
  const { mark, segments } = stored;
  const all = [{ language: mark.spoken, segments }, ...(mark.others ?? [])];
  const fits = (language: string | null) =>
    language === null || requestedLanguage === null ? 0 : fit(language, requestedLanguage);
  const chosen = all.reduce((best, transcript) =>
    fits(transcript.language) > fits(best.language) ? transcript : best,
  );
  const changes = chosen === all[0] ? mark.languages : undefined;
  return {
    transcript: chosen === all[0] ? stored : { ...stored, segments: chosen.segments },
    language: chosen.language,
    other_languages: all.flatMap((transcript) =>
      transcript === chosen || transcript.language === null ? [] : [transcript.language],
    ),
    ...(changes && { changes: changes.map(({ from, language }) => ({ segment_index: from, language })) }),
  };
}

/** 2 for the same language, 1 for one of another region or script, else 0. */
function fit(language: string, requestedLanguage: string): number {
  if (language.toLowerCase() === requestedLanguage.toLowerCase()) return 2;
  return new Intl.Locale(language).language === new Intl.Locale(requestedLanguage).language ? 1 : 0;
}

/** Null when speakers were not detected. */
function speakersOf({ segments, names }: Transcript): SpeakerData['speakers'] | null {
  const bySpeaker = Map.groupBy(
    [...segments.keys()].filter((i) => segments[i]!.speaker !== null),
    (i) => segments[i]!.speaker ?? '',
  );
  if (bySpeaker.size === 0) return null;
  const entries = [...bySpeaker].map(([speaker, segment_indices]) => {
    const name = Object.hasOwn(names, speaker) ? names[speaker] : undefined;
    return [speaker, { segment_indices, ...(name === undefined ? {} : { display_name: name }) }] as const;
  });
  return Object.fromEntries(entries);
}

async function range(
  parts: LocationParts,
  request: TranscriptRangeRequest,
  call: AskOptions,
): Promise<TranscriptRangeAnswer> {
  const { cache_dir, start_seconds, end_seconds, after_segment_index: after = null, max_segments } = request;
  if (end_seconds <= start_seconds) {
    const what = `end_seconds: ${rangeFault(start_seconds, end_seconds)}`;
    throw searchErrors.BAD_TIME(what, { field: 'end_seconds' });
  }
  await parts.index.ask('open', { cache_dir }, call);
  const hash_str = await hashOf(parts, request, call);
  const head = { hash_str, start_seconds, end_seconds };
  // A hash goes first: then no file is looked at.
  const path = request.hash_str === undefined ? (request.media_path ?? null) : null;
  const none = {
    segments: [],
    truncated: false,
    next_after_segment_index: null,
    truncated_segment_indices: [],
  };
  if (hash_str === null) return { ...head, media_path: path, transcript_status: 'not_available', ...none };
  const options = { cache_dir, hash_str, range: [start_seconds, end_seconds] as [number, number], after };
  const [{ stored, segments }, media] = await Promise.all([
    parts.index.ask('transcript_part', { ...options, most: max_segments + 1 }, call),
    path === null ? records(parts, cache_dir, [hash_str], call) : [],
  ]);
  return {
    ...head,
    media_path: path ?? media[0]?.path ?? null,
    transcript_status: stored === null ? 'not_available' : stored === 0 ? 'empty' : 'available',
    ...pageOf(segments, max_segments),
  };
}

async function hashOf(
  parts: LocationParts,
  request: TranscriptRangeRequest,
  call: AskOptions,
): Promise<string | null> {
  const { cache_dir, hash_str, media_path } = request;
  if (hash_str !== undefined) return hash_str;
  if (media_path === undefined) {
    throw whichMediaErrors.WHICH_MEDIA('hash_str or media_path is required', { field: 'hash_str' });
  }
  const [hash = null] = await hashesAt(parts, cache_dir, [media_path], call, noMedia);
  return hash;
}

/** Records of the contents; empty if one of the records is damaged. */
async function records(
  { index }: Pick<LocationParts, 'index'>,
  cache_dir: string,
  hashes: readonly string[],
  call: AskOptions,
): Promise<(MediaRecord | null)[]> {
  try {
    return (await index.ask('find', { cache_dir, paths: [], hashes: [...hashes] }, call)).by_hash;
  } catch (error) {
    if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    return hashes.map(() => null);
  }
}

const field = 'segments_to_time_ranges';

async function search(
  parts: LocationParts,
  data: TranscriptData,
  request: TranscriptSearch,
  signal: AbortSignal | undefined,
): Promise<TranscriptSearchAnswer> {
  const { index } = parts;
  const { cache_dir, query, max_results, segments_to_time_ranges: ranges } = request;
  const speaker_name = speakerOf(request);
  if (query.trim() === '') throw searchErrors.QUERY_EMPTY('query is empty', { field: 'query' });
  const find = async (max: number) => {
    const scoped = { ...request, ranges };
    const { scope, ...scopeReport } = await findScope(parts, scoped, { model_key: null, field }, signal);
    const options = { cache_dir, query, speaker_name, max_results: max, scope };
    return { ...scopeReport, ...(await index.ask('search_transcripts', options, now(signal))) };
  };
  const { result, locations, lost, shown } = await shownMatches(
    (max) => data.within({ cache_dir }, () => find(max), signal),
    ({ matches, requested }) => locateMatches(parts, cache_dir, matches, namedBy(requested), now(signal)),
    max_results,
    (all, max) => all.slice(0, max),
  );
  const hashes = [...new Set(shown.map(({ match }) => match.hash_str))];
  const [media, broken] = await Promise.all([
    records(parts, cache_dir, hashes, now(signal)),
    records(parts, cache_dir, data.damaged, now(signal)),
  ]);
  const kinds = new Map(hashes.map((hash, i) => [hash, media[i]?.probe.kind]));
  const { missing, unloaded, total, total_is_exact } = result;
  return {
    matches: shown.map((entry) => toMatch(entry, kinds.get(entry.match.hash_str))),
    total: total - lost,
    total_is_exact,
    ...notesAnswer([
      ignoredFilters(request.metadata_filter_request?.filters),
      listNote('NOT_ANALYSED', missing),
      listNote('TRANSCRIPT_NOT_LOADED', unloaded),
      listNote('FILE_GONE', locations.gone),
      listNote('FILE_CHANGED', locations.changed),
      listNote(
        'TRANSCRIPT_DAMAGED',
        data.damaged.map((hash, i) => broken[i]?.path ?? hash),
      ),
    ]),
  };
}

/** Null: whoever speaks. Throws TWO_SPEAKERS. */
function speakerOf({ speaker, speaker_name: name }: TranscriptSearch): string | null {
  if (speaker && name && speaker !== name) {
    throw searchErrors.TWO_SPEAKERS(`speaker: ${speaker} is not speaker_name ${name}`, { field: 'speaker' });
  }
  return speaker || name || null;
}

/** The paths by which the caller named the media of a match. */
function namedBy(paths: RequestedPaths) {
  return ({ hash_str, start_seconds, end_seconds }: TranscriptMatch) =>
    requestedPaths(paths, hash_str, [start_seconds, end_seconds]);
}

function toMatch(
  { match, path, others }: ShownMatch<TranscriptMatch>,
  kind: MediaRecord['probe']['kind'] | undefined,
): TranscriptSearchMatch {
  const { hash_str, segment_index, start_seconds, end_seconds, text, speaker, speaker_name, language } =
    match;
  return {
    media_path: path,
    ...copiesIn({ others }),
    hash_str,
    start_seconds,
    end_seconds,
    text,
    start_timestamp: clockTime(start_seconds),
    end_timestamp: clockTime(end_seconds),
    speaker: speaker ?? '',
    speaker_name: speaker_name ?? '',
    speakers: speaker === null ? [] : [speaker],
    ...(kind === 'audio' || kind === 'video' ? { media_type: kind } : {}),
    segment_index,
    ...(language !== undefined && { language }),
  };
}

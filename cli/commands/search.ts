// `framehound search TEXT | --image F | --frame F@SECONDS | --filter F`: finds moments and shows where they are.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import { isStillName } from '../../actors/decoder/media-names.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { type Match, type SearchAnswer, TextSearch } from '../../actors/search/contract.ts';
import type { MomentKind } from '../../actors/search/moments/contract.ts';
import type { Note } from '../../actors/search/notes/contract.ts';
import { maxResults, withExclusions } from '../../actors/search/scope/contract.ts';
import type { WrittenSearchMatch } from '../../actors/search/written/contract.ts';
import { isOf } from '../../http/client/error.ts';
import { typedPath } from '../../runtime/files/user-folders.ts';
import { folders } from '../../settings.ts';
import {
  filterArgument,
  filterFields,
  frameArgument,
  isSelection,
  numberArgument,
  peopleFields,
  perFilmArgument,
  type Question,
  title,
} from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, typed, usageErrors } from '../context.ts';
import { findMedia } from '../find-media.ts';
import {
  copiesText,
  foundBy,
  isStill,
  matchFields,
  merged,
  momentText,
  type NamedMatch,
  namesText,
  type SaidMatch,
  type SceneMatch,
} from '../found.ts';
import { selectFootage } from '../select-footage.ts';
import { type CommandService, useModel, withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { formatOfFile, saveScenes } from '../timeline-file.ts';
import { openAt } from './open.ts';

// Loads what is stored, and searches its pictures.

export async function searchFootage(
  service: CommandService,
  question: Question,
  cache_dir: string,
  context: Context,
  only: 'seen' | 'named' | null = 'seen',
): Promise<SearchAnswer> {
  const { client } = service;
  await useModel(service, context);
  const loaded = await client.loadAnalysisData({ cache_dir }).catch((error) => {
    throw isOf(storeErrors.STORE_UNAVAILABLE, error) ? analyseFirst(error.message) : error;
  });
  if (loaded.media === 0) {
    const { visual } = await client.loadedModels();
    writeNothingAnalysed(context.screen, visual.model_key ?? '', cache_dir);
  }
  const { image, frame, query, previews } = question;
  if (isSelection(question)) return selectFootage(service, question, cache_dir);
  const mayName = only !== 'seen' && query !== null && image === null && frame === null;
  const named = (kinds: readonly MomentKind[], isShown = previews) =>
    selectFootage(service, { ...question, previews: isShown }, cache_dir, kinds);
  if (mayName && only === 'named') return named(['name']);
  const isNamed = mayName && (await named(['name'], false)).matches.length > 0;
  if (isNamed) return named(['name', 'seen']);
  const common = {
    cache_dir,
    media_paths: question.media,
    max_results: question.max,
    ...(question.perFilm !== null && { max_per_media: question.perFilm }),
    exclude: question.exclude,
    text_weight: question.textWeight,
    explain: true,
    query: query ?? undefined,
    ...filterFields(question),
    ...peopleFields(question),
  };
  const answer = image
    ? await client.searchImage({ ...common, image_path: image })
    : frame
      ? await client.searchFrame({ ...common, media_path: frame.path, time_seconds: frame.seconds })
      : await client.searchText({ ...common, query: query ?? '' });
  // Words that no model understands may be a part of a name: `Kakadu at sunset`.
  if (mayName && (answer.not_understood?.words.length ?? 0) > 0) {
    const files = await named(['name', 'seen']);
    if (files.matches.some((match: NamedMatch) => match.named)) return files;
  }
  if (previews) return answer;
  return { ...answer, matches: answer.matches.map(({ image: _, ...match }) => match) };
}

// Answers of a search where nothing is analysed.

/** A folder that is not there is an error: most likely another one is meant. */
function writeNothingAnalysed(screen: Context['screen'], model: string, folder: string): void {
  if (!existsSync(folder)) {
    throw analyseFirst(`The analysis folder ${folder} does not exist`);
  }
  screen.write(
    `No pictures have been analysed with ${model} in ${folder}. To analyse footage: framehound analyze PATH\n`,
  );
}

/** The folder cannot be searched, and what to do first. */
export function analyseFirst(reason: string): Error {
  return storeErrors.STORE_UNAVAILABLE(`${reason}. Analyse something first: framehound analyze PATH`);
}

const parse = (args: readonly string[]) => argumentsOf(commandTable.search, args);
type Values = ReturnType<typeof parse>['values'];

/**
 * Segments of transcripts that answer the query as on the page, best first. `isAlone`: nothing else is
 * searched, so a folder without transcripts is worth a note.
 */
export async function searchSaid(
  { client }: CommandService,
  question: Question,
  cache_dir: string,
  isAlone = true,
) {
  const { query, media, max } = question;
  await client.loadTranscriptions({ cache_dir });
  const { moments, notes = [] } = await client.searchMoments({
    cache_dir,
    ...filterFields(question),
    query: query ?? '',
    kinds: ['said'],
    media_paths: [...media],
    search_all: media.length === 0,
    limit: max,
  });
  const matches = moments.flatMap(({ media_path, other_paths, hash_str, kind, reasons }) =>
    reasons.flatMap((reason) => {
      if (reason.kind !== 'said') return [];
      const { rank, start_seconds, end_seconds, text, speaker, speaker_name } = reason;
      const match: SaidMatch = {
        media_path,
        ...(other_paths && { other_paths }),
        hash_str,
        start_seconds,
        end_seconds,
        text,
        start_timestamp: clockTime(start_seconds),
        end_timestamp: clockTime(end_seconds),
        speaker,
        speaker_name,
        speakers: speaker === '' ? [] : [speaker],
        ...(kind !== 'image' && { media_type: kind }),
      };
      return [{ rank, match }];
    }),
  );
  matches.sort((a, b) => a.rank - b.rank);
  const unsaid: readonly string[] = isAlone ? saidByLastLine : [...saidByLastLine, 'NOTHING_TRANSCRIBED'];
  return {
    matches: matches.map(({ match }) => match).slice(0, max),
    notes: notes.filter(({ code }) => !unsaid.includes(code)).map(({ text }) => text),
  };
}

export const search: Command = async (args, context) => {
  const { values, positionals } = parse(args);
  const question = await questionOf(values, positionals.join(' ').trim(), context);
  const of = kindsOf(question, values);
  // Before the search: a name it cannot use is no reason to wait.
  const format = values.timeline === undefined ? null : formatOfFile(values.timeline);
  const place = values.open && !values.json ? placeOnPage(question, values.weak) : null;
  const code = await withService(context, 0, (service) =>
    run(service, { values, question, of, format }, context),
  );
  if (place !== null && code === exit.ok) await openAt(place, context);
  return code;
};

/** A search whose options fit together. */
interface CheckedSearch {
  readonly values: Values;
  readonly question: Question;
  readonly of: ReturnType<typeof kindsOf>;
  readonly format: ReturnType<typeof formatOfFile> | null;
}

async function run(
  service: CommandService,
  { values, question, of, format }: CheckedSearch,
  context: Context,
): Promise<number> {
  const { client } = service;
  const { cache } = folders(context.values);
  const [answer, heard, read] = await Promise.all([
    of.seen
      ? searchFootage(service, question, cache, context, of.footage).catch((error) =>
          Promise.reject(asTyped(error)),
        )
      : { matches: [] },
    of.said ? searchSaid(service, question, cache, values.said) : null,
    of.written ? client.searchWritten(writtenQuery(question, cache)) : null,
  ]);
  const said = heard?.matches ?? null;
  // A request for printed words alone also gets poorly read ones.
  const isAll = values.written || values.weak;
  const written = read?.matches.filter(({ band }) => isAll || band !== 'weak') ?? null;
  const weakLines = (read?.matches.length ?? 0) - (written?.length ?? 0);
  const shown = values.weak ? answer : standingOut(answer, weakLines, isByPicture(question));
  if (!values.json) show(shown, question, context, said, written);
  const timeline =
    format &&
    (await saveScenes(
      merged(shown.matches, said ?? [], question.max, written ?? []),
      title(question),
      format,
      typedPath(values.timeline!),
      client,
      cache,
    ));
  const result = {
    ...answer,
    // Matches selected by filters alone have no reasons to show.
    ...(!isSelection(question) && matchFields(answer.matches, said, written)),
    ...(timeline && { timeline }),
  };
  if (values.json) context.out(`${JSON.stringify(result)}\n`);
  else if (timeline) context.out(`  timeline: ${printable(timeline.output_path)}\n`);
  const notes = [
    ...(timeline?.warnings ?? []),
    ...(heard?.notes ?? []),
    ...(values.written && read?.toast_warning ? [read.toast_warning] : []),
  ];
  for (const note of notes) context.screen.write(`note: ${printable(note)}\n`);
  if (format && !timeline) context.screen.write('note: nothing was found, so no timeline was written\n');
  return exit.ok;
}

/** Operators as the page has them in an address; it has no others. */
const signs: Readonly<Record<string, string>> = {
  is_any_of: '=',
  include_any_of: '=',
  is_not: '!',
  exclude_any_of: '!',
  greater_than: '>',
  less_than: '<',
  after: 'after',
  before: 'before',
};

function signOf(operator: string): string {
  const sign = signs[operator];
  if (sign === undefined) throw usageErrors.USAGE(`--open: the page has no filters with ${operator}`);
  return sign;
}

/** The search as the page has it in its address (http/page/app/views/search/address.ts). */
export function placeOnPage(question: Question, isWeakShown: boolean): string {
  const { query, exclude, image, frame, people, anyPerson, clusterJob, filters } = question;
  const params = new URLSearchParams();
  if (query !== null) params.append('q', query);
  if (exclude.length > 0) params.append('not', exclude.join(', '));
  const picture = image ?? frame?.path;
  if (picture !== undefined) params.append('image', picture);
  if (frame) params.append('second', String(frame.seconds));
  for (const name of people) params.append('who', `${name}@${clusterJob ?? ''}`);
  if (anyPerson) params.append('any', '1');
  for (const { facet_id, operator, values } of filters)
    for (const value of values) params.append('f', `${facet_id}~${signOf(operator)}~${value}`);
  if (isWeakShown) params.append('weak', '1');
  return `/search?${params}`;
}

async function questionOf(values: Values, text: string, context: Context): Promise<Question> {
  const media = await filesOf(values.media, context);
  const parsed = withExclusions({ query: text, exclude: values.exclude });
  const question: Question = {
    query: parsed.query || null,
    image: values.image === undefined ? null : resolve(values.image),
    frame: values.frame === undefined ? null : frameArgument(values.frame),
    exclude: parsed.exclude,
    media,
    max: numberArgument('--max', values.max, maxResults),
    perFilm: perFilmArgument(values['per-film'] ?? (media.length === 1 ? 'all' : '3')),
    people: values.person,
    anyPerson: values['any-person'],
    clusterJob: values['cluster-job'] ?? null,
    filters: values.filter.map(filterArgument),
    textWeight: numberArgument('--text-weight', values['text-weight'], TextSearch.properties.text_weight),
    previews: values.json && values.previews,
  };
  if (isSelection(question) && question.people.length + question.filters.length === 0)
    throw usageErrors.USAGE(
      'search needs a text, --image FILE, --frame FILE@SECONDS, --filter FILTER or --person NAME',
    );
  if (question.image && question.frame) throw usageErrors.USAGE('use either --image or --frame, not both');
  if (question.exclude.length > 0 && !question.query)
    throw usageErrors.USAGE('--exclude needs a search text');
  if (question.people.length === 0 && (question.anyPerson || question.clusterJob !== null))
    throw usageErrors.USAGE('--any-person and --cluster-job need --person');
  return question;
}

/** Kinds to search: all of them, or the requested one. Words do not describe pictures or people in view. */
function kindsOf(question: Question, values: Values) {
  const { image, frame, people, exclude } = question;
  const { timeline } = values;
  const chosen = (['seen', 'said', 'written', 'named'] as const).filter((kind) => values[kind]);
  if (chosen.length > 1)
    throw usageErrors.USAGE(`use only one of ${chosen.map((name) => `--${name}`).join(', ')}`);
  const [only = null] = chosen;
  if (isSelection(question)) {
    if (only !== null) throw usageErrors.USAGE(`--${only} needs a search text`);
    return { seen: true, said: false, written: false, footage: 'seen' as const };
  }
  const isOfPictures = image !== null || frame !== null || people.length > 0;
  const isOfWords = only === 'said' || only === 'written';
  if (isOfWords && (isOfPictures || exclude.length > 0 || timeline !== undefined))
    throw usageErrors.USAGE(
      `--${only} searches words only: it cannot be combined with options for pictures, people or timelines`,
    );
  const is = (kind: 'said' | 'written') => only === kind || (only === null && !isOfPictures);
  if (only === 'named' && (image !== null || frame !== null))
    throw usageErrors.USAGE('--named searches names: it cannot be combined with a picture');
  const footage = only === 'named' || only === 'seen' ? only : null;
  return { seen: !isOfWords, said: is('said'), written: is('written'), footage };
}

const typedAs: Readonly<Record<string, string>> = {
  person_name: '--person',
  cluster_job_name: '--cluster-job',
  facet_id: '--filter',
  operator: '--filter',
  values: '--filter',
};

/** The same error with the option that was typed in the place of the field of the request. */
export function asTyped(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [start, field = ''] = /(?:people_filter|filters)\[\d+\]\.(\w+): /.exec(error.message) ?? [];
  const option = typedAs[field];
  if (start === undefined || option === undefined) return error;
  return usageErrors.USAGE(`${option}: ${error.message.slice(error.message.indexOf(start) + start.length)}`);
}

export function writtenQuery(question: Question, cache_dir: string) {
  const { query, media, max } = question;
  const media_paths = [...media];
  const where = { cache_dir, media_paths, search_all: media.length === 0, ...filterFields(question) };
  return { ...where, query: query ?? '', max_results: max };
}

/**
 * Prints the matches and the notes about them. `said` and `written`: null where they were not searched; else
 * each match says by what it was found.
 */
export function show(
  answer: StandingOut,
  question: Question,
  context: Context,
  said: readonly SaidMatch[] | null = null,
  written: readonly WrittenSearchMatch[] | null = null,
): void {
  const { weaker = 0 } = answer;
  const entries = merged(answer.matches, said ?? [], question.max, written ?? []);
  const matches = entries.flatMap(({ seen }) => seen ?? []);
  const heading = title(question);
  const notes = [...notesOf(answer, entries), ...limitNote(matches, question)].map(typed);
  context.out(`${printable(heading)}\n`);
  // Before the matches: it says how much they are worth.
  for (const note of notes) context.out(`  note: ${printable(note)}\n`);
  const printedHashes = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const { hash_str = '', other_paths } = entry.seen ?? entry.said ?? entry.written ?? {};
    // Once a content: it has as many copies at every match.
    const copies = printedHashes.has(hash_str) ? '' : copiesText(other_paths);
    printedHashes.add(hash_str);
    const by = said === null && written === null ? '' : foundBy(entry).join(', ');
    context.out(`${String(i + 1).padStart(3)}. ${placeOf(entry, by)}\n`);
    if (copies) context.out(`     ${printable(copies)}\n`);
    const names = entry.seen ? namesText(entry.seen) : '';
    if (names !== '') context.out(`     ${printable(names)}\n`);
    if (entry.said) context.out(`     ${quoted(entry.said)}\n`);
    if (entry.written) context.out(`     reads “${printable(entry.written.text)}”\n`);
  }
  if (entries.length === 0)
    context.out(`  ${weaker > 0 ? 'nothing that was found is sure enough' : nothingFound(said, written)}\n`);
  if (weaker > 0)
    context.out(`  ${weaker} weaker ${weaker === 1 ? 'match' : 'matches'} not shown: add --weak\n`);
}

/** Matches that stand out from the rest of those loaded, and the number of weaker ones. */
interface StandingOut extends SearchAnswer {
  /** Zero when left out. */
  readonly weaker?: number;
}

/**
 * `weakLines`: printed lines that are left out. In a search by a picture the best match of each file stays: a
 * part of a picture is often only weakly like the whole, though no other file is more alike.
 */
export function standingOut(answer: SearchAnswer, weakLines = 0, byPicture = false): StandingOut {
  const files = byPicture
    ? Map.groupBy(answer.matches, ({ hash_str }) => hash_str)
    : new Map<string, Match[]>();
  const best = new Set(
    [...files.values()].map((all) => all.reduce((a, b) => (b.original_index < a.original_index ? b : a))),
  );
  const matches = answer.matches.filter(
    (match: NamedMatch) => match.named !== undefined || match.explanation?.band !== 'weak' || best.has(match),
  );
  return { ...answer, matches, weaker: answer.matches.length - matches.length + weakLines };
}

function isByPicture({ query, image, frame }: Question): boolean {
  return query === null && (image !== null || frame !== null);
}

function pathOf({ seen, said, written }: SceneMatch): string {
  return seen?.video_path ?? said?.media_path ?? written?.media_path ?? '';
}

function placeOf(entry: SceneMatch, by: string): string {
  const { seen, said, written } = entry;
  const words = said ?? written;
  const start = written && isStillName(written.media_path) ? 'still' : (words?.start_timestamp ?? '');
  const { moment, scene } = seen ? momentText(seen) : { moment: start, scene: '' };
  return [moment.padEnd(8), scene, by, printable(pathOf(entry))].filter(Boolean).join('  ');
}

function quoted({ text, speaker, speaker_name }: SaidMatch): string {
  const who = printable(speaker_name || speaker);
  return `${who === '' ? '' : `${who}: `}“${printable(text.trim())}”`;
}

/** Told where a film reached the limit, so that it may have more. */
function limitNote(matches: readonly Match[], { perFilm }: Question): string[] {
  if (perFilm === null) return [];
  const ofFilm = Map.groupBy(matches, ({ hash_str }) => hash_str);
  const full = [...ofFilm.values()].some((some) => some.length >= perFilm && !isStill(some[0]!));
  return full ? [`At most ${perFilm} per film are shown; for more: --per-film N or --per-film all`] : [];
}

function nothingFound(said: unknown, written: unknown): string {
  const others = [...(said === null ? [] : ['what is said']), ...(written === null ? [] : ['printed words'])];
  return others.length === 0 ? 'nothing was found' : `nothing was found in pictures, ${others.join(' and ')}`;
}

/** The last line says it of all that was searched. */
const saidByLastLine: readonly string[] = ['NOTHING_FOUND', 'NOTHING_ANALYSED'];

/** A service of another version may answer them as one text. */
function notesOf(
  { notes, warnings, toast_warning }: SearchAnswer,
  entries: readonly SceneMatch[],
): readonly string[] {
  const paths = new Set(entries.map(pathOf));
  // Files that are away matter where one of them is shown.
  const isOfOthers = ({ code, values }: Note) =>
    code === 'FILE_GONE' && !values.names?.some((path) => paths.has(path));
  const isSaid = (note: Note) => !saidByLastLine.includes(note.code) && !isOfOthers(note);
  if (notes) return notes.filter(isSaid).map(({ text }) => text);
  return warnings ?? (toast_warning === undefined ? [] : [toast_warning]);
}

/** A folder stands for the media in it. */
async function filesOf(paths: readonly string[], { values, signal }: Context): Promise<string[]> {
  const folder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const all = await Promise.all(
    paths.map(async (path) =>
      folder(path) ? (await findMedia([path], folders(values).cache, signal)).files : [resolve(path)],
    ),
  );
  return all.flat();
}

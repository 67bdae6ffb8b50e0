// How far two visual models agree: the same searches of one folder, answered by the vectors of each. What is
// told is what was measured; which of them is better is for a person to see.
import { clockTime } from '../actors/decoder/contract.ts';
import { storeErrors } from '../actors/index/store/contract.ts';
import type { MomentsRequest } from '../actors/search/moments/contract.ts';
import type { SavedSearch } from '../events/searches/contract.ts';
import type { Client } from '../http/client/client.ts';
import type { Clock } from '../runtime/clock.ts';
import { EngineError, engineErrors, reasonOf } from '../runtime/errors.ts';
import { padded, printable } from './terminal.ts';

/** A search with the name under which it is told. */
export interface Search {
  readonly name: string;
  readonly request: Partial<Omit<MomentsRequest, 'cache_dir'>>;
}

/** A place that a model found, and its rank there, from 1. */
export interface Place {
  readonly rank: number;
  readonly hash_str: string;
  readonly media_path: string;
  readonly time_seconds: number;
  readonly start_seconds: number;
  readonly end_seconds: number;
}

/** How many of the first places two answers have in common, of the longer one. */
export interface Agreement {
  readonly first: number;
  readonly agree: number;
  readonly of: number;
}

export interface Compared {
  readonly name: string;
  readonly agreement: readonly Agreement[];
  /** Of the first ten of each model, those that are not among the first fifty of the other. */
  readonly only: readonly [readonly Place[], readonly Place[]];
  /** Why it could not be searched; otherwise null. */
  readonly problem: string | null;
}

export const depths = [10, 50] as const;

/** The searches of a folder that pictures answer: with words or a picture, and not of speech alone. */
export function savedSearches(saved: readonly SavedSearch[]): Search[] {
  return saved.flatMap(({ name, request }) => {
    const { cache_dir: _, kinds, ...rest } = request;
    const { query = '', image_path, image_data, like } = request;
    const isAsked = query.trim() !== '' || (image_path ?? image_data ?? like) !== undefined;
    return isAsked && (kinds?.includes('seen') ?? true) ? [{ name, request: rest }] : [];
  });
}

/** A scene of one model is not always one of the other: what shares a second is the same place. */
function isSame(a: Place, b: Place): boolean {
  return a.hash_str === b.hash_str && a.start_seconds < endOf(b) && b.start_seconds < endOf(a);
}

/** The last second of a film may be shorter than one. */
const endOf = ({ start_seconds, end_seconds }: Place) => Math.max(end_seconds, start_seconds + 1);

/** Each place has one partner at most, the best that is left. */
export function agreementOf(one: readonly Place[], other: readonly Place[], first: number): Agreement {
  const [a, left] = [one.slice(0, first), other.slice(0, first)];
  const of = Math.max(a.length, left.length);
  let agree = 0;
  for (const place of a) {
    const at = left.findIndex((candidate) => isSame(place, candidate));
    if (at < 0) continue;
    left.splice(at, 1);
    agree++;
  }
  return { first, agree, of };
}

export function compared(name: string, one: readonly Place[], other: readonly Place[]): Compared {
  const missing = (a: readonly Place[], b: readonly Place[]) =>
    a.slice(0, depths[0]).filter((place) => !b.some((candidate) => isSame(place, candidate)));
  const agreement = depths.map((first) => agreementOf(one, other, first));
  return { name, agreement, only: [missing(one, other), missing(other, one)], problem: null };
}

/** All searches together. */
export function total(all: readonly Compared[]): Agreement[] {
  return depths.map((first, i) => {
    const own = all.flatMap(({ agreement }) => agreement[i] ?? []);
    const sum = (part: 'agree' | 'of') => own.reduce((total, one) => total + one[part], 0);
    return { first, agree: sum('agree'), of: sum('of') };
  });
}

// What is asked of the engine: which media have vectors of both models, and the searches of each model.

/** What was measured of a model. */
export interface Measured {
  readonly model_key: string;
  /** Media and seconds that have its vectors. */
  readonly media: number;
  readonly vectors: number;
  readonly vector_bytes: number;
  /** Until it answers: the model itself, and the vectors of the folder. */
  readonly load_seconds: number;
  readonly median_search_ms: number | null;
  readonly longest_search_ms: number | null;
}

export interface Comparison {
  readonly cache_dir: string;
  /** Media that have vectors of both; only these are searched. */
  readonly media: number;
  readonly models: readonly [Measured, Measured];
  readonly agreement: readonly Agreement[];
  readonly searches: readonly Compared[];
}

interface Asking {
  readonly client: Client;
  readonly clock: Clock;
  readonly cache_dir: string;
  /** The PATH of commands that errors name. */
  readonly analyse: (model: string) => string;
}

/** Throws STORE_UNAVAILABLE naming the command that makes the vectors that are missing. */
export async function compareModels(
  asking: Asking,
  keys: readonly [string, string],
  searches: readonly Search[],
): Promise<Comparison> {
  const { client, cache_dir } = asking;
  const { media, common } = await mediaOf(asking, keys);
  const isPart = keys.some((key) => media[key]!.size > common.length);
  const answers: Answers[] = [];
  for (const key of keys) answers.push(await answersOf(asking, key, searches, isPart ? common : null));
  const [one, other] = answers as [Answers, Answers];
  const all = searches.map(({ name }, i): Compared => {
    const [a, b] = [one.found[i]!, other.found[i]!];
    const problem = 'problem' in a ? a.problem : 'problem' in b ? b.problem : null;
    if (!('places' in a) || !('places' in b)) return { name, agreement: [], only: [[], []], problem };
    return compared(name, a.places, b.places);
  });
  const { analysis } = await client.libraryDisk({ cache_dir });
  const measured = ({ key, load_seconds, times }: Answers): Measured => {
    const stored = analysis.models.find(({ model_key }) => model_key === key);
    const sorted = times.toSorted((a, b) => a - b);
    const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
    return {
      ...{ model_key: key, media: media[key]!.size, load_seconds },
      ...{ vectors: stored?.vectors ?? 0, vector_bytes: stored?.bytes ?? 0 },
      median_search_ms: middle.length === 0 ? null : thousandths(mean(middle)),
      longest_search_ms: sorted.length === 0 ? null : thousandths(sorted.at(-1)!),
    };
  };
  const models = [measured(one), measured(other)] as const;
  return { cache_dir, media: common.length, models, agreement: total(all), searches: all };
}

const thousandths = (value: number) => Math.round(1000 * value) / 1000;
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** Media of one page of the library. */
const PAGE = 10_000;

async function mediaOf({ client, cache_dir, analyse }: Asking, keys: readonly [string, string]) {
  const media: Readonly<Record<string, Set<string>>> = { [keys[0]]: new Set(), [keys[1]]: new Set() };
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await client.listLibrary({ cache_dir, offset, limit: PAGE });
    total = page.total;
    for (const { hash_str, visual } of page.media)
      for (const { model_key } of visual) media[model_key]?.add(hash_str);
  }
  const lacking = keys.find((key) => media[key]!.size === 0);
  if (lacking !== undefined)
    throw storeErrors.STORE_UNAVAILABLE(
      `Nothing in ${cache_dir} has vectors of ${lacking}. To make them from stored previews: ${analyse(lacking)}`,
    );
  const common = [...media[keys[0]]!].filter((hash) => media[keys[1]]!.has(hash));
  if (common.length > 0) return { media, common };
  throw storeErrors.STORE_UNAVAILABLE(
    `No file in ${cache_dir} has vectors of both models. To make those of ${keys[1]} from stored previews: ${analyse(keys[1])}`,
  );
}

interface Answers {
  readonly key: string;
  readonly load_seconds: number;
  /** Of each search, ms. */
  readonly times: readonly number[];
  readonly found: readonly ({ readonly places: readonly Place[] } | { readonly problem: string })[];
}

/** `common`: the only media to search; null for all. */
async function answersOf(
  { client, clock, cache_dir }: Asking,
  key: string,
  searches: readonly Search[],
  common: readonly string[] | null,
): Promise<Answers> {
  const began = clock.now();
  await client.loadModel({ model_key: key });
  await client.loadAnalysisData({ cache_dir });
  const load_seconds = thousandths((clock.now() - began) / 1000);
  const times: number[] = [];
  const found: Answers['found'][number][] = [];
  const ask = async ({ request }: Search) => {
    const scope = common && { mode: 'paths' as const, hash_strs: [...common] };
    const filters = request.metadata_filter_request?.filters ?? [];
    const where = scope ? { metadata_filter_request: { scope, filters } } : {};
    const asked = { cache_dir, search_all: true, ...request, ...where, kinds: ['seen' as const] };
    return client.searchMoments({ ...asked, limit: depths.at(-1)! });
  };
  for (const [i, search] of searches.entries()) {
    try {
      // The first search of a model also waits for what it needs for the first time.
      if (i === 0) await ask(search);
      const start = clock.now();
      const { moments } = await ask(search);
      times.push(clock.now() - start);
      const places = moments.map(
        ({ hash_str, media_path, time_seconds, start_seconds, end_seconds }, at) => ({
          ...{ rank: at + 1, hash_str, media_path, time_seconds, start_seconds, end_seconds },
        }),
      );
      found.push({ places });
    } catch (error) {
      if (!(error instanceof EngineError) || engineErrors.CANCELLED.is(error)) throw error;
      found.push({ problem: reasonOf(error) });
    }
  }
  return { key, load_seconds, times, found };
}

// The comparison as a person reads it.

/** `sizes`: of the files of each model, as text; empty where it is part of the program. */
export function comparisonText(comparison: Comparison, sizes: readonly [string, string]): string {
  const { models, agreement, searches, media } = comparison;
  const row = (label: string, each: (model: Measured, at: number) => string) => [label, ...models.map(each)];
  const files = (n: number) => `${n} ${n === 1 ? 'file' : 'files'}`;
  const ms = (value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`);
  const rows = [
    row('', ({ model_key }) => model_key),
    row('size', (_, at) => sizes[at] || 'built in'),
    row('vectors', (one) => `${files(one.media)}, ${one.vectors} s, ${megabytes(one.vector_bytes)}`),
    row('loaded in', ({ load_seconds }) => `${load_seconds.toFixed(1)} s`),
    row('search, median', (one) => ms(one.median_search_ms)),
    row('search, longest', (one) => ms(one.longest_search_ms)),
  ];
  const shares = [
    ['found by both', ...depths.map((first) => `first ${first}`)],
    ...searches.map((one) => [printable(one.name), ...one.agreement.map(shareText)]),
    ...(searches.length > 1 ? [['all searches', ...agreement.map(shareText)]] : []),
  ];
  const found = searches.flatMap((one) => onlyLines(one, models));
  return `${[`Searched: ${files(media)} with vectors of both models`, '', ...aligned(rows), '', ...aligned(shares), ...found].join('\n')}\n`;
}

const shareText = ({ agree, of }: Agreement) => `${agree} of ${of}`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Columns as wide as their longest text. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) =>
    row
      .map((text, at) => padded(text, widths[at]! + 2))
      .join('')
      .trimEnd(),
  );
}

function onlyLines({ name, only, problem }: Compared, models: Comparison['models']): string[] {
  if (problem !== null) return ['', `${printable(name)}: not searched: ${printable(problem)}`];
  const lines = only.flatMap((places, at) =>
    places.length === 0
      ? []
      : [
          `  only ${models[at]!.model_key}`,
          ...places.map(
            ({ rank, media_path, time_seconds }) =>
              `  ${String(rank).padStart(4)}. ${clockTime(time_seconds)}  ${printable(media_path)}`,
          ),
        ],
  );
  return lines.length === 0 ? [] : ['', printable(name), ...lines];
}

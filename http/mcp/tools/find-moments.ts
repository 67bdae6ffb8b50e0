// find_moments: the fused search, one line a moment.
import { type Static, Type } from 'typebox';
import { FilterOperator } from '../../../actors/index/facets/contract.ts';
import {
  type Moment,
  type MomentsAnswer,
  momentKinds,
  type Reason,
} from '../../../actors/search/moments/contract.ts';
import { defaulted, described, oneOf } from '../../../runtime/schema.ts';
import type { Operations } from '../../client/addresses.ts';
import type { InputOf } from '../../client/request.ts';
import { fileName, listed, notes, oneLine, placeAfter, quoted, rangeText, timeText } from '../answer.ts';
import { loadAll, nothingAnalysed, parseMoment, searchedPaths } from '../media.ts';
import {
  argumentErrors,
  type Call,
  Cursor,
  limitOf,
  MediaNames,
  MomentName,
  NextCursor,
  Seconds,
  startOf,
  type ToolAnswer,
  tool,
} from '../tool.ts';

/** Moments that a search can answer. */
const MOST_MOMENTS = 10_000;

const Filter = Type.Object({
  facet: described(Type.String({ minLength: 1, maxLength: 300 }), 'Id of a facet of list_library.'),
  operator: defaulted(FilterOperator, 'is_any_of'),
  values: Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 100 }),
});

const input = Type.Object({
  text: Type.Optional(
    described(
      Type.String({ minLength: 1, maxLength: 2000 }),
      'What to look for, seen or said, in natural language: "a red car". Names of people, files, folders, ' +
        'lists and speakers also work, and parts of them; "not" before a person excludes them.',
    ),
  ),
  image_path: Type.Optional(
    described(
      Type.String({ minLength: 1, maxLength: 4096 }),
      'Absolute path of a picture on the machine of the service, to find what looks like it.',
    ),
  ),
  like: Type.Optional(described(MomentName, 'Id of a moment, to find what looks like it.')),
  exclude: Type.Optional(
    described(
      Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 }),
      'Moments that look like one of these texts rank lower. Needs text.',
    ),
  ),
  kinds: Type.Optional(
    described(
      Type.Array(oneOf(...momentKinds), { minItems: 1, maxItems: momentKinds.length }),
      'Return only moments with these reasons. If omitted, all reasons count.',
    ),
  ),
  people: Type.Optional(
    described(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 }),
      'Only moments in which these people are seen, by name (see who).',
    ),
  ),
  people_mode: defaulted(described(oneOf('all', 'any'), 'All of these people at once, or any.'), 'all'),
  media: Type.Optional(MediaNames),
  from: Type.Optional(described(Seconds, 'Second from which, with exactly one media.')),
  to: Type.Optional(described(Seconds, 'Second up to which, with exactly one media.')),
  filters: Type.Optional(
    described(
      Type.Array(Filter, { maxItems: 20 }),
      'Only media that pass all of them; facets come from list_library.',
    ),
  ),
  weak: defaulted(described(Type.Boolean(), 'Also return weak matches, which are mostly wrong.'), false),
  limit: limitOf(8, 20),
  cursor: Cursor,
});
const output = Type.Object({
  moments: Type.Array(
    Type.Object({
      moment_id: Type.String(),
      hash_str: Type.String(),
      media_path: Type.String(),
      kind: oneOf('video', 'audio', 'image'),
      time_seconds: Type.Number(),
      start_seconds: Type.Number(),
      end_seconds: Type.Number(),
      reasons: described(
        Type.Array(Type.String()),
        'Kinds of the reasons: seen, said, person, written, name.',
      ),
    }),
  ),
  cursor: NextCursor,
  weaker: described(Type.Integer(), 'Weak matches that were omitted.'),
});
type Input = Static<typeof input>;
type MomentsRequest = InputOf<Operations['searchMoments']>;

export const findMoments = tool({
  name: 'find_moments',
  title: 'Find moments',
  description:
    'Finds moments in the analysed films, stills and recordings by what is seen, said or written, who is seen, or a name; best first. ' +
    'Give text, image_path or like; people or filters alone list what they select, recorded last first. Every line begins with the id of a moment (hash@second), which look, ' +
    'read_transcript, find_moments (like) and make_timeline take. A rank is a place in a list; strong or likely says how far ' +
    'a picture stands out from the rest; weak matches are only counted, unless weak is true. Look at what matters before you rely on it; ' +
    'the links of an answer are pictures of its moments, for clients that read resources.',
  input,
  output,
  effect: 'none',
  run: async (query, call) => {
    const request = await requestOf(query, call);
    const first = startOf(query.cursor);
    const limit = Math.min(MOST_MOMENTS, first + query.limit + 1);
    if (!(await loadAll(call))) return { text: nothingAnalysed(call, 'analysed'), data: dataOf([], null, 0) };
    const answer = await call.client.searchMoments({ ...request, limit, explain: true }, call.callOptions);
    return answerOf(answer, first, query);
  },
});

async function requestOf(request: Input, call: Call): Promise<MomentsRequest> {
  const { text, image_path, like, exclude, kinds, people = [], filters = [] } = request;
  if (text === undefined && image_path === undefined && like === undefined && isUnfiltered(request))
    throw argumentErrors.BAD_ARGUMENT('text: one of text, image_path, like, people and filters is required', {
      field: 'text',
    });
  if (image_path !== undefined && like !== undefined)
    throw argumentErrors.BAD_ARGUMENT('like: give either image_path or like, not both', { field: 'like' });
  const paths = await searchedPaths(request.media ?? [], 'media', call);
  const moment = like === undefined ? undefined : parseMoment(like, 'like');
  return {
    cache_dir: call.cacheDir,
    ...(!request.weak && { min_band: 'likely' }),
    ...(text !== undefined && { query: text }),
    ...(image_path !== undefined && { image_path }),
    ...(moment && { like: { hash_str: moment.hash_str, time_seconds: moment.seconds } }),
    ...(exclude && { exclude }),
    ...(kinds && { kinds }),
    ...(paths.length > 0 && { media_paths: paths }),
    ...rangeOf(request, paths),
    ...(people.length > 0 && {
      people_filter: people.map((person_name) => ({ person_name })),
      people_filter_mode: request.people_mode === 'all' ? 'and' : 'or',
    }),
    ...(filters.length > 0 && {
      metadata_filter_request: {
        filters: filters.map(({ facet, ...filter }) => ({ facet_id: facet, ...filter })),
      },
    }),
  };
}

function isUnfiltered({ people = [], filters = [] }: Input): boolean {
  return people.length + filters.length === 0;
}

/** Seconds are frames of the grid. */
function rangeOf({ from, to }: Input, paths: readonly string[]) {
  if (from === undefined && to === undefined) return {};
  const [path] = paths;
  if (path === undefined || paths.length > 1)
    throw argumentErrors.BAD_ARGUMENT('from: from and to need exactly one file in media', { field: 'from' });
  const [start, end] = [Math.floor(from ?? 0), Math.ceil(to ?? 1_000_000)];
  if (end <= start) throw argumentErrors.BAD_ARGUMENT('to: must be after from', { field: 'to' });
  return { segments_to_frame_indices: { [path]: [start, end] as [number, number] } };
}

function answerOf(answer: MomentsAnswer, start: number, request: Input): ToolAnswer<Static<typeof output>> {
  const page = answer.moments.slice(start, start + request.limit);
  const weaker = weakerText(answer.weaker);
  const said = notes(answer.warnings ?? [answer.toast_warning]);
  if (page.length === 0) {
    const hint = said.length === 0 ? ' Try other words, or fewer conditions.' : '';
    const nothing = weaker.length > 0 ? 'Nothing looks like this.' : 'No moments were found.';
    const none = start > 0 ? 'There are no more moments.' : `${nothing}${hint}`;
    return { text: [none, ...weaker, ...said].join('\n'), data: dataOf([], null, answer.weaker) };
  }
  const { text, shown, cursor } = listed({
    head: [`Moments ${start + 1}-${start + page.length}, ${orderOf(request)} first.`, ...weaker, ...said],
    rows: page.map(row),
    next: placeAfter(start, answer.moments.length),
  });
  const moments = page.slice(0, shown);
  return {
    text,
    previews: moments.filter(({ kind }) => kind !== 'audio').map(({ moment_id }) => moment_id),
    data: dataOf(moments, cursor, answer.weaker),
  };
}

function dataOf(moments: readonly Moment[], cursor: string | null, weaker = 0) {
  const rows = moments.map(({ moment_id, hash_str, media_path, kind, ...moment }) => {
    const { time_seconds, start_seconds, end_seconds, reasons } = moment;
    const kinds = reasons.map((reason) => reason.kind);
    return {
      moment_id,
      hash_str,
      media_path,
      kind,
      time_seconds,
      start_seconds,
      end_seconds,
      reasons: kinds,
    };
  });
  return { moments: rows, cursor, weaker };
}

function orderOf({ text, image_path, like }: Input): string {
  return (text ?? image_path ?? like) === undefined ? 'recorded last' : 'best';
}

function weakerText(weaker = 0): string[] {
  if (weaker === 0) return [];
  const matches = weaker === 1 ? '1 weak match' : `${weaker} weak matches`;
  return [`${matches} ${weaker === 1 ? 'was' : 'were'} omitted; to see all of them, send weak true.`];
}

function row(moment: Moment): string {
  const { moment_id, media_path, kind, time_seconds, start_seconds, end_seconds, reasons } = moment;
  const when =
    kind === 'image'
      ? 'still'
      : `at ${timeText(time_seconds)}, scene ${rangeText(start_seconds, end_seconds)}`;
  const why = reasons.slice(0, 3).map(reasonText);
  const because = why.length === 0 ? '' : `: ${why.join('; ')}`;
  return `${oneLine(moment_id, 130)} ${fileName(media_path)} ${when}${because}`;
}

const namedText = {
  person: 'who is seen',
  file: 'the file',
  folder: 'its folder',
  list: 'a list with it',
  speaker: 'who speaks',
  sound: 'what is heard',
} as const;

function reasonText(reason: Reason): string {
  const rank = `rank ${reason.rank}`;
  if (reason.kind === 'seen')
    return reason.explanation ? `seen (${reason.explanation.band}), ${rank}` : `seen, ${rank}`;
  if (reason.kind === 'person') return `${oneLine(reason.name, 80)} is seen, ${rank}`;
  if (reason.kind === 'name') return `${namedText[reason.of]} is named ${quoted(reason.name, 120)}, ${rank}`;
  if (reason.kind === 'written') return `written there, ${rank}: ${quoted(reason.text, 200)}`;
  const who = oneLine(reason.speaker_name || reason.speaker || '', 80);
  return `said${who === '' ? '' : ` by ${who}`}, ${rank}: ${quoted(reason.text, 200)}`;
}

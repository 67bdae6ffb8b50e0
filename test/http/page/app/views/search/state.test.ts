import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import type { Facet } from '../../../../../../actors/index/facets/contract.ts';
import type { Moment } from '../../../../../../actors/search/moments/contract.ts';
import { SavedRequest } from '../../../../../../events/searches/contract.ts';
import { update } from '../../../../../../http/page/app/store.ts';
import { suggestionsFor } from '../../../../../../http/page/app/views/search/box.ts';
import { foundRange } from '../../../../../../http/page/app/views/search/chosen.ts';
import {
  filterText,
  optionsToShow,
  rangeOf,
  withOption,
  withRange,
} from '../../../../../../http/page/app/views/search/filters.ts';
import {
  byFilm,
  byRank,
  copiesText,
  folded,
} from '../../../../../../http/page/app/views/search/group-head.ts';
import {
  change,
  countOf,
  emptyQuery,
  isByPicture,
  isWhole,
  momentsRequest,
  phrases,
  queryOf,
  relevanceRequest,
  type SearchFields,
  savedRequest,
  search,
} from '../../../../../../http/page/app/views/search/state.ts';
import { searchMoments, searchRelevance } from '../../../../../../http/routes/search.ts';

const ask = (query: Partial<SearchFields>) => momentsRequest({ ...emptyQuery, ...query }, '/analysis');
const like = { kind: 'like', hash_str: 'aa', media_path: '/a.mp4', seconds: 3 } as const;
const ann = { name: 'Ann', cluster_job_name: 'Family' };

test('nothing is asked without words, a picture, a person or a filter', () => {
  assert.equal(ask({}), null);
  assert.equal(ask({ text: '  ', exclude: 'snow', filters: [] }), null);
  assert.equal(relevanceRequest({ ...emptyQuery, people: [ann] }, '/analysis', 'aa'), null);
});

test('what is asked is what the routes take', () => {
  const queries: Partial<SearchFields>[] = [
    { text: 'red car' },
    { text: 'red car', exclude: 'snow, fog,', kinds: ['seen'] },
    { picture: like },
    { picture: { kind: 'own', name: 'a.jpg', data: 'AAAA' }, text: 'at night', weight: 0.5 },
    { people: [ann], peopleMode: 'or' },
    { text: 'x', film: { hash_str: 'aa', media_path: '/a.mp4', start: 1.5, end: null } },
    { filters: [{ facet_id: 'time.year', operator: 'greater_than', values: ['2020'] }] },
    { text: 'x', filters: [{ facet_id: 'time.year', operator: 'greater_than', values: ['2020'] }] },
  ];
  for (const query of queries) {
    const sent = JSON.parse(JSON.stringify(ask(query)));
    assert.ok(Check(searchMoments.body!, { max_per_media: null, ...sent }), JSON.stringify(sent));
  }
  const relevance = relevanceRequest({ ...emptyQuery, text: 'x', exclude: 'y' }, '/analysis', 'aa');
  assert.ok(Check(searchRelevance.body!, relevance));
});

test('all kinds are asked for by naming none; people and filters alone have no question', () => {
  assert.equal('kinds' in ask({ text: 'x' })!, false);
  assert.deepEqual(ask({ text: 'x', kinds: ['said'] })!.kinds, ['said']);
  const filters = [{ facet_id: 'time.year', operator: 'include_any_of', values: ['2024'] }] as const;
  for (const one of [{ people: [ann] }, { filters }]) {
    const asked = ask({ ...one, kinds: ['said'], exclude: 'snow', weight: 3 })!;
    assert.deepEqual([asked.query, asked.kinds, asked.exclude], [undefined, undefined, []]);
    assert.equal(asked.people_filter.length + (asked.metadata_filter_request?.filters.length ?? 0), 1);
  }
});

test('what matches should not be like goes with words alone, at most 16 of them', () => {
  assert.deepEqual(phrases(' snow ,, fog at night, '), ['snow', 'fog at night']);
  assert.deepEqual(ask({ picture: like, exclude: 'snow' })!.exclude, []);
  assert.equal(ask({ text: 'x', exclude: 'a,'.repeat(40) })!.exclude.length, 16);
});

test('a part of a film is a range of whole seconds that is not empty', () => {
  const range = (start: number | null, end: number | null) =>
    ask({ text: 'x', film: { hash_str: 'aa', media_path: '/a.mp4', start, end } })!.segments_to_frame_indices;
  assert.deepEqual(range(null, null), {});
  assert.deepEqual(range(1.5, 3.2), { '/a.mp4': [1, 4] });
  assert.deepEqual(range(5, 2), { '/a.mp4': [5, 6] });
  assert.equal(
    ask({ text: 'x', film: { hash_str: 'aa', media_path: '/a.mp4', start: null, end: null } })!.search_all,
    false,
  );
});

const facet = (kind: Facet['kind'], options: [string, number][] = []): Facet => ({
  id: 'f',
  label: 'F',
  group: 'G',
  path: ['G', 'F'],
  kind,
  options: options.map(([value, count]) => ({ value, label: value, count, meta: {} })),
});

test('options are shown that tell media apart, and those that are chosen', () => {
  const { options } = facet('single', [
    ['a', 3],
    ['b', 10],
    ['c', 0],
    ['d', 0],
  ]);
  assert.deepEqual(
    optionsToShow({ ...facet('single'), options }, ['d'], 10).map(({ value }) => value),
    ['a', 'd'],
  );
});

test('a folder of which all lies in one below it is not shown', () => {
  const folder = (value: string, parent: string | null, count: number) => ({
    ...{ value, label: value, count, meta: { parent } },
  });
  const options = [folder('/a', null, 3), folder('/a/b', '/a', 3), folder('/a/b/c', '/a/b', 2)];
  assert.deepEqual(
    optionsToShow({ ...facet('multi'), options }, [], 10).map(({ value }) => value),
    ['/a/b', '/a/b/c'],
  );
});

test('an option is chosen and taken back; nothing chosen is no condition', () => {
  const one = withOption([], 'f', 'a');
  const two = withOption(one, 'f', 'b');
  assert.deepEqual(two, [{ facet_id: 'f', operator: 'include_any_of', values: ['a', 'b'] }]);
  assert.deepEqual(withOption(withOption(two, 'f', 'a'), 'f', 'b'), []);
});

test('both ends of a range belong to it', () => {
  const dates = withRange(
    withRange([], facet('date'), 'from', '2024-05-01'),
    facet('date'),
    'to',
    '2024-05-31',
  );
  assert.deepEqual(
    dates.map(({ operator, values }) => [operator, values[0]]),
    [
      ['after', '2024-04-30'],
      ['before', '2024-06-01'],
    ],
  );
  assert.deepEqual(rangeOf(dates, facet('date')), { from: '2024-05-01', to: '2024-05-31' });
  const numbers = withRange([], facet('numeric'), 'from', '24');
  assert.ok(Number(numbers[0]!.values[0]) < 24);
  assert.deepEqual(rangeOf(numbers, facet('numeric')), { from: '24', to: '' });
  assert.deepEqual(withRange(dates, facet('date'), 'to', ''), dates.slice(0, 1));
});

const seen = (band: 'strong' | 'likely' | 'weak') => ({
  kind: 'seen' as const,
  rank: 1,
  explanation: { band, parts: [] },
});
const said = {
  kind: 'said',
  rank: 1,
  text: 'x',
  start_seconds: 0,
  end_seconds: 1,
  speaker: '',
  speaker_name: '',
} as const;
const written = (band: 'strong' | 'weak'): Moment['reasons'][number] => ({
  kind: 'written',
  rank: 1,
  text: 'x',
  score: 0.5,
  band,
  box: [0, 0, 1, 1],
  best_seconds: 0,
  start_seconds: 0,
  end_seconds: 1,
});
const moment = (id: string, film: string, ...reasons: Moment['reasons'][number][]): Moment => ({
  ...{ moment_id: id, hash_str: film, media_path: `/${film}.mp4`, kind: 'video' },
  ...{ time_seconds: Number(id), start_seconds: 0, end_seconds: 1, reasons },
});

const moments = [
  moment('1', 'a', seen('strong')),
  moment('2', 'b', seen('weak')),
  moment('3', 'b', seen('weak'), said),
  moment('4', 'a', seen('weak')),
  moment('5', 'a', written('weak'), seen('likely')),
  moment('6', 'a', written('weak')),
  moment('7', 'c', { kind: 'seen', rank: 7 }),
];
const shown = (ordered: ReturnType<typeof folded>) =>
  ordered.groups.map(({ kind, hash_str, from, to }) => {
    const ids = ordered.moments.slice(from, to).map(({ moment_id }) => moment_id);
    return `${kind} ${hash_str}${ids.join()}`;
  });

test('what stands out comes first, then a line that counts the rest, which it opens', () => {
  assert.deepEqual(shown(folded(moments, byFilm, false)), ['film a1,5', 'film b3', 'film c7', 'weaker ']);
  assert.deepEqual(shown(folded(moments, byRank, false)), ['all 1,3,5,7', 'weaker ']);
  const open = folded(moments, byFilm, true);
  assert.deepEqual(shown(open), ['film a1,5', 'film b3', 'film c7', 'weaker ', 'film b2', 'film a4,6']);
  assert.deepEqual([open.weaker, open.moments.length], [3, 7]);
});

test('without a weak match there is no line, and without another one nothing else', () => {
  assert.deepEqual(shown(folded(moments.slice(0, 1), byFilm, false)), ['film a1']);
  assert.deepEqual(shown(folded([moments[1]!], byFilm, false)), ['weaker ']);
  assert.deepEqual(shown(folded([moments[1]!], byFilm, true)), ['weaker ', 'film b2']);
});

test('a file that is found by its name is a whole file, and nothing that is found by a name is weak', () => {
  const name = (of: 'file' | 'speaker') => ({ kind: 'name', rank: 1, of, name: 'Kakadu' }) as const;
  const [file, scene, speaker] = [
    moment('0', 'a', name('file')),
    moment('5', 'b', name('file'), seen('weak')),
    moment('8', 'c', name('speaker')),
  ];
  assert.deepEqual([file, scene, speaker].map(isWhole), [true, false, false]);
  assert.deepEqual(shown(folded([file, scene, speaker], byRank, false)), ['all 0,5,8']);
});

test('a kind with weak matches counts those that are shown, any other also what lies beyond the limit', () => {
  const counts = { seen: 90, said: 80, person: 0, written: 70, name: 0 };
  const count = (kind: 'seen' | 'said' | 'written') => countOf({ moments, counts }, kind);
  assert.deepEqual([count('seen'), count('said'), count('written')], [3, 80, 0]);
});

test('a filter is told by the names of its options, and a range by the ends that a person gave', () => {
  const named = facet('single', [['a', 1]]);
  const [one] = withOption([], 'f', 'a');
  assert.deepEqual([filterText(one!, named), filterText(one!, undefined)], ['F = a', 'f = a']);
  const stills = withOption([], 'technical.media_kind', 'image')[0]!;
  assert.equal(filterText(stills, { ...named, id: stills.facet_id, label: 'X' }), 'Kind = Image');
  update({ language: 'de' });
  assert.equal(filterText(stills, { ...named, id: stills.facet_id, label: 'X' }), 'Art = Bild');
  assert.equal(filterText(withOption([], 'things.seen', 'car')[0]!, undefined), 'Dinge = Auto');
  assert.equal(
    filterText(withOption([], 'technical.audio_language', 'fr')[0]!, undefined),
    'Sprache des Tons = Französisch',
  );
  const things = {
    ...facet('multi', [
      ['car', 2],
      ['cow', 1],
    ]),
    id: 'things.seen',
  };
  for (const word of ['ein rotes aut', 'ein rotes car']) {
    const [first] = suggestionsFor(word, { people: [], facets: [things] });
    assert.deepEqual([first?.label, first?.of], ['Auto', 'Dinge'], word);
    first?.take();
    assert.deepEqual(search.get().query.filters, withOption([], 'things.seen', 'car'));
    change({ filters: [], text: '' });
  }
  update({ language: 'en' });
  const range = (kind: Facet['kind'], part: 'from' | 'to', value: string) =>
    filterText(withRange([], facet(kind), part, value)[0]!, facet(kind));
  assert.equal(range('numeric', 'from', '60'), 'F ≥ 60');
  assert.equal(range('date', 'to', '2024-05-31'), 'F ≤ 2024-05-31');
  const odd = { facet_id: 'f', operator: 'after', values: ['soon'] } as const;
  assert.equal(filterText(odd, facet('date')), 'F ≥ soon');
});

test('a saved search asks for the same when it is run again', () => {
  const own = { kind: 'own', name: 'Reds', data: 'AAAA' } as const;
  const like = { kind: 'like', hash_str: 'ab', media_path: '', seconds: 2 } as const;
  const people = [{ name: 'Ann', cluster_job_name: 'all' }];
  const filters = [{ facet_id: 'file.folder', operator: 'include_any_of', values: ['/a'] }] as const;
  const file = { kind: 'file', path: '/a.jpg', seconds: null } as const;
  for (const query of [
    { ...emptyQuery, text: 'red car', exclude: 'night, snow', filters, kinds: ['seen'] as const },
    { ...emptyQuery, text: 'red', picture: own, weight: 2 },
    { ...emptyQuery, picture: like, people, peopleMode: 'or' as const },
    { ...emptyQuery, people },
    { ...emptyQuery, filters },
    { ...emptyQuery, picture: file },
    { ...emptyQuery, text: 'red', picture: { ...file, path: '/a.mp4', seconds: 2.5 } },
  ]) {
    const request = savedRequest(query, '/cache');
    assert.ok(Check(SavedRequest, request));
    assert.deepEqual(queryOf(request, 'Reds'), query);
  }
  assert.equal(savedRequest({ ...emptyQuery, exclude: 'night' }, '/cache'), null);
});

test('two other files of the same content are named and further ones are counted, in both languages', (t) => {
  t.after(() => update({ language: 'en' }));
  const of = (...other_paths: string[]) => copiesText({ other_paths });
  assert.equal(copiesText({}), '');
  assert.equal(of('/b.mp4'), 'Also at /b.mp4');
  assert.equal(of('/b.mp4', '/c.mp4'), 'Also at /b.mp4, /c.mp4');
  assert.equal(of('/b', '/c', '/d', '/e'), 'Also at /b, /c and 2 more');
  update({ language: 'de' });
  assert.equal(of('/b', '/c', '/d'), 'Auch unter /b, /c und 1 weiteren');
});

test('what is put aside is what was found, not the shot around it', () => {
  const range = (reasons: unknown, moment: Partial<Moment> = {}) => {
    const whole = { kind: 'video', start_seconds: 0, end_seconds: 3600, reasons, ...moment } as Moment;
    const { start_seconds, end_seconds } = foundRange(whole);
    return [start_seconds, end_seconds];
  };
  const times = (start_seconds: number, end_seconds: number) => ({ start_seconds, end_seconds });
  const said = { kind: 'said', ...times(120, 124.5) };
  const text = { kind: 'seen', explanation: { band: 'likely', parts: [{ part: 'text', band: 'likely' }] } };
  const car = {
    kind: 'seen',
    explanation: {
      band: 'strong',
      parts: [{ part: 'things', band: 'strong', boxes: [times(8, 9), times(8, 12)] }],
    },
  };
  assert.deepEqual(range([said]), [120, 124.5]);
  assert.deepEqual(range([text, said, { ...said, ...times(126, 130) }]), [120, 130]);
  assert.deepEqual(range([text]), [0, 3600]);
  assert.deepEqual(range([car]), [6, 14]);
  assert.deepEqual(range([car], times(7, 13)), [7, 13]);
  assert.deepEqual(range([{ kind: 'written', band: 'strong', ...times(60, 70) }]), [58, 72]);
  assert.deepEqual(range([{ kind: 'written', band: 'weak', ...times(60, 70) }, said]), [120, 124.5]);
  assert.deepEqual(range([{ kind: 'person', ...times(1, 5) }]), [0, 7]);
  // A hit that was stored earlier does not say when.
  assert.deepEqual(range([{ kind: 'person' }], times(3, 9)), [3, 9]);
  assert.deepEqual(range([car], { kind: 'image', ...times(0, 1) }), [0, 1]);
});

test('searched by a picture, the best match of each file is never folded', () => {
  const found = [
    moment('1', 'a', seen('weak')),
    moment('2', 'b', seen('weak')),
    moment('3', 'a', seen('weak')),
  ];
  assert.deepEqual(shown(folded(found, byRank, false, true)), ['all 1,2', 'weaker ']);
  assert.deepEqual(shown(folded(found, byFilm, true, true)), ['film a1', 'film b2', 'weaker ', 'film a3']);
  const answer = { moments: found, counts: { seen: 3, said: 0, person: 0, written: 0, name: 0 } };
  assert.deepEqual([countOf(answer, 'seen', true), countOf(answer, 'seen')], [2, 0]);
  const picture = { kind: 'own', name: 'a.png', data: '' } as const;
  assert.deepEqual(
    [isByPicture({ picture, text: ' ' }), isByPicture({ picture, text: 'red' })],
    [true, false],
  );
});

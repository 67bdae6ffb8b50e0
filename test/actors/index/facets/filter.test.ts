import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Probe } from '../../../../actors/decoder/contract.ts';
import {
  type FilterOperator,
  filterErrors,
  type MetadataFilter,
} from '../../../../actors/index/facets/contract.ts';
import { checkFilters } from '../../../../actors/index/facets/filter.ts';
import { countFacets, facetReport, mostOptions } from '../../../../actors/index/facets/handlers.ts';
import { facets } from '../../../../actors/index/facets/list.ts';
import { FacetTable } from '../../../../actors/index/facets/table.ts';
import type { MediaRecord } from '../../../../actors/index/store/contract.ts';
import { draws } from '../../../shared.ts';
import { record, stream } from './media.ts';

const pause = () => {};
const filter = (facet_id: string, operator: FilterOperator, ...values: string[]): MetadataFilter => ({
  facet_id,
  operator,
  values,
});

function tableOf(records: readonly MediaRecord[]): FacetTable {
  const table = new FacetTable(facets);
  for (const { path, identity } of records) table.setPath(path, identity.hash_str);
  for (const one of records) table.set(one.identity.hash_str, one);
  return table;
}

function report(records: readonly MediaRecord[], filters: readonly MetadataFilter[]) {
  const hashes = records.map(({ identity }) => identity.hash_str);
  const nothing = { visual: [], speech: [] };
  return facetReport(tableOf(records), { mode: 'paths', hashes }, nothing, filters, pause);
}

const passing = (records: readonly MediaRecord[], filters: readonly MetadataFilter[]) => {
  const passes = tableOf(records).passing(checkFilters(facets, filters, 'filters'));
  return records.map(({ identity }) => identity.hash_str).filter(passes);
};

const sound = (...languages: (string | null)[]): Pick<Probe, 'audio'> => ({
  audio: languages.map((language, index) => ({
    index,
    codec: 'aac',
    sample_rate: 48000,
    channels: 2,
    layout: 'stereo',
    language,
  })),
});

const footage = [
  record('a', '/f/2023/a.mp4', { creation_date: '2023-05-17T10:00:00Z', ...sound('eng') }),
  record('b', '/f/2024/b.mov', {
    creation_date: '2024-02-01',
    ...sound('eng', 'deu'),
    width: 3840,
    height: 2160,
  }),
  record('c', '/f/2024/c.mov', { creation_date: '2024-11-05T08:30:00', ...sound('deu') }),
  record('d', '/g/d.mp4', { video: { ...stream, frame_rate: { num: 50, den: 1 } } }),
];

test('each operator keeps what it says, and media that lack the value pass only the ones that exclude', () => {
  const language = 'technical.audio_language';
  for (const [kept, ...said] of [
    ['ab', language, 'is_any_of', 'en'],
    ['abc', language, 'include_any_of', 'en', 'de'],
    ['b', language, 'include_all_of', 'en', 'de'],
    ['cd', language, 'is_not', 'en'],
    ['d', language, 'exclude_any_of', 'en', 'de'],
    ['acd', language, 'exclude_all_of', 'en', 'de'],
    ['', language, 'is_any_of', 'xx'],
    ['b', 'technical.resolution_class', 'is_any_of', '4k'],
    ['acd', 'technical.resolution_class', 'is_not', '4k'],
    ['', 'technical.resolution_class', 'include_all_of', '4k', '1080p'],
    ['bc', 'time.creation_date', 'is_any_of', '2024'],
    ['c', 'time.creation_date', 'is_any_of', '2024-11-05'],
    ['ad', 'time.creation_date', 'is_not', '2024'],
    ['a', 'time.creation_date', 'before', '2024'],
    ['ab', 'time.creation_date', 'before', '2024-11-05T08:00'],
    ['bc', 'time.creation_date', 'after', '2023'],
    ['c', 'time.creation_date', 'after', '2024-02-01'],
    ['abc', 'technical.frame_rate', 'is_any_of', '25.0'],
    ['d', 'technical.frame_rate', 'greater_than', '25'],
    ['abc', 'technical.frame_rate', 'less_than', '50'],
    ['d', 'technical.frame_rate', 'exclude_any_of', '25'],
    ['bc', 'file.folder', 'is_any_of', '/f/2024'],
    ['abc', 'file.folder', 'is_any_of', '/f'],
    ['d', 'file.folder', 'is_not', '/f'],
  ] as const) {
    const [facet_id, operator, ...values] = said as [string, FilterOperator, ...string[]];
    assert.equal(passing(footage, [filter(facet_id, operator, ...values)]).join(''), kept, said.join(' '));
  }
  const range = [
    filter('time.creation_date', 'after', '2024-01'),
    filter('time.creation_date', 'before', '2024-06'),
  ];
  assert.deepEqual(passing(footage, range), ['b']);
});

test('a filter that cannot be understood is refused by the name of its field', () => {
  const { UNKNOWN_FACET, WRONG_OPERATOR, WRONG_VALUES } = filterErrors;
  const fine = filter('technical.hdr', 'is_any_of', 'sdr');
  for (const [wrong, error, field] of [
    [filter('technical.none', 'is_any_of', 'x'), UNKNOWN_FACET, 'facet_id'],
    [filter('__proto__', 'is_any_of', 'x'), UNKNOWN_FACET, 'facet_id'],
    [filter('technical.hdr', 'before', '2024'), WRONG_OPERATOR, 'operator'],
    [filter('technical.frame_rate', 'after', '25'), WRONG_OPERATOR, 'operator'],
    [filter('time.creation_date', 'greater_than', '2024'), WRONG_OPERATOR, 'operator'],
    [filter('time.creation_date', 'include_all_of', '2024'), WRONG_OPERATOR, 'operator'],
    [filter('technical.hdr', 'is_any_of'), WRONG_VALUES, 'values'],
    [filter('technical.frame_rate', 'greater_than', '25', '30'), WRONG_VALUES, 'values'],
    [filter('technical.frame_rate', 'is_any_of', '25', 'fast'), WRONG_VALUES, 'values'],
    [filter('technical.frame_rate', 'is_any_of', ''), WRONG_VALUES, 'values'],
    [filter('time.creation_date', 'before', 'soon'), WRONG_VALUES, 'values'],
  ] as const) {
    assert.throws(
      () => checkFilters(facets, [fine, wrong], 'filters'),
      (thrown) => error.is(thrown) && thrown.details['field'] === `filters[1].${field}`,
      JSON.stringify(wrong),
    );
  }
});

test('every operator is taken by some facet and refused by another', () => {
  const takes = (facet_id: string, operator: FilterOperator) => {
    try {
      checkFilters(facets, [filter(facet_id, operator, '2024')], 'filters');
      return true;
    } catch (error) {
      assert.ok(filterErrors.WRONG_OPERATOR.is(error));
      return false;
    }
  };
  const of = (...operators: FilterOperator[]) =>
    ['technical.hdr', 'file.folder', 'time.year', 'time.creation_date'].map((id) =>
      operators.every((operator) => takes(id, operator)),
    );
  assert.deepEqual(of('is_any_of', 'is_not', 'include_any_of', 'exclude_any_of'), [true, true, true, true]);
  assert.deepEqual(of('include_all_of'), [true, true, false, false]);
  assert.deepEqual(of('exclude_all_of'), [true, true, false, false]);
  assert.deepEqual(of('greater_than'), [false, false, true, false]);
  assert.deepEqual(of('less_than'), [false, false, true, false]);
  assert.deepEqual(of('before'), [false, false, false, true]);
  assert.deepEqual(of('after'), [false, false, false, true]);
});

test('options of a filtered facet keep their counts, those of others are narrowed, and a chosen one never goes', () => {
  const filters = [
    filter('technical.resolution_class', 'is_any_of', '4k'),
    filter('technical.hdr', 'is_any_of', 'pq'),
  ];
  const optionsOf = (id: string, of: readonly MetadataFilter[]) =>
    report(footage, of)
      .facets.find((one) => one.id === id)
      ?.options.map(({ value, label, count }) => [value, label, count]);
  assert.deepEqual(optionsOf('technical.resolution_class', filters.slice(0, 1)), [
    ['4k', '4K / UHD', 1],
    ['1080p', '1080p / Full HD', 3],
  ]);
  assert.deepEqual(optionsOf('technical.audio_language', filters.slice(0, 1)), [
    ['de', 'German', 1],
    ['en', 'English', 1],
  ]);
  assert.deepEqual(optionsOf('technical.hdr', filters), [
    ['sdr', 'SDR', 1],
    ['pq', 'HDR (PQ)', 0],
  ]);
  const dates = report(footage, []).facets.find(({ id }) => id === 'time.creation_date');
  assert.deepEqual([dates?.min, dates?.max], ['2023-05-17', '2024-11-05']);
  const rates = report(footage, []).facets.find(({ id }) => id === 'technical.frame_rate');
  assert.deepEqual([rates?.kind, rates?.min, rates?.max], ['numeric', 25, 50]);
});

test('a facet with more options than are listed says so and still lists the chosen one', () => {
  const many = Array.from({ length: mostOptions + 5 }, (_, i) => record(`h${i}`, `/f/${i}/a.mp4`));
  const last = `/f/${mostOptions + 4}`;
  const { facets: all, shortened } = report(many, [filter('file.folder', 'is_any_of', last)]);
  const folders = all.find(({ id }) => id === 'file.folder')?.options ?? [];
  assert.deepEqual(shortened, ['file.folder']);
  assert.deepEqual(folders[0], {
    value: '/f',
    label: 'f',
    count: mostOptions + 5,
    meta: { parent: null, depth: 1 },
  });
  assert.ok(folders.length <= mostOptions + 1);
  assert.deepEqual(folders.find(({ value }) => value === last)?.count, 1);
});

/** Facts that often agree, so that filters keep some and lose some. */
const someMedia = fc.record({
  path: fc
    .constantFrom('/f/a', '/f/a/x', '/f/b', '/g')
    .chain((folder) => fc.constantFrom('1.mp4', '2.mov', '3').map((name) => `${folder}/${name}`)),
  size: fc.constantFrom([1920, 1080], [1080, 1920], [640, 360], [0, 0]),
  rate: fc.constantFrom(null, 24, 25, 50),
  depth: fc.constantFrom(8, 10),
  languages: fc.subarray(['eng', 'deu', 'fra', null]),
  created: fc.constantFrom(null, '2023', '2023-05-17', '2023-05-17T23:30:00-05:00', '2024-02-29T10:00:00Z'),
  make: fc.constantFrom(null, 'Canon', 'Sony'),
});
const someRecords = fc.array(someMedia, { maxLength: 25 }).map((list) =>
  list.map(({ path, size, rate, depth, languages, created, make }, i) =>
    record(`h${i}`, path.replace(/(\d)/, `$1-${i}`), {
      width: size[0] ?? 0,
      height: size[1] ?? 0,
      video: rate === null ? null : { ...stream, bit_depth: depth, frame_rate: { num: rate, den: 1 } },
      ...sound(...languages),
      creation_date: created,
      camera_make: make,
    }),
  ),
);
const sets = [
  'is_any_of',
  'is_not',
  'include_any_of',
  'include_all_of',
  'exclude_any_of',
  'exclude_all_of',
] as const;
const some = ['is_any_of', 'is_not', 'include_any_of', 'exclude_any_of'] as const;
const oneFilter = (id: string, operators: readonly FilterOperator[], values: string[], max = 3) =>
  fc.record({
    facet_id: fc.constant(id),
    operator: fc.constantFrom(...operators),
    values: fc.subarray(values, { minLength: 1, maxLength: Math.min(max, values.length) }),
  });
const someFilters = fc.array(
  fc.oneof(
    oneFilter('technical.audio_language', sets, ['en', 'de', 'fr']),
    oneFilter('technical.orientation', sets, ['landscape', 'portrait', 'none']),
    oneFilter('file.folder', sets, ['/f', '/f/a', '/g']),
    oneFilter('technical.frame_rate', some, ['24', '25', '50']),
    oneFilter('technical.frame_rate', ['greater_than', 'less_than'], ['24', '25'], 1),
    oneFilter('time.creation_date', some, ['2023', '2023-05-17', '2024-02']),
    oneFilter('time.creation_date', ['before', 'after'], ['2023-06', '2024-02-29T09:00:00Z'], 1),
    oneFilter('source.camera_make', sets, ['Canon', 'Sony']),
  ),
  { maxLength: 4 },
);

/** The values a media has, by the plainest means. */
function naively(media: MediaRecord, { facet_id, operator, values }: MetadataFilter): boolean {
  const { probe, path } = media;
  const languages: Record<string, string> = { eng: 'en', deu: 'de', fra: 'fr' };
  const own = {
    'technical.audio_language': probe.audio.flatMap(({ language }) => languages[language ?? ''] ?? []),
    'technical.orientation': probe.width === 0 ? [] : [probe.width > probe.height ? 'landscape' : 'portrait'],
    'file.folder': ['/f', '/f/a', '/f/a/x', '/f/b', '/g'].filter((folder) => path.startsWith(`${folder}/`)),
    'technical.frame_rate': probe.video ? [String(probe.video.frame_rate.num)] : [],
    'source.camera_make': probe.camera_make ? [probe.camera_make] : [],
    'time.creation_date': probe.creation_date && probe.creation_date.length > 4 ? [probe.creation_date] : [],
  }[facet_id] as string[];
  const date = facet_id === 'time.creation_date';
  const has = (value: string) => own.some((one) => (date ? one.startsWith(value) : one === value));
  switch (operator) {
    case 'is_any_of':
    case 'include_any_of':
      return values.some(has);
    case 'is_not':
    case 'exclude_any_of':
      return !values.some(has);
    case 'include_all_of':
      return values.every(has);
    case 'exclude_all_of':
      return !values.every(has);
    case 'greater_than':
      return own.some((one) => Number(one) > Number(values[0]));
    case 'less_than':
      return own.some((one) => Number(one) < Number(values[0]));
    case 'before':
      return own.some((one) => one.startsWith('2023'));
    case 'after':
      return own.some((one) => one.startsWith('2024'));
  }
}

test('filters keep what a look at each media by itself keeps', () => {
  fc.assert(
    fc.property(someRecords, someFilters, (records, filters) => {
      const wanted = records.filter((media) => filters.every((one) => naively(media, one)));
      assert.deepEqual(
        passing(records, filters),
        wanted.map(({ identity }) => identity.hash_str),
      );
    }),
    { numRuns: draws(200) },
  );
});

test('choosing an option in place of the filters of its facet leaves as many media as its count says', () => {
  fc.assert(
    fc.property(someRecords, someFilters, (records, filters) => {
      const table = tableOf(records);
      const hashes = records.map(({ identity }) => identity.hash_str);
      const { rows } = table.rowsOf(hashes, pause);
      const counted = countFacets(table, rows, checkFilters(facets, filters, 'filters'), pause);
      for (const { id, options } of counted.facets) {
        const others = filters.filter(({ facet_id }) => facet_id !== id);
        for (const { value, count } of options) {
          const chosen = [...others, filter(id, 'is_any_of', value)];
          assert.equal(passing(records, chosen).length, count, `${id} ${value}`);
        }
      }
    }),
    { numRuns: draws(60) },
  );
});

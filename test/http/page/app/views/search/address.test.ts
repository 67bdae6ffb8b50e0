// A search in the address: whatever is asked for comes out of it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeOnPage } from '../../../../../../cli/commands/search.ts';
import { addressOf, placeOf, titleOf } from '../../../../../../http/page/app/views/search/address.ts';
import { emptyQuery, kinds } from '../../../../../../http/page/app/views/search/state.ts';
import { plainQuestion } from '../../../../../cli/plain-question.ts';

const text = fc.string({ maxLength: 12 });
const seconds = fc.option(fc.integer({ min: 0, max: 9999 }).map((n) => n / 4));
const filters = fc.uniqueArray(
  fc.record({
    facet_id: fc.constantFrom('file.folder', 'things.seen', 'time.year'),
    operator: fc.constantFrom(
      'include_any_of',
      'exclude_any_of',
      'greater_than',
      'less_than',
      'after',
      'before',
    ),
    values: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
  { selector: ({ facet_id, operator }) => facet_id + operator },
);
const query = fc.record({
  text,
  exclude: text,
  picture: fc.option(
    fc.oneof(
      fc.constant({ kind: 'like', hash_str: 'ab-12', media_path: '', seconds: 2.5 } as const),
      fc.record({ kind: fc.constant('file' as const), path: fc.string({ minLength: 1 }), seconds }),
    ),
  ),
  weight: fc.constantFrom(1, 0.1, 10),
  kinds: fc.subarray([...kinds], { minLength: 1 }),
  people: fc.array(fc.record({ name: text, cluster_job_name: fc.constantFrom('all', 'some') }), {
    maxLength: 2,
  }),
  peopleMode: fc.constantFrom('and', 'or'),
  filters,
  film: fc.option(
    fc.record({ hash_str: fc.constant('ab-12'), media_path: fc.constant(''), start: seconds, end: seconds }),
  ),
  unlike: fc.array(fc.record({ hash_str: fc.constant('ab-12'), seconds: fc.nat(99) }), { maxLength: 2 }),
  limit: fc.constant(emptyQuery.limit),
});

test('a search and its place come out of the address as they went in', () => {
  const place = fc.record({ query, isGrouped: fc.boolean(), showsWeaker: fc.boolean(), at: fc.nat(999) });
  fc.assert(
    fc.property(place, (one) => {
      assert.deepEqual(placeOf(addressOf(one), null), JSON.parse(JSON.stringify(one)));
    }),
  );
});

test('nothing that is asked for is an empty address, and what is none is nothing', () => {
  const nothing = { query: emptyQuery, isGrouped: true, showsWeaker: false, at: 0 };
  assert.equal(addressOf(nothing), '');
  for (const address of ['', 'kinds=none', 'f=x', 'f=a~?~b', 'at=-3', 'at=x', 'like=/a.mp4', 'weight=0'])
    assert.deepEqual(placeOf(address, null), nothing, address);
});

test('a picture of a person stays beside the address, and paths stay out of it', () => {
  const own = { kind: 'own', name: 'sea.jpg', data: 'AAAA' } as const;
  const film = { hash_str: 'ab', media_path: '/secret/a.mp4', start: null, end: null };
  const place = { query: { ...emptyQuery, picture: own, film }, isGrouped: true, showsWeaker: false, at: 0 };
  const address = addressOf(place);
  assert.doesNotMatch(address, /AAAA|secret/);
  assert.deepEqual(placeOf(address, own).query.picture, own);
  assert.equal(placeOf(address, null).query.picture, null);
  assert.equal(
    titleOf({ ...emptyQuery, text: ' sea ', picture: own, exclude: 'fog' }),
    'sea · sea.jpg · – fog',
  );
});

test('a search opens in the page as its address has it, but for filters that the page has not', () => {
  const question = {
    ...plainQuestion,
    query: 'red car',
    exclude: ['blue'],
    frame: { path: '/a b.mp4', seconds: 3.5 },
    people: ['Ann'],
    clusterJob: 'family',
    filters: [{ facet_id: 'time.year', operator: 'is_any_of' as const, values: ['2024', '2025'] }],
  };
  const { query, showsWeaker } = placeOf(placeOnPage(question, true).replace('/search?', ''), null);
  assert.deepEqual([query.text, query.exclude, showsWeaker], ['red car', 'blue', true]);
  assert.deepEqual(query.picture, { kind: 'file', path: '/a b.mp4', seconds: 3.5 });
  assert.deepEqual(query.people, [{ name: 'Ann', cluster_job_name: 'family' }]);
  assert.deepEqual(query.filters, [
    { facet_id: 'time.year', operator: 'include_any_of', values: ['2024', '2025'] },
  ]);
  const all = { facet_id: 'things.seen', operator: 'include_all_of' as const, values: ['dog', 'cat'] };
  assert.throws(() => placeOnPage({ ...question, filters: [all] }, false), /--open: the page has no filters/);
});

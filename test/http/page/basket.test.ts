import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stillSeconds } from '../../../actors/exporter/timeline/contract.ts';
import { isSame, mergedItems, stillPart } from '../../../http/page/app/basket.ts';
import { clipsOf, moved, textOf, timelineItems } from '../../../http/page/app/views/lists/view.ts';

const item = (item_id: string, start_seconds = 0) => ({
  item_id,
  media_path: `/media/${item_id}.mp4`,
  hash_str: 'abc',
  start_seconds,
  end_seconds: start_seconds + 2,
});
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => item(id)) as [Item, Item, Item, Item];
type Item = ReturnType<typeof item>;
const ids = (items: readonly { item_id: string }[]) => items.map(({ item_id }) => item_id).join('');

test('clips are cut from films and sound, and stills are counted apart', () => {
  const still = { ...item('s'), media_path: '/media/s.JPG' };
  const clip = ({ media_path, start_seconds, end_seconds }: Item) => ({
    media_path,
    start_seconds,
    end_seconds,
  });
  assert.deepEqual(clipsOf([a, still, b]), { clips: [clip(a), clip(b)], stills: 1 });
  assert.deepEqual(clipsOf([still]), { clips: [], stills: 1 });
});

test('what two add, take out and change at once all holds', () => {
  assert.equal(ids(mergedItems([a, b], [a, b, c], [a, b, d])), 'abcd');
  assert.equal(ids(mergedItems([a, b], [b], [a, b, d])), 'bd');
  assert.equal(ids(mergedItems([a, b], [a, b], [a])), 'a');
  const later = item('a', 5);
  assert.deepEqual(mergedItems([a, b], [a, b], [later, b]), [later, b]);
  assert.deepEqual(mergedItems([a, b], [later, b], [item('a', 9), b]), [later, b], 'mine goes before theirs');
});

test('the order is that of whoever moved things', () => {
  assert.equal(ids(mergedItems([a, b, c], [c, a, b], [a, b, c, d])), 'cabd');
  assert.equal(ids(mergedItems([a, b, c], [a, b, c], [c, b, a])), 'cba');
});

const items = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
  .map((some) => some.map((id) => item(id)));

test('against an unchanged side the other one is the result, whatever it is', () => {
  const property = fc.property(items, items, (base, other) => {
    assert.deepEqual(mergedItems(base, base, other), other);
    assert.deepEqual(mergedItems(base, other, base), other);
  });
  fc.assert(property);
});

test('two items are the same when all that is kept of them is', () => {
  assert.ok(isSame(a, { ...a }));
  assert.ok(!isSame(a, { ...a, note: 'x' } as Item));
});

test('a moved item stands before the one it was dropped on, and nothing is lost', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'a', 'c']);
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 3), ['b', 'c', 'a']);
  assert.deepEqual(moved(['a'], 4, 0), ['a']);
});

test('a list as text has a line an item, with times to the millisecond', () => {
  const film = { media_path: '/media/a film\t.mp4', start_seconds: 3661.5, end_seconds: 3662.0004 };
  assert.equal(
    textOf([{ ...film, name: 'two\nlines' }]),
    '/media/a film .mp4\t01:01:01.500\t01:01:02.000\ttwo lines',
  );
  assert.equal(textOf([film, film]).split('\n').length, 2);
});

test('an item of a timeline has picture and sound together', () => {
  assert.deepEqual(timelineItems([{ ...a, name: 'Car' }]), [
    { media_path: a.media_path, source_start_seconds: 0, source_end_seconds: 2, track: 'both', name: 'Car' },
  ]);
});

test('a still in the basket lasts as long as in every timeline', () => {
  assert.equal(stillPart.end_seconds, stillSeconds);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { ThingTerm } from '../../../../actors/index/things/contract.ts';
import { momentsOf, seenAt, sureMomentsOf } from '../../../../actors/index/things/moments.ts';
import type { ThingTrack } from '../../../../actors/things/tracks.ts';
import { draws } from '../../../shared.ts';

const track = (
  name: ThingTrack['class'],
  start: number,
  end: number,
  more: Partial<ThingTrack> = {},
): ThingTrack => {
  return { class: name, start, end, best: start, score: 0.8, box: [0, 0.4, 0.2, 0.2], colours: [], ...more };
};
const term = (name: ThingTrack['class'], more: Partial<ThingTerm> = {}): ThingTerm => {
  return {
    classes: [name],
    colours: [],
    place: null,
    size: null,
    shot: null,
    count: { least: 1, most: null },
    negated: false,
    ...more,
  };
};
const spans = (tracks: ThingTrack[], terms: ThingTerm[]) =>
  momentsOf(tracks, terms, 20).map(({ start, end }) => [start, end]);

const told = (moments: ReturnType<typeof momentsOf>) =>
  moments.map(({ start, end, score, best }) => [start, end, score, best]);

test('what is asked for together is seen together', () => {
  const tracks = [track('dog', 0, 10), track('person', 5, 15, { score: 0.5, best: 12 })];
  assert.deepEqual(told(momentsOf(tracks, [term('dog'), term('person')], 20)), [[5, 10, 0.5, 9]]);
  assert.deepEqual(spans(tracks, [term('dog'), term('cat')]), []);
  assert.deepEqual(spans(tracks, []), []);
});

test('a shot of people needs no person that was seen, and what else is asked of them needs one', () => {
  const shots = [
    { size: 'close_up', start: 2, end: 6, score: 0.9, best: 3 },
    { size: 'wide', start: 6, end: 9, score: 0.7, best: 7 },
  ] as const;
  const found = (terms: ThingTerm[], tracks: ThingTrack[] = []) =>
    told(momentsOf(tracks, terms, 20, { shots }));
  const close = term('person', { shot: 'close_up' });
  assert.deepEqual(found([close]), [[2, 6, 0.9, 3]]);
  assert.deepEqual(found([term('person', { shot: 'medium' })]), []);
  const two = { ...close, count: { least: 2, most: 2 } };
  const tracks = [track('person', 0, 5), track('person', 4, 8, { score: 0.6, box: [0.5, 0.4, 0.2, 0.2] })];
  assert.deepEqual(found([two]), []);
  assert.deepEqual(found([two], tracks), [[4, 5, 0.6, 4]]);
  assert.deepEqual(
    found([{ ...close, negated: true }], tracks).map(([start, end]) => [start, end]),
    [
      [0, 2],
      [6, 20],
    ],
  );
});

test('what is not to be seen is left out, and alone means every second without it', () => {
  const tracks = [track('dog', 0, 10), track('person', 4, 6)];
  const no = term('person', { negated: true });
  assert.deepEqual(spans(tracks, [term('dog'), no]), [
    [0, 4],
    [6, 10],
  ]);
  assert.deepEqual(spans(tracks, [no]), [
    [0, 4],
    [6, 20],
  ]);
});

test('a number is counted second by second', () => {
  const tracks = [
    track('person', 0, 8),
    track('person', 4, 10, { score: 0.6, box: [0.4, 0.4, 0.2, 0.2] }),
    track('person', 6, 7, { box: [0.8, 0.4, 0.2, 0.2] }),
  ];
  const count = (least: number, most: number | null) => [term('person', { count: { least, most } })];
  assert.deepEqual(spans(tracks, count(2, 2)), [
    [4, 6],
    [7, 8],
  ]);
  assert.deepEqual(spans(tracks, count(3, null)), [[6, 7]]);
  assert.deepEqual(spans(tracks, count(1, 1)), [
    [0, 4],
    [8, 10],
  ]);
  // The weakest of two counts.
  assert.equal(momentsOf(tracks, count(2, 2), 20)[0]?.score, 0.6);
});

test('a face in its body is one person, and boxes that overlap are no sure number', () => {
  const two = [term('person', { count: { least: 2, most: 2 } })];
  const at = (...boxes: ThingTrack['box'][]) => boxes.map((box) => track('person', 0, 20, { box }));
  const sure = (tracks: ThingTrack[]) => sureMomentsOf(tracks, two, 20).map(({ confidence }) => confidence);
  const [left, right]: ThingTrack['box'][] = [
    [0, 0, 0.4, 1],
    [0.5, 0, 0.4, 1],
  ];
  assert.deepEqual(sure(at(left!, right!)), ['strong']);
  assert.deepEqual(sure(at(left!, [0.1, 0, 0.2, 0.3])), [], 'a face in its body');
  assert.deepEqual(sure(at(left!, [0.2, 0, 0.4, 1])), ['weak'], 'one or two');
  assert.deepEqual(sure(at(left!, [0.5, 0.9, 0.2, 0.1])), ['weak'], 'a hand that comes into the picture');
});

test('what may be a third one, or the one that is excluded, makes the answer unsure', () => {
  const boxes: ThingTrack['box'][] = [0, 0.35, 0.7].map((x) => [x, 0, 0.3, 1]);
  const [first, second, third] = boxes.map((box) => track('dog', 0, 20, { box })) as [
    ThingTrack,
    ThingTrack,
    ThingTrack,
  ];
  const sure = (tracks: ThingTrack[], terms: ThingTerm[]) =>
    sureMomentsOf(tracks, terms, 20).map(({ start, end, confidence }) => [start, end, confidence]);
  const two = [term('dog', { count: { least: 2, most: 2 } })];
  assert.deepEqual(sure([first, second], two), [[0, 20, 'strong']]);
  assert.deepEqual(sure([first, second, { ...third, score: 0.45, start: 8 }], two), [[0, 8, 'strong']]);
  assert.deepEqual(sure([first, { ...second, score: 0.5 }], [term('dog')]), [[0, 20, 'strong']]);
  assert.deepEqual(sure([{ ...first, score: 0.5, end: 8 }], [term('dog')]), [[0, 8, 'weak']]);
  const cat = track('cat', 5, 8, { score: 0.45 });
  assert.deepEqual(sure([first, cat], [term('dog'), term('cat', { negated: true })]), [
    [0, 5, 'strong'],
    [8, 20, 'strong'],
  ]);
});

test('colour, place and size are those of one and the same thing', () => {
  const red = [{ colour: 'red', share: 0.5 }] as const;
  const tracks = [
    track('car', 0, 5, { colours: [...red] }),
    track('car', 5, 9, { box: [0.7, 0, 0.3, 1], colours: [{ colour: 'red', share: 0.1 }] }),
  ];
  assert.deepEqual(spans(tracks, [term('car', { colours: ['red'] })]), [[0, 5]]);
  assert.deepEqual(spans(tracks, [term('car', { place: 'right' })]), [[5, 9]]);
  assert.deepEqual(spans(tracks, [term('car', { place: 'left', colours: ['red'] })]), [[0, 5]]);
  assert.deepEqual(spans(tracks, [term('car', { place: 'right', colours: ['red'] })]), []);
  assert.deepEqual(spans(tracks, [term('car', { size: 'close' })]), []);
  assert.deepEqual(spans([track('car', 0, 5, { box: [0, 0, 0.7, 0.7] })], [term('car', { size: 'close' })]), [
    [0, 5],
  ]);
});

test('in a frame that is seen which a term wants, best first, and nothing that is not to be there', () => {
  const near = track('dog', 0, 10, { score: 0.6 });
  const red = track('dog', 4, 8, { score: 0.9, colours: [{ colour: 'red', share: 0.9 }] });
  const tracks = [near, red, track('cat', 0, 10)];
  assert.deepEqual(seenAt(tracks, [term('dog')], 4), [red, near]);
  assert.deepEqual(seenAt(tracks, [term('dog')], 8), [near]);
  assert.deepEqual(seenAt(tracks, [term('dog', { colours: ['red'] })], 4), [red]);
  assert.deepEqual(seenAt(tracks, [term('dog'), term('cat', { negated: true })], 8), [near]);
  assert.deepEqual(seenAt(tracks, [], 4), []);
});

test('a number of things is found in the frames that show so many, by the weakest of those that are wanted', () => {
  const drawn = fc.record({ start: fc.nat(15), length: fc.integer({ min: 1, max: 5 }), score: fc.nat(9) });
  const some = fc.array(drawn, { maxLength: 12 });
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 3 }), fc.option(fc.nat(3)), (all, least, more) => {
      const tracks = all
        .map(({ start, length, score }, i) => {
          const box: ThingTrack['box'] = [i / 12, 0.4, 1 / 12, 0.2];
          return track('dog', start, start + length, { score: score / 9, box });
        })
        .sort((a, b) => a.start - b.start);
      const most = more === null ? null : least + more;
      const found = momentsOf(tracks, [term('dog', { count: { least, most } })], 20);
      for (let frame = 0; frame < 20; frame++) {
        const seen = tracks.filter(({ start, end }) => start <= frame && frame < end);
        const scores = seen.map(({ score }) => score).sort((a, b) => b - a);
        const isWanted = seen.length >= least && (most === null || seen.length <= most);
        const here = found.filter(({ start, end }) => start <= frame && frame < end);
        assert.deepEqual(
          here.map(({ score }) => score),
          isWanted ? [scores[least - 1]] : [],
        );
      }
    }),
    { numRuns: draws(100) },
  );
});

test('a moment is shown by its largest whole sight, and by the frame in which that is best', () => {
  const car = (start: number, end: number, score: number, box: ThingTrack['box'], best = start) =>
    track('car', start, end, { score, box, best });
  const shown = (...tracks: ThingTrack[]) =>
    momentsOf(tracks, [term('car')], 20)
      .toSorted((a, b) => b.prominence - a.prominence)
      .map(({ best }) => best)[0];
  const bumper = car(8, 9, 0.7, [0.37, 0, 0.15, 0.17]);
  assert.equal(shown(bumper, car(6, 7, 0.65, [0.3, 0.3, 0.5, 0.5])), 6);
  const long = car(0, 10, 0.7, [0.3, 0.3, 0.5, 0.5], 7);
  assert.equal(shown(long, car(2, 4, 0.66, [0, 0, 0.1, 0.1])), 7, 'and not where the track begins');
});

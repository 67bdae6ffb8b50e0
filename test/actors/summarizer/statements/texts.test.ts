import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeenLine, SeenThing } from '../../../../actors/summarizer/contract.ts';
import { objectiveOf } from '../../../../actors/summarizer/objective.ts';
import type { SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { talks } from '../text/talks.ts';
import { painted, rootText, someConcepts, spoken, textsOf, told } from './film-texts.ts';

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);
const sound = (lines: readonly string[], seconds = lines.length * 4 + 1): SummaryInputs => ({
  seconds,
  pictures: null,
  segments: spoken(lines),
  people: [],
});

/** Forty seconds: a beach with two speakers, a bridge at night, a kitchen. */
function harbourFilm(): SummaryInputs {
  return {
    seconds: 40,
    pictures: painted([
      [7, 'a beach', 'at sunset'],
      [6, 'a beach', 'a sailing boat'],
      [14, 'a bridge', 'at night'],
      [13, 'a kitchen', 'cooking'],
    ]),
    segments: spoken([
      'Ada Low: How did you come to build the bridge?',
      'SPEAKER_01: In 1987 the old bridge fell into the river.',
      'SPEAKER_01: Nobody came to help us, and the bridge stayed there for 12 winters.',
      'Ada Low: And then?',
    ]),
    people: [
      { person: 'Ada Low', frames: range(0, 12) },
      { person: '3', frames: range(4, 12) },
    ],
  };
}

test('a film of three places reads like the notes of a logger', () => {
  const film = told(harbourFilm());
  assert.deepEqual(textsOf(film), [
    [
      'A video of 40 s in 4 parts.',
      'A sailing boat (00:09), a beach (00:12), a bridge (00:24), scenes at night (00:24), a kitchen (00:34) and somebody cooking (00:37).',
      'Ada Low (12 s) and one person without a name are seen.',
      'Ada Low (7 s) and SPEAKER_01 (7 s) speak.',
      'Ada Low asks: “How did you come to build the bridge?” (00:01).',
      'SPEAKER_01: “In 1987 the old bridge fell into the river.” (00:05).',
      '“Nobody came to help us, and the bridge stayed there for 12 winters.” (00:09).',
      '00:00–00:05: a beach at sunset; Ada Low and one person without a name.',
      '00:05–00:13: a beach and a sailing boat; Ada Low and one person without a name.',
      '00:13–00:27: a bridge at night.',
      '00:27–00:40: a kitchen and somebody cooking.',
    ].join(' '),
    'A beach at sunset. Ada Low and one person without a name are seen. Ada Low asks: “How did you come to build the bridge?” (00:01).',
    'A beach and a sailing boat. Ada Low and one person without a name are seen. SPEAKER_01: “In 1987 the old bridge fell into the river.” (00:05). “Nobody came to help us, and the bridge stayed there for 12 winters.” (00:09).',
    'A bridge at night. Ada Low asks: “And then?” (00:13).',
    'A kitchen and somebody cooking. No speech.',
  ]);
  assert.deepEqual(film.whole(), {
    one_line_summary:
      'A video of 40 s: a bridge, a kitchen, somebody cooking and scenes at night; Ada Low and one person without a name.',
    short_summary:
      'A video of 40 s in 4 parts. A beach (00:12), a bridge (00:24), scenes at night (00:24), a kitchen (00:34) and somebody cooking (00:37). Ada Low (12 s) and one person without a name are seen. Ada Low (7 s) and SPEAKER_01 (7 s) speak. SPEAKER_01: “In 1987 the old bridge fell into the river.” (00:05).',
  });
});

test('things and printed text are told with their times, those that may be wrong are not', () => {
  const seen = (
    name: SeenThing['class'],
    start: number,
    end: number,
    score = 0.8,
    left = 0.1,
  ): SeenThing => ({
    ...{ class: name, start, end, best: start, score, box: [left, 0.1, 0.2, 0.2] },
  });
  const read = (text: string, start: number, height = 0.1, score = 0.95): SeenLine => ({
    ...{ text, start, end: start + 4, best: start, score, height },
  });
  const sights = {
    things: [
      ...[seen('bottle', 0, 20), seen('bottle', 3, 20, 0.8, 0.6), seen('dog', 7, 9)],
      ...[seen('person', 2, 4, 0.59), seen('motorcycle', 5, 9, 0.5)],
      // Of toothbrushes nobody has measured how often one is there.
      seen('toothbrush', 0, 20, 0.99),
    ],
    // Typed letter by letter.
    lines: [
      read('EXIT', 12),
      read('Bud', 1, 0.2),
      read('Budget 2', 2, 0.2),
      read('Budget 2026', 3, 0.2),
      read('Exlt', 5, 0.3, 0.89),
      read('e x i t', 16),
      { ...read('HERARFO', 18, 0.5), end: 19 },
    ],
  };
  const material = { seconds: 20, pictures: painted([[20]]), segments: [], people: [] };
  const film = told(material, { sights, concepts: null });
  assert.equal(
    rootText(film),
    'A video of 20 s. Bottles and a dog (00:07). Text in the picture: “Budget 2026” (00:03) and “EXIT” (00:12). Nobody speaks.',
  );
  assert.equal(film.whole().one_line_summary, 'A video of 20 s: bottles and a dog; “Budget 2026”.');
  const { evidence, hints } = film.statementsOf(film.film.root);
  const shown = evidence!.frames.map(({ frame_idx }) => frame_idx);
  assert.ok(
    [0, 3, 7, 12].every((frame) => shown.includes(frame)),
    shown.join(),
  );
  assert.match(hints[0]!.limitation, /^Only some kinds of things and printed text were recognised/);
});

const thing = (
  name: SeenThing['class'],
  start: number,
  end: number,
  more: Partial<SeenThing> = {},
): SeenThing => ({
  ...{ class: name, start, end, best: start, score: 0.9, box: [0.1, 0.1, 0.3, 0.3], ...more },
});
const plainFilm = (seconds: number): SummaryInputs => ({
  seconds,
  pictures: painted([[seconds]]),
  segments: null,
  people: [],
});
const seenIn = (seconds: number, things: readonly SeenThing[], more: Parameters<typeof told>[1] = {}) =>
  told(plainFilm(seconds), { sights: { things, lines: [] }, concepts: null, hasSound: false, ...more });

test('lengths are those of the file, rounded, and so are the ends of its parts', () => {
  const of = (duration: number) => rootText(seenIn(Math.ceil(duration), [], { duration }));
  assert.match(of(6.17), /^A video of 6 s\./);
  assert.match(of(6.56), /^A video of 7 s\./);
  assert.match(of(0.4), /^A video of 0\.4 s\./);
  assert.match(of(599.7), /^A video of 10 min/);
  const film = told({ ...harbourFilm(), segments: null }, { duration: 39.2, hasSound: false });
  assert.match(
    rootText(film),
    /^A video of 39 s in 4 parts\. .* 00:27–00:39: a kitchen and somebody cooking/,
  );
  const late = { ...plainFilm(5), people: [{ person: 'Ada', frames: [0, 1, 2, 3, 4] }] };
  assert.match(told(late, { duration: 4.2 }).whole().short_summary, /Ada \(4 s\) is seen\./);
  const still = { ...plainFilm(1), people: [{ person: 'Ada', frames: [0] }] };
  assert.match(told(still, { kind: 'image', duration: 0 }).whole().short_summary, /^A still\. Ada is seen\./);
});

test('several things are told where boxes are apart at the same time, else one', () => {
  const apart = { box: [0.6, 0.1, 0.3, 0.3] as SeenThing['box'] };
  const of = (...things: SeenThing[]) => rootText(seenIn(8, things)).split('. ')[1];
  assert.equal(of(thing('person', 0, 8), thing('person', 0, 8, apart)), 'People');
  assert.equal(of(thing('person', 0, 8), thing('person', 0, 8, { box: [0.15, 0.1, 0.2, 0.15] })), 'A person');
  assert.equal(of(thing('person', 0, 5), thing('person', 4, 8, apart)), 'A person');
  assert.equal(of(thing('person', 0, 8), thing('person', 0, 8, { ...apart, score: 0.5 })), 'A person');
});

test('what is seen most of the time says so, and times within a sentence ascend', () => {
  const film = seenIn(40, [thing('person', 0, 35), thing('bottle', 30, 32), thing('dog', 3, 5)]);
  assert.match(rootText(film), /A person, a dog \(00:03\) and a bottle \(00:30\)\.|most of the time/);
  const long = told(harbourFilm(), {
    concepts: null,
    sights: { things: [thing('person', 0, 30), thing('bottle', 33, 35), thing('dog', 14, 15)], lines: [] },
  });
  assert.match(rootText(long), /A person most of the time; also a dog \(00:14\) and a bottle \(00:33\)\./);
  const objective = objectiveOf('highlight_reel');
  const best = told(harbourFilm(), { objective });
  for (const text of textsOf(best)) assert.doesNotMatch(text, /[Mm]ostly a/);
  const times = [...rootText(best).matchAll(/(\d\d:\d\d)–/g)].map(([, time]) => time!);
  assert.deepEqual(times, times.toSorted());
  assert.ok(times.length > 2);
});

test('where something was found, nothing is said to be recognised only with certainty', () => {
  const weak = seenIn(8, [thing('dog', 0, 4, { score: 0.5 })]);
  assert.match(rootText(weak), /Nothing in the pictures was recognised with certainty\./);
  assert.match(weak.whole().one_line_summary, /nothing in the pictures was recognised with certainty\.$/);
  assert.match(weak.whole().short_summary, /recognised with certainty\./);
  const hints = weak.statementsOf(weak.film.root).hints.map(({ limitation }) => limitation);
  assert.ok(hints.some((limitation) => /^Nothing .* with certainty\.$/.test(limitation)));
  assert.match(rootText(seenIn(8, [])), /Nothing in the pictures was recognised\. There is no sound\.$/);
});

test('a film without sound is not said to lack a transcript', () => {
  const film = seenIn(8, [thing('dog', 0, 8)]);
  assert.equal(rootText(film), 'A video of 8 s. A dog. There is no sound.');
  const hints = film.statementsOf(film.film.root).hints.map(({ limitation }) => limitation);
  assert.ok(!hints.some((limitation) => /transcript|sound/.test(limitation)), hints.join());
});

test('quotation marks are not doubled, and nothing is quoted twice', () => {
  const lines = ['“The bees left Arles.”', 'The bees left Arles.', 'He said "no" to the mayor of Arles.'];
  const text = rootText(told(sound(lines)));
  assert.match(text, /“The bees left Arles\.”/);
  assert.match(text, /“He said ‘no’ to the mayor of Arles\.”/);
  assert.doesNotMatch(text, /““|”“|””/);
  assert.equal(text.match(/The bees left Arles/g)!.length, 1);
  const read = { text: 'CAR PARK', start: 0, end: 40, best: 2, score: 0.95, height: 0.2 };
  const film = told(harbourFilm(), { sights: { things: [], lines: [read] } });
  assert.equal(rootText(film).match(/CAR PARK/g)!.length, 1);
});

test('a concept that is more exact stands for the thing, and a still has no times', () => {
  const still = painted([[1, 'a red car']]);
  const sights = {
    things: [thing('car', 0, 1), thing('horse', 0, 1)],
    lines: [{ text: 'TAXI', start: 0, end: 1, best: 0, score: 0.97, height: 0.1 }],
  };
  const film = told({ seconds: 1, pictures: still, segments: null, people: [] }, { kind: 'image', sights });
  assert.equal(film.whole().short_summary, 'A still. A horse and a red car. Text in the picture: “TAXI”.');
});

test('sound alone is told by who speaks and what is said', () => {
  const film = told(
    sound(['Ada: The bees left.', 'Ben: Where did the bees go?', 'Ada: The bees went to Arles.']),
  );
  const text = rootText(film);
  assert.match(text, /^Sound of 13 s\. Ada \(7 s\) and Ben \(4 s\) speak\./);
  assert.match(text, /Ben asks: “Where did the bees go\?” \(00:05\)\./);
  assert.doesNotMatch(text, /picture/);
  assert.match(film.whole().one_line_summary, /^Sound of 13 s: /);
});

test('colours are told of the picture, what lasts once, and what is throughout without more', () => {
  const film = told({
    seconds: 60,
    pictures: painted([
      [20, 'mostly green', 'at night'],
      [20, 'mostly green'],
      [20, 'mostly red'],
    ]),
    segments: [],
    people: [],
  });
  const text = rootText(film);
  assert.match(text, /The picture is mostly green; also /);
  assert.match(text, /00:40–01:00: the picture is mostly red\./);
  assert.doesNotMatch(text, /shots/);
  assert.doesNotMatch(text, /[Mm]ostly pictures|mostly mostly/);
  const still = painted([[1, 'mostly green']]);
  const one = told({ seconds: 1, pictures: still, segments: null, people: [] }, { kind: 'image' });
  assert.equal(one.whole().one_line_summary, 'A still: the picture is mostly green.');
  assert.equal(one.whole().short_summary, 'A still. The picture is mostly green.');
});

test('what has no name says why, and shots are not counted', () => {
  const pictures = painted([[8], [5], [9]]);
  const concepts = { ...someConcepts, background: { ...someConcepts.background, pictures: 40 } };
  const film = told({ seconds: 22, pictures, segments: [], people: [] }, { concepts });
  assert.match(
    rootText(film),
    /^A video of 22 s(?: in \d parts)?\. Nothing in the pictures was recognised\./,
  );
  const unheard = told({ seconds: 22, pictures, segments: null, people: [] }, { concepts });
  assert.match(rootText(unheard), /recognised\. There is no transcript\.$/);
  for (const text of textsOf(unheard).slice(1)) {
    assert.equal(text, 'Nothing in the pictures was recognised.');
  }
  assert.match(film.whole().one_line_summary, /^A video of 22 s: nobody speaks, nothing /);
  const objective = objectiveOf('continuity_review', []);
  const asked = told({ seconds: 22, pictures, segments: [], people: [] }, { concepts, objective });
  assert.match(rootText(asked), /^A video of 22 s in \d parts\. Nothing in the pictures was recognised\./);
  const [hint] = film.statementsOf(film.film.root).hints;
  assert.match(hint!.limitation, /too few pictures to compare with \(40\)/);
  assert.match(hint!.suggested_follow_up, /100 pictures/);
});

test('what is so throughout the file is to be checked once', () => {
  const film = told({ ...harbourFilm(), segments: null });
  const hints = film.film.outline.nodes.map((node) =>
    film.statementsOf(node).hints.map((own) => own.limitation),
  );
  assert.equal(hints.flat().filter((limitation) => /no transcript/.test(limitation)).length, 1);
  const lines = ['One thing is said.', 'Another thing is said.', 'And then a third.'];
  const mute = told({ ...harbourFilm(), segments: spoken(lines, 0.5, 12) });
  const unknown = mute.film.outline.nodes.filter((node) =>
    mute.statementsOf(node).hints.some(({ limitation }) => /The speaker is unknown/.test(limitation)),
  );
  assert.deepEqual(unknown, [mute.film.root]);
  assert.match(rootText(mute), /Speech of 34 s\. .*Said: “[^”]*” \([\d:]+\)\. “/);
});

test('silence, a file without any analysis and one without a transcript say so', () => {
  assert.equal(rootText(told(sound([], 30))), 'Sound of 30 s. Nobody speaks.');
  const nothing = told({ seconds: 30, pictures: null, segments: null, people: [] }, { kind: 'video' });
  assert.equal(
    rootText(nothing),
    'A video of 30 s. Nothing is known about this file: it has not been analysed.',
  );
  for (const { node } of nothing.film.outline.nodes.slice(1).map((own) => nothing.statementsOf(own)))
    assert.equal(
      nothing.statementsOf(node).text,
      'Nothing is known about this part: it has not been analysed.',
    );
  assert.equal(nothing.whole().one_line_summary, 'A video of 30 s: nothing is known about it.');
  const unheard = told({ ...harbourFilm(), segments: null });
  assert.match(rootText(unheard), /There is no transcript\.$/);
  const [limits] = [unheard.statementsOf(unheard.film.root).hints];
  assert.ok(limits.some(({ limitation }) => limitation.startsWith('There is no transcript')));
});

test('a gap of the analysis is a limitation, and a part without pictures says so', () => {
  const whole = harbourFilm();
  const { vectors, dimensions, frames } = whole.pictures!;
  const rows = Array.from(frames).filter((frame) => frame < 13 || frame >= 27);
  const kept = Float32Array.from(
    rows.flatMap((row) => [...vectors.subarray(row * dimensions, (row + 1) * dimensions)]),
  );
  const film = told({
    ...whole,
    segments: [],
    pictures: { vectors: kept, dimensions, frames: rows, cuts: [] },
  });
  const root = film.statementsOf(film.film.root);
  const gap = root.hints.find(({ limitation }) => limitation === 'No pictures of 00:13–00:27 were analysed.');
  assert.deepEqual(gap?.affected_range, [13, 27]);
  assert.deepEqual(film.quality([], []).warnings, ['Not analysed: 14 s of 40 s.']);
  assert.deepEqual(film.quality([], []).uncovered_ranges, [{ start_seconds: 13, end_seconds: 27 }]);
  const inside = film.film.outline.nodes
    .map((node) => film.statementsOf(node))
    .filter(({ facts }) => facts.pictured === 0);
  for (const { text } of inside) assert.match(text, /No picture of this part was analysed\./);
});

test('a still is told in one node, a word alone is quoted', () => {
  const still = told(
    { seconds: 1, pictures: painted([[1, 'a lighthouse']]), segments: null, people: [] },
    { kind: 'image' },
  );
  assert.deepEqual(textsOf(still), ['A still. A lighthouse.']);
  assert.equal(still.whole().one_line_summary, 'A still: a lighthouse.');
  const word = told(sound(['Ada: Yes.']));
  assert.match(rootText(word), /Ada: “Yes\.” \(00:01\)\./);
});

test('scripts without spaces and from right to left are quoted as they stand', () => {
  const chinese = told(sound(['橋は1987年に川へ落ちた。', '誰も助けに来なかった。']), { language: 'ja' });
  assert.match(rootText(chinese), /Said: “橋は1987年に川へ落ちた。” \(00:01\)\./);
  const hebrew = told(sound(['SPEAKER_00: מתי נפל הגשר הישן?']), { language: 'he' });
  assert.match(rootText(hebrew), /SPEAKER_00 asks: “\u2068מתי נפל הגשר הישן\?\u2069” \(00:01\)\./);
});

test('a language that is no tag is no error', () => {
  assert.ok(rootText(told(sound(['Ada: Yes.']), { language: 'no such_tag!' })).includes('Yes.'));
});

test('unknown speakers, people without a name and cut quotes are limitations', () => {
  const long = `The bridge ${'over the river and the valley '.repeat(8)}fell.`;
  const film = told({ ...sound([long, 'Ada: Yes.'], 12), people: [{ person: '3', frames: [1, 2] }] });
  const limits = film.film.outline.nodes.flatMap((node) => film.statementsOf(node).hints);
  const all = limits.map(({ limitation }) => limitation).join(' ');
  assert.match(all, /The speaker is unknown for \d s\./);
  assert.match(all, /One person is seen without a name\./);
  assert.match(all, /Quotations are cut \(00:01\)\./);
});

test('who is probably meant by whom is told with what was counted or said', () => {
  const lines = ['A', 'A', 'B', 'B', 'A', 'A', 'B'].map(
    (who, i) => `SPEAKER_${who}: Line ${i}, my name is Ada.`,
  );
  const frames = [...range(0, 8), ...range(16, 24)];
  const film = told({ ...sound(lines), people: [{ person: 'Grace', frames }] });
  const hints = film.film.outline.nodes.flatMap(
    (node) => film.statementsOf(node).evidence?.attribution_hints ?? [],
  );
  const counted = hints.find((hint) => hint.includes('Grace'));
  assert.match(
    counted!,
    /^SPEAKER_A speaks in \d+ of \d+ seconds of speech in which Grace is seen: SPEAKER_A may be Grace\.$/,
  );
  assert.ok(hints.some((hint) => /^SPEAKER_B says “Ada” as their own name \(/.test(hint)));
  // Seen with everybody alike: nothing tells who it is.
  const both = told({ ...sound(lines), people: [{ person: 'Grace', frames: range(0, 28) }] });
  const none = both.film.outline.nodes.flatMap(
    (node) => both.statementsOf(node).evidence?.attribution_hints ?? [],
  );
  assert.ok(!none.some((hint) => hint.includes('Grace')));
});

test('the text of the whole quotes most of what a logger would keep', () => {
  const recalls = [...talks.tuned, ...talks.held].map(({ segments, keys }) => {
    const seconds = Math.ceil(segments.at(-1)!.end_seconds);
    const film = told({ seconds, pictures: null, segments, people: [] });
    const text = rootText(film);
    return keys.filter((key) => text.includes(`“${key}”`)).length / keys.length;
  });
  const mean = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
  assert.ok(mean >= 0.7, `${mean}: ${recalls.map((recall) => recall.toFixed(2)).join(' ')}`);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { Appearances, inOrder, mostOfMedia } from '../../../../../actors/analysis/stages/text/stage.ts';
import type { TextBox } from '../../../../../actors/text-reader/contract.ts';

const box: TextBox = [0.1, 0.8, 0.4, 0.05];
const line = (text: string, score = 0.95, at: TextBox = box) => ({ text, score, box: at });

type Lines = ReturnType<typeof line>[];

/** Frames by number; answers `text [start, end) best score`. */
function merged(frames: Record<number, Lines>): string[] {
  const appearances = new Appearances();
  for (const [frame, lines] of Object.entries(frames)) appearances.add(Number(frame), lines);
  return inOrder(appearances.finish()).map(
    ({ text, start, end, best, score }) => `${text} [${start}, ${end}) ${best} ${score}`,
  );
}

test('a line that stays is one, with the frame in which it is read best', () => {
  assert.deepEqual(
    merged({ 3: [line('Budget', 0.9)], 4: [line('Budget', 0.97)], 5: [line('Budget', 0.92)] }),
    ['Budget [3, 6) 4 0.97'],
  );
});

test('a line that is missed for two seconds is the same, and for three another one', () => {
  assert.deepEqual(merged({ 0: [line('A1')], 1: [], 2: [], 3: [line('A1')] }), ['A1 [0, 4) 0 0.95']);
  assert.deepEqual(merged({ 0: [line('A1')], 1: [], 2: [], 3: [], 4: [line('A1')] }), [
    'A1 [0, 1) 0 0.95',
    'A1 [4, 5) 4 0.95',
  ]);
  assert.deepEqual(merged({ 0: [line('A1')], 4: [line('A1')] }).length, 2, 'frames that were not decoded');
});

test('readings of one line join where one of them is uncertain, and the best is kept', () => {
  assert.deepEqual(merged({ 0: [line('Hello wor1d', 0.7)], 1: [line('Hello world', 0.7)] }).length, 2);
  assert.deepEqual(merged({ 0: [line('Helio worid', 0.7)], 1: [line('Hello world', 0.98)] }), [
    'Hello world [0, 2) 1 0.98',
  ]);
  assert.deepEqual(merged({ 0: [line('Region based')], 1: [line('regionbased', 0.99)] }), [
    'regionbased [0, 2) 1 0.99',
  ]);
});

test('names, digits and places that differ are told apart', () => {
  assert.deepEqual(merged({ 0: [line('Anna Smith')], 1: [line('Anne Smith')] }), [
    'Anna Smith [0, 1) 0 0.95',
    'Anne Smith [1, 2) 1 0.95',
  ]);
  assert.equal(merged({ 0: [line('10:01', 0.8)], 1: [line('10:02', 0.8)] }).length, 2);
  const elsewhere: TextBox = [0.1, 0.1, 0.4, 0.05];
  assert.equal(merged({ 0: [line('Hello worid', 0.7)], 1: [line('Hello world', 0.9, elsewhere)] }).length, 2);
});

test('a certain line is doubted where another reading of it is seen longer in its place', () => {
  const film = (...texts: string[]) => Object.fromEntries(texts.map((text, i) => [i, [line(text)]]));
  const often = 'Copyright @ 2013';
  assert.deepEqual(merged(film(often, often, 'Copyright 0 2013', often, often)), [
    `${often} [0, 5) 0 0.95`,
    'Copyright 0 2013 [2, 3) 2 0.89',
  ]);
  const uncertain = Object.fromEntries([0, 1, 2].map((frame) => [frame, [line(often, 0.8)]]));
  const then = [line('Copyright 0 2013')];
  assert.equal(merged({ ...uncertain, 3: then, 4: then })[1], 'Copyright 0 2013 [3, 5) 3 0.89');
  assert.equal(merged({ 2: [line(often, 0.8)], 3: then, 4: then })[1], 'Copyright 0 2013 [3, 5) 3 0.95');
  assert.deepEqual(merged(film('Take 3', 'Take 3', 'Take 3', 'Take 4')), [
    'Take 3 [0, 3) 0 0.95',
    'Take 4 [3, 4) 3 0.95',
  ]);
  const chapters = ['Chapter I', 'Chapter I', 'Chapter I', 'Chapter II', 'Chapter II', 'Chapter II'];
  assert.deepEqual(merged(film(...chapters)), ['Chapter I [0, 3) 0 0.95', 'Chapter II [3, 6) 3 0.95']);
});

test('a line that moves is one, and two of the same text are two', () => {
  const at = (y: number): TextBox => [0.3, y, 0.4, 0.05];
  const scrolled = Object.fromEntries([0.9, 0.6, 0.3].map((y, i) => [i, [line('Directed by', 0.95, at(y))]]));
  assert.deepEqual(merged(scrolled), ['Directed by [0, 3) 0 0.95']);
  const twice = [line('EXIT', 0.95, at(0.1)), line('EXIT', 0.95, at(0.8))];
  assert.equal(merged({ 0: twice, 1: twice }).length, 2);
});

test('what is hardly text is left out', () => {
  assert.deepEqual(
    merged({ 0: [line('noise', 0.49), line('—', 0.99), line('', 0), line('l', 0.8), line('5', 0.9)] }),
    ['5 [0, 1) 0 0.9'],
  );
});

test('taken up from its state it goes on as without an interruption', () => {
  const frames = [['A1'], ['A1', 'B2'], ['B2'], [], ['A1', 'B2'], ['C3'], ['C3', 'A1']];
  const whole = new Appearances();
  let parts = new Appearances();
  const kept = [];
  for (const [frame, texts] of frames.entries()) {
    const lines = texts.map((text, i) => line(text, 0.95, [0.1, 0.2 * i, 0.3, 0.1]));
    whole.add(frame, lines);
    parts.add(frame, lines);
    kept.push(...parts.takeEnded());
    parts = new Appearances(JSON.parse(JSON.stringify(parts.state())));
  }
  assert.deepEqual(inOrder([...kept, ...parts.finish()]), inOrder(whole.finish()));
});

test('of very many lines those that are read best are kept', () => {
  const many = Array.from({ length: mostOfMedia + 10 }, (_, i) => ({
    ...{ text: `${i}`, box, best: i, start: i, end: i + 1 },
    score: i < 10 ? 0.5 : 0.9,
  }));
  const kept = inOrder(many);
  assert.deepEqual([kept.length, kept[0]?.text], [mostOfMedia, '10']);
});

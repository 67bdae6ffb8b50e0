import assert from 'node:assert/strict';
import test from 'node:test';
import { thingQuestion } from '../../../../actors/search/things/question.ts';
import { thingWords } from '../../../../actors/search/things/vocabulary.ts';
import { classNames } from '../../../../actors/things/contract.ts';

/** Only what differs from "at least one, anywhere, of any colour". */
function asked(text: string) {
  const { terms, remainder } = thingQuestion(text);
  const short = terms.map(({ classes, colours, place, size, shot, count, negated }) => ({
    class: classes.length === 1 ? classes[0] : classes,
    ...(colours.length > 0 && { colours }),
    ...(place && { place }),
    ...(size && { size }),
    ...(shot && { shot }),
    ...((count.least !== 1 || count.most !== null) && { count: [count.least, count.most] }),
    ...(negated && { negated }),
  }));
  return [short, remainder];
}

test('things are read with what is said of them, and the rest is left', () => {
  const cases: [string, unknown[], string][] = [
    ['red car at night, not raining', [{ class: 'car', colours: ['red'] }], 'at night, not raining'],
    ['person walking', [{ class: 'person' }], 'walking'],
    ['dog on grass', [{ class: 'dog' }], 'on grass'],
    ['a dog on the left', [{ class: 'dog', place: 'left' }], ''],
    ['two people', [{ class: 'person', count: [2, 2] }], ''],
    ['a crowd', [{ class: 'person', count: [5, null] }], ''],
    ['several black and white cows', [{ class: 'cow', colours: ['white', 'black'], count: [3, null] }], ''],
    ['close-up of a dog', [{ class: 'dog', size: 'close' }], ''],
    ['beach without people', [{ class: 'person', negated: true }], 'beach'],
    ['no cars', [{ class: 'car', negated: true }], ''],
    ['a man with a phone', [{ class: 'person' }, { class: 'cell phone' }], ''],
    ['rotes Auto bei Nacht', [{ class: 'car', colours: ['red'] }], 'bei nacht'],
    ['zwei Hunde rechts', [{ class: 'dog', count: [2, 2], place: 'right' }], ''],
    ['kein Mensch, Strand', [{ class: 'person', negated: true }], 'strand'],
    ['an orange', [{ class: 'orange' }], ''],
    ['orange sunset', [], 'orange sunset'],
    ['orange bus', [{ class: 'bus', colours: ['orange'] }], ''],
    ['blue sky', [], 'blue sky'],
    ['', [], ''],
  ];
  for (const [text, terms, rest] of cases) assert.deepEqual(asked(text), [terms, rest], text);
});

test('words for the movement of the camera are words like any others', () => {
  const cases: [string, unknown[], string][] = [
    ['panning shot', [], 'panning shot'],
    ['Handkamera, zwei Hunde', [{ class: 'dog', count: [2, 2] }], 'handkamera'],
    ['fixed camera', [], 'fixed camera'],
  ];
  for (const [text, terms, rest] of cases) assert.deepEqual(asked(text), [terms, rest], text);
});

test('shots are of people, or say how much of the picture another thing fills', () => {
  const cases: [string, unknown[], string][] = [
    ['close-up', [{ class: 'person', shot: 'close_up' }], ''],
    ['a wide shot, rain', [{ class: 'person', shot: 'wide' }], 'rain'],
    ['Nahaufnahme', [{ class: 'person', shot: 'close_up' }], ''],
    ['Totale', [{ class: 'person', shot: 'wide' }], ''],
    ['close-up of a woman', [{ class: 'person', shot: 'close_up' }], ''],
    ['Nahaufnahmen von zwei Frauen', [{ class: 'person', shot: 'close_up', count: [2, 2] }], ''],
    ['medium shot of a man', [{ class: 'person', shot: 'medium' }], ''],
    ['woman talking in close-up', [{ class: 'person', shot: 'close_up' }], 'talking'],
    ['wide shot of a car', [{ class: 'car', size: 'far' }], ''],
    ['dog close-up', [{ class: 'dog', size: 'close' }], ''],
    ['medium shot of a dog', [{ class: 'dog' }], 'medium shot of a'],
    ['close-up of a flower', [], 'close-up of a flower'],
    ['a person in the distance', [{ class: 'person', size: 'far' }], ''],
  ];
  for (const [text, terms, rest] of cases) assert.deepEqual(asked(text), [terms, rest], text);
});

test('a colour belongs to the thing behind it, not to one of another clause', () => {
  assert.deepEqual(asked('blue sky, car'), [[{ class: 'car' }], 'blue sky']);
  assert.deepEqual(asked('red, car'), [[{ class: 'car' }], 'red']);
});

test('wholes are all of their parts', () => {
  const [term] = thingQuestion('vehicles').terms;
  assert.ok(term?.classes.includes('bus') && term.classes.includes('car'));
});

test('each class has a word', () => {
  const named = new Set(thingWords.flatMap(([classes]) => (classes.length === 1 ? classes : [])));
  assert.deepEqual(
    classNames.filter((name) => !named.has(name)),
    [],
  );
});

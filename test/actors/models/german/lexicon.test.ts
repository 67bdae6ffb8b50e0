// The German words of the two vocabularies that searches understand by themselves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { folded, inGerman, translations } from '../../../../actors/models/german/lexicon.ts';
import { parseQuery, lexicon as starter } from '../../../../actors/models/starter/query/query.ts';
import { thingQuestion, lexicon as things } from '../../../../actors/search/things/question.ts';

const wordsOf = (list: string) => list.split(', ');

test('every English word that is searched for has a German one', () => {
  // Words that say nothing about a picture need none, as long as German ones are known.
  const isEmpty = (word: string) => JSON.stringify(starter.english.get(word)) === '{"role":"stop"}';
  const words = new Set([
    ...[...starter.english.keys()].filter((one) => !isEmpty(one)),
    ...things.english.keys(),
  ]);
  assert.ok(words.size > 600, String(words.size));
  assert.deepEqual(
    [...words].filter((word) => inGerman(word).length === 0),
    [],
  );
});

test('every German word stands for words of a vocabulary, and finds the same as they do', () => {
  const seenIn = (text: string) => parseQuery(text).terms;
  const thingsIn = (text: string) => thingQuestion(text).terms;
  for (const [english, german] of translations) {
    for (const word of wordsOf(english))
      assert.ok(starter.english.has(word) || things.english.has(word), `${word} is in no vocabulary`);
    const [first] = wordsOf(english).filter((word) => starter.english.has(word));
    const [thing] = wordsOf(english).filter((word) => things.english.has(word));
    // With a colour or a thing beside it, numbers, negations, amounts and places mean the same, too.
    for (const word of wordsOf(german)) {
      if (first !== undefined) {
        assert.deepEqual(seenIn(word), seenIn(first), `${word} and ${first}`);
        assert.deepEqual(seenIn(`${word} türkis`), seenIn(`${first} turquoise`), `${word} türkis`);
      }
      if (thing === undefined) continue;
      assert.deepEqual(thingsIn(word), thingsIn(thing), `${word} and ${thing}`);
      assert.deepEqual(thingsIn(`${word} hund`), thingsIn(`${thing} dog`), `${word} hund`);
      assert.deepEqual(thingsIn(`hund ${word}`), thingsIn(`dog ${thing}`), `hund ${word}`);
    }
  }
});

test('a word of both languages means the same in both', () => {
  const both = translations.flatMap(([, german]) => wordsOf(german)).map(folded);
  for (const lexicon of [starter, things] as const) {
    const twice = both.filter((word) => lexicon.english.has(word) && lexicon.german.has(word));
    for (const word of twice) assert.deepEqual(lexicon.english.get(word), lexicon.german.get(word), word);
  }
});

test('endings, plurals, umlauts and ß are read however they are typed', () => {
  const same: readonly (readonly [string, readonly string[]])[] = [
    ['red', ['rot', 'rote', 'roter', 'rotes', 'roten', 'rotem', 'ROT']],
    ['dark', ['dunkel', 'dunkle', 'dunkler', 'dunklen']],
    ['green', ['grün', 'gruen', 'grüner', 'grünes']],
    ['white', ['weiß', 'weiss', 'weißer', 'weisse']],
    ['forest', ['Wald', 'Wälder', 'Waelder', 'Wäldern', 'des Waldes']],
    ['beach', ['Strand', 'Strände', 'Straende', 'am Strand']],
    ['night', ['nachts', 'Nacht', 'Nächte', 'bei Nacht', 'in der Nacht']],
    ['black and white', ['schwarzweiß', 'schwarz-weiß', 'schwarzweiss', 'Schwarzweißfilme']],
    ['dark blue', ['dunkelblau', 'dunkelblauer', 'dunkles Blau']],
    ['light green', ['hellgrün', 'hellgruenes']],
    ['not at night', ['nicht nachts']],
    ['no snow', ['kein Schnee', 'ohne Schnee', 'keinen Schnee']],
    [
      'red on the left, green on the right',
      ['rot links, grün rechts', 'Rot auf der linken Seite, Grün auf der rechten Seite'],
    ],
    ['red on a blue background', ['rot vor blauem Hintergrund']],
    ['no red and green', ['kein Rot und Grün']],
  ];
  for (const [english, german] of same) {
    const { terms } = parseQuery(english);
    assert.ok(terms.length > 0, english);
    for (const text of german) {
      const query = parseQuery(text);
      assert.deepEqual(query.terms, terms, text);
      assert.deepEqual(query.unknownWords, [], text);
    }
  }
});

test('things are found by German words with what is said of them', () => {
  const same: readonly (readonly [string, readonly string[]])[] = [
    ['two people', ['zwei Personen', 'zwei Menschen', 'zwei Leute']],
    ['no dog', ['kein Hund', 'keine Hunde', 'ohne Hund', 'keinen Hunden']],
    ['without a car', ['ohne Auto', 'ohne ein Auto', 'kein Auto']],
    ['red car', ['rotes Auto', 'rote Autos', 'roter Wagen', 'knallrotes Auto']],
    ['blue cars', ['dunkelblaue Autos']],
    ['several cows on the left', ['mehrere Kühe links', 'viele Kuehe auf der linken Seite']],
    ['close-up of a dog', ['Nahaufnahme von einem Hund', 'Großaufnahme eines Hundes', 'Grossaufnahme Hund']],
  ];
  for (const [english, german] of same)
    for (const text of german)
      assert.deepEqual(thingQuestion(text).terms, thingQuestion(english).terms, text);
});

test('a German word makes no English one another', () => {
  for (const text of ['boots', 'red hat', 'a work of art', 'war', 'fast', 'herd'])
    assert.deepEqual(thingQuestion(text).terms, [], text);
  for (const word of ['hat', 'art', 'war', 'fast', 'kind'])
    assert.deepEqual(parseQuery(word).unknownWords, [word]);
  assert.deepEqual(thingQuestion('some kind of bird').terms, thingQuestion('a bird').terms);
});

test('words for a part of what is found are told apart from words for all of it', () => {
  const narrower = (text: string) => thingQuestion(text).narrower;
  assert.deepEqual(narrower('a woman, a duck and a dog'), { people: ['woman'], others: ['duck'] });
  assert.deepEqual(narrower('Frau, Kinder ohne Mann'), { people: ['frau', 'kinder', 'mann'], others: [] });
  assert.deepEqual(narrower('two people with birds'), { people: [], others: [] });
});

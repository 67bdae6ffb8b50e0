import assert from 'node:assert/strict';
import test from 'node:test';
import type { ModelRow } from '../../../../actors/models/contract.ts';
import { notesAnswer } from '../../../../actors/search/notes/contract.ts';
import {
  type EmptyReason,
  isExplained,
  type QueryReading,
  type Warnings,
  warning,
} from '../../../../actors/search/notes/warnings.ts';

/** As an answer has it. */
const said = (warnings: Warnings) => notesAnswer(warning(warnings).notes);

const quiet = {
  reading: null,
  narrower: { people: [], others: [] },
  nothingUnderstood: false,
  twice: [],
  gone: [],
  changed: [],
  missing: [],
  unloaded: [],
  unreadable: [],
  outdated: { names: [], count: 0 },
  fallbackFrom: null,
  noPreview: 0,
};

test('a warning names what was not understood, and there is none when nothing is missing', () => {
  assert.deepEqual(said(quiet), {});
  const { toast_warning } = said({
    narrower: quiet.narrower,
    nothingUnderstood: false,
    twice: [],
    gone: ['/g'],
    changed: ['/new'],
    reading: {
      model_key: 'small',
      knownWords: [],
      unknown: ['car'],
      unknownExcluded: [],
      weak: [],
      ranked: false,
      advised: null,
      things: null,
    },
    missing: ['/a'],
    unloaded: ['/b', '/c', '/d', '/e', '/f', '/x', '/y'],
    unreadable: ['h'],
    outdated: { names: ['/o'], count: 3 },
    fallbackFrom: 'big',
    noPreview: 2,
  });
  assert.match(toast_warning ?? '', /car.*big.*\/a.*loaded: \/b, .* and 2 more.*\/new.*h.*2/);
});

test('a word that is known and seen badly is told, and nothing is called unknown then', () => {
  const reading = {
    model_key: 'small',
    knownWords: ['face', 'red'],
    unknown: [],
    unknownExcluded: [],
    ranked: true,
  };
  const { warnings } = said({
    ...quiet,
    reading: { ...reading, weak: ['face'], advised: null, things: null },
  });
  assert.deepEqual(warnings, ['Found only roughly, along with many false matches: "face"']);
});

test('files that only an older version of the model has looked at are named and counted', () => {
  const names = ['/a', '/b', '/c', '/d', '/e'];
  const { warnings, notes } = said({ ...quiet, outdated: { names, count: 1207 } });
  assert.deepEqual(warnings, [
    'Analysed by an older version of the model; analyse it again: /a, /b, /c, /d, /e and 1202 more',
  ]);
  assert.deepEqual(
    notes?.map(({ code, values }) => ({ code, values })),
    [{ code: 'OLDER_MODEL', values: { names, count: 1207 } }],
  );
  const long = said({ ...quiet, missing: [...names, '/f', '/g'] });
  assert.deepEqual(long.notes?.[0]?.values, { names, count: 7 }, 'no more names than the sentence has');
});

test('of a query that is understood by half, one sentence says what was searched and what would help', () => {
  const row = { key: 'better', size_gb: 0.42, files: [] as ModelRow['files'] } as ModelRow;
  const reading = {
    model_key: 'small',
    knownWords: ['close up'],
    unknown: ['bottle'],
    unknownExcluded: [],
    weak: [],
    ranked: true,
  };
  const { warnings, toast_warning, notes } = said({
    ...quiet,
    reading: { ...reading, advised: { row, downloaded: false }, things: null },
  });
  assert.deepEqual(warnings, [
    'Weak: pictures were searched for "close up" alone; not understood: "bottle"; to find it: ' +
      'framehound models pull better --use (0.42 GB), then framehound analyze PATH',
  ]);
  assert.equal(toast_warning, warnings?.join('. '));
  const commands = ['framehound models pull better --use (0.42 GB)', 'framehound analyze PATH'];
  assert.deepEqual(
    notes?.map(({ code, values }) => [code, values]),
    [['PARTLY_UNDERSTOOD', { names: ['close up'], count: 1, total: 2, words: ['bottle'], commands }]],
  );
  assert.deepEqual(
    notes?.map(({ text }) => text),
    warnings,
  );
});

test('a model that is downloaded already is only brought into use; where nothing is ranked nothing is called weak', () => {
  const row = { key: 'better', size_gb: 0.42, files: [] as ModelRow['files'] } as ModelRow;
  const reading = {
    model_key: 'small',
    knownWords: [],
    unknown: ['bottle'],
    unknownExcluded: [],
    weak: [],
    ranked: false,
  };
  const { toast_warning = '' } = said({
    ...quiet,
    reading: { ...reading, advised: { row, downloaded: true }, things: null },
  });
  assert.match(
    toast_warning,
    /^Not understood in pictures: "bottle"; to find it: framehound models use better, then [^.]*$/,
  );
});

test('words that are things are found by the detector, to be downloaded or only to look once', () => {
  const row = { key: 'better', size_gb: 0.42, files: [] as ModelRow['files'] } as ModelRow;
  const words = {
    knownWords: [],
    unknown: ['dog', 'dancing'],
    unknownExcluded: ['cat'],
    weak: [],
    ranked: false,
  };
  const told = (more: { advised: QueryReading['advised']; things: QueryReading['things'] }) =>
    warning({ ...quiet, reading: { model_key: 'small', ...words, ...more } }).not_understood;
  const advised = { row, downloaded: false };
  assert.deepEqual(told({ advised, things: 'download' }), {
    words: ['dog', 'dancing', 'cat'],
    model_keys: ['sight', 'better'],
    advice:
      'To find them: framehound setup, then framehound models pull better --use (0.42 GB), then framehound analyze PATH',
  });
  assert.deepEqual(told({ advised: null, things: 'analysis' }), {
    words: ['dog', 'dancing', 'cat'],
    model_keys: [],
    advice: 'To find them: framehound analyze PATH',
  });
  assert.equal(told({ advised: null, things: null })?.advice, null);
  assert.deepEqual(told({ advised: { row, downloaded: true }, things: null })?.model_keys, []);
  assert.equal(warning(quiet).not_understood, undefined);
});

test('a query that is understood whole is not weak because an excluded word is not', () => {
  const row = { key: 'better', size_gb: 0.42, files: [] as ModelRow['files'] } as ModelRow;
  const reading = {
    model_key: 'small',
    knownWords: ['red'],
    unknown: [],
    weak: [],
    unknownExcluded: ['car'],
    ranked: true,
  };
  const { warnings } = said({
    ...quiet,
    reading: { ...reading, advised: { row, downloaded: true }, things: null },
  });
  assert.deepEqual(warnings, [
    'Not understood in pictures: "car"; to find it: framehound models use better, then framehound analyze PATH',
  ]);
});

test('an empty answer says why, unless another sentence does', () => {
  const empty = { isLimited: false, kinds: [], looked: 0, things: [], weaker: 0 };
  const told = (more: Partial<EmptyReason>, others: Partial<Warnings> = {}) =>
    said({ ...quiet, ...others, empty: { ...empty, ...more } }).warnings;
  assert.deepEqual(told({}), ['No pictures have been analysed yet']);
  assert.deepEqual(told({ isLimited: true }), [
    'No analysed picture is left by the filters, people, files and times of this search',
  ]);
  assert.deepEqual(told({ kinds: ['seen'] }), ['Nothing was found in pictures']);
  assert.deepEqual(told({ kinds: ['seen', 'said', 'written'] }), [
    'Nothing was found in pictures, what is said and printed words',
  ]);
  assert.deepEqual(told({ kinds: ['seen'], looked: 142, things: ['zebra'] }), [
    'No file of the 142 that were searched for things shows "zebra"',
  ]);
  assert.deepEqual(told({ kinds: ['seen'], looked: 2, things: ['tie', 'dog'] }), [
    'No file of the 2 that were searched for things shows "tie" and "dog" together',
  ]);
  assert.deepEqual(told({ kinds: ['seen'], weaker: 1 }), [
    'Nothing that was found is sure enough; 1 weaker match was left out',
  ]);
  assert.deepEqual(told({}, { missing: ['/a'] }), ['Not analysed yet: /a']);
  assert.equal(told({}, { outdated: { names: ['/o'], count: 1 } })?.length, 2);
  assert.deepEqual(said({ ...quiet, empty: null }), {});
});

test('words for a part of what is found are named, and explain no empty answer', () => {
  const narrower = { people: ['woman', 'kind'], others: ['duck'] };
  const { notes = [] } = said({ ...quiet, narrower });
  assert.deepEqual(
    notes.map(({ code, text, values }) => [code, text, values]),
    [
      [
        'PEOPLE_NOT_TOLD_APART',
        'All people are found, without telling women from men or children from adults: "woman", "kind"',
        { names: ['woman', 'kind'], count: 2 },
      ],
      [
        'KINDS_NOT_TOLD_APART',
        'Others of the same kind are found as well: "duck"',
        { names: ['duck'], count: 1 },
      ],
    ],
  );
  assert.equal(isExplained(notes), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../actors/engine.ts';
import { noModel } from '../../actors/models/contract.ts';
import { deviceState } from '../../actors/models/current.ts';
import type { RunsOn } from '../../actors/models/device.ts';
import type { Moment } from '../../actors/search/moments/contract.ts';
import { mostThumbnails } from '../../actors/search/thumbnails/contract.ts';
import {
  frameArgument,
  numberArgument,
  peopleFields,
  perFilmArgument,
  type Question,
  title,
} from '../../cli/arguments.ts';
import { exit, usageErrors, withEngine } from '../../cli/context.ts';
import { selectFootage } from '../../cli/select-footage.ts';
import { type CommandService, useModelAndTell, writeDeviceLine } from '../../cli/service.ts';
import { duration, fitted, padded, printable, shellWord, widthOf, wrapped } from '../../cli/terminal.ts';
import { fakeHome } from './fake-context.ts';
import { plainQuestion } from './plain-question.ts';

test('control characters of file names are shown, not sent to the terminal', () => {
  assert.equal(printable('a\x1b[2Jb\n'), 'a\\x1b[2Jb\\x0a');
});

test('a name in a command is quoted where a shell would read it otherwise', () => {
  assert.deepEqual(['family', 'Zoë-2', 'my family', "Ann's", '-x', '$HOME', ''].map(shellWord), [
    'family',
    'Zoë-2',
    "'my family'",
    "'Ann'\\''s'",
    "'-x'",
    "'$HOME'",
    "''",
  ]);
});

test('durations are written as a person says them', () => {
  assert.deepEqual([0.2, 59, 61, 3_725].map(duration), ['1 s', '59 s', '1 min 1 s', '1 h 2 min']);
});

test('a text is cut and filled by the columns it takes', () => {
  assert.deepEqual(['abc', '東京', 'é', 'e\u0301', '🎬'].map(widthOf), [3, 4, 1, 1, 2]);
  assert.equal(fitted('abcdef', 4), 'abc…');
  assert.equal(fitted('東京の夜', 6), '東京…');
  assert.equal(fitted('abc', 3), 'abc');
  // A picture made of several is not cut in two, nor a letter from its marks.
  assert.equal(fitted('a👩‍👩‍👧b', 6), 'a…');
  assert.equal(fitted('abe\u0301fg', 4), 'abe\u0301…');
  assert.equal(padded('東', 4), '東  ');
});

test('a paragraph is broken at spaces, beside wide letters, and within what is wider than a line', () => {
  assert.deepEqual(wrapped('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapped('  one\n two ', 80), ['one two']);
  assert.deepEqual(wrapped('東京の夜は、長い', 6), ['東京の', '夜は、', '長い']);
  assert.deepEqual(wrapped('abcdefgh', 3), ['abc', 'def', 'gh']);
  assert.deepEqual(wrapped('a👩‍👩‍👧b', 2), ['a', '👩‍👩‍👧', 'b']);
  assert.deepEqual(wrapped(' \n ', 10), []);
});

test('property: a wrapped text has every letter, and no line is wider than it may be', () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom(' ', '東', '。', 'e\u0301', 'abc'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 80,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 8, max: 40 }), (text, columns) => {
      const lines = wrapped(text, columns);
      const letters = (some: string) => some.replace(/\s+/g, '');
      assert.equal(letters(lines.join('')), letters(text));
      for (const line of lines)
        assert.ok(widthOf(line) <= columns || [...new Intl.Segmenter().segment(line)].length === 1, line);
    }),
  );
});

test('the engine of a command is stopped whether its work ends well or not', async (t) => {
  let stops = 0;
  const engine = {
    stop: async () => {
      stops++;
      return [];
    },
  } as unknown as Engine;
  const asked: number[] = [];
  const context = fakeHome(t).context({
    startEngine: async (decoders) => {
      asked.push(decoders);
      return engine;
    },
  });
  assert.equal(await withEngine(context, 3, async (started) => started === engine), true);
  const failure = new Error('the work failed');
  await assert.rejects(
    withEngine(context, 0, () => Promise.reject(failure)),
    failure,
  );
  assert.deepEqual([asked, stops], [[3, 0], 2]);
});

test('the exit codes are what scripts rely on', () => {
  assert.deepEqual(exit, { ok: 0, error: 1, usage: 2, someFailed: 3, cancelled: 130 });
});

function told(on: RunsOn | null): string {
  const texts: string[] = [];
  const screen = { write: (text: string) => void texts.push(text), columns: 80, isTerminal: false };
  writeDeviceLine(screen, { ...noModel, ...(on && { model_key: 'clip-b32', ...deviceState(on) }) });
  return texts.join('');
}

test('where a model runs is told in a line, with the reason why on no better device', () => {
  assert.equal(told({ device: 'cuda', refused: [] }), 'clip-b32 runs on CUDA\n');
  const refused = [{ device: 'cuda', reason: 'libcudnn.so.9 is not found' }] as const;
  assert.equal(
    told({ device: 'cpu', refused }),
    'clip-b32 runs on the processor (CUDA: libcudnn.so.9 is not found)\n',
  );
  assert.equal(told(null), '');
});

test('the model that a service loads just then is awaited, and told', async (t) => {
  const loading = { ...noModel, is_loading: true, requested_model_key: 'clip-b32' };
  const ready = { ...noModel, model_key: 'clip-b32', ...deviceState({ device: 'cpu', refused: [] }) };
  const states = [loading, loading, ready];
  const client = { loadedModels: async () => ({ visual: states.shift(), speech: noModel }) };
  const context = fakeHome(t).context();
  await useModelAndTell({ client, isOwn: false } as unknown as CommandService, context);
  assert.equal(context.said().err, 'clip-b32 runs on the processor\n');
});

const moment = (n: number) =>
  ({
    ...{ hash_str: `${n}`, media_path: `/${n}.mov`, kind: 'video', reasons: [] },
    ...{ time_seconds: 0, start_seconds: 0, end_seconds: 4 },
  }) as unknown as Moment;

test('previews of many matches are asked for as many at a time as one answer holds', async () => {
  const asked: number[] = [];
  const client = {
    loadTranscriptions: async () => ({}),
    searchMoments: async () => ({ moments: Array.from({ length: 1200 }, (_, n) => moment(n)) }),
    thumbnails: async ({ requests, max_size }: { requests: { media_path: string }[]; max_size: number }) => {
      asked.push(requests.length);
      assert.ok(requests.length <= mostThumbnails(max_size));
      return { thumbnails: requests.map(({ media_path }) => ({ thumbnail: media_path })) };
    },
  };
  const question = { ...plainQuestion, previews: true, max: 1200 };
  const { matches } = await selectFootage({ client } as unknown as CommandService, question, '/analysis');
  assert.equal(
    asked.reduce((sum, one) => sum + one, 0),
    1200,
  );
  assert.ok(matches.every(({ image, video_path }) => image === video_path));
});

const upToTen = { type: 'integer', minimum: 1, maximum: 10 };

test('FILE@SECONDS is split at the last @', () => {
  assert.deepEqual(frameArgument('/a@b.mp4@12.5'), { path: '/a@b.mp4', seconds: 12.5 });
  for (const wrong of ['/a.mp4', '@3', '/a.mp4@', '/a.mp4@x', '/a.mp4@-1']) {
    assert.throws(() => frameArgument(wrong), usageErrors.USAGE.is, wrong);
  }
});

test('a number has its limits, and is whole where it has to be', () => {
  assert.equal(numberArgument('--max', '10', upToTen), 10);
  assert.equal(numberArgument('--text-weight', '0.5', { type: 'number' }), 0.5);
  for (const wrong of ['', ' ', 'x', '0', '11', '2.5', 'Infinity', 'NaN', '-1']) {
    const read = () => numberArgument('--max', wrong, upToTen);
    assert.throws(read, (error: Error) => usageErrors.USAGE.is(error) && error.message.startsWith('--max '));
  }
});

test('matches of one film are so many, or all', () => {
  assert.deepEqual([perFilmArgument('3'), perFilmArgument('all')], [3, null]);
  assert.throws(() => perFilmArgument('few'), usageErrors.USAGE.is);
});

test('the title of a search names all that was asked', () => {
  const table: [Partial<Question>, string][] = [
    [{ query: 'red car' }, '"red car"'],
    [{ image: '/a.jpg' }, 'like /a.jpg'],
    [{ query: 'sea', frame: { path: '/a.mp4', seconds: 2 } }, '"sea", like /a.mp4 at 2 s'],
    [{ query: 'sea', exclude: ['boat', 'sun'] }, '"sea", without "boat", "sun"'],
  ];
  for (const [asked, text] of table) assert.equal(title({ ...plainQuestion, ...asked }), text);
});

test('people are asked for all at once or any, in one clustering where it is named', () => {
  const request = { ...plainQuestion, people: ['Anna', 'Ben'] };
  assert.deepEqual(peopleFields(plainQuestion), {});
  assert.deepEqual(peopleFields(request), {
    people_filter: [{ person_name: 'Anna' }, { person_name: 'Ben' }],
    people_filter_mode: 'and',
  });
  assert.deepEqual(peopleFields({ ...request, people: ['Anna'], anyPerson: true, clusterJob: 'cast' }), {
    people_filter: [{ person_name: 'Anna', cluster_job_name: 'cast' }],
    people_filter_mode: 'or',
  });
  assert.equal(title({ ...request, query: 'red car' }), '"red car", with Anna and Ben');
  assert.equal(title({ ...request, anyPerson: true }), 'with Anna or Ben');
});

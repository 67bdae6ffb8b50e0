import assert from 'node:assert/strict';
import test from 'node:test';
import {
  frameArgument,
  numberArgument,
  peopleFields,
  perFilmArgument,
  type Question,
  title,
} from '../../cli/arguments.ts';
import { usageErrors } from '../../cli/context.ts';
import { plainQuestion } from './plain-question.ts';

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

import assert from 'node:assert/strict';
import test from 'node:test';
import { note } from '../../../actors/search/notes/contract.ts';
import type { Band, Explanation } from '../../../actors/search/visual/contract.ts';
import type { Question } from '../../../cli/arguments.ts';
import { asTyped, search, show, standingOut } from '../../../cli/commands/search.ts';
import { invocation } from '../../../cli/context.ts';
import { fakeHome } from '../fake-context.ts';
import { plainQuestion } from '../plain-question.ts';

const question: Question = { ...plainQuestion, query: 'x' };

const match = {
  frame_idx: '12',
  timestamp: '00:00:12',
  image: '',
  scene_start_timestamp: '00:00:10',
  scene_end_timestamp: '00:00:14',
  original_index: 0,
  hash_str: 'h',
  video_path: '/films/a.mp4',
};

test('what the matches are worth is told before them, with commands as they are typed here', async (t) => {
  const own = fakeHome(t).context();
  const warnings = [
    'Weak: pictures were searched for "red" alone; not understood: "x"; to find it: framehound analyze PATH',
    'Not analysed yet: /a',
  ];
  show({ matches: [match], warnings, toast_warning: warnings.join('. ') }, question, own);
  const lines = own.said().out.split('\n');
  assert.deepEqual(lines.slice(0, 3), [
    '"x"',
    `  note: Weak: pictures were searched for "red" alone; not understood: "x"; to find it: ${invocation} analyze PATH`,
    '  note: Not analysed yet: /a',
  ]);
  assert.match(lines[3]!, /^ {2}1\. 00:00:12/);
});

test('files that are away are told of where one of them is shown', async (t) => {
  const lines = async (away: string) => {
    const own = fakeHome(t).context();
    const notes = [note('FILE_GONE', { names: [away], count: 1 })];
    show({ matches: [match], notes }, question, own);
    return own.said().out.split('\n');
  };
  assert.match((await lines('/films/a.mp4'))[1]!, /^ {2}note: File not found at its known path/);
  assert.match((await lines('/films/weaker.mp4'))[1]!, /^ {2}1\. /);
});

test('a service of another version answers its remarks as one text', async (t) => {
  const own = fakeHome(t).context();
  show({ matches: [], toast_warning: 'Not analysed yet: /a' }, question, own);
  assert.match(own.said().out, /^"x"\n {2}note: Not analysed yet: \/a\n {2}nothing was found\n$/);
});

test('a still has no scene and no time; a film that reached the limit is told to have more', async (t) => {
  const own = fakeHome(t).context();
  const moment = { frame_idx: '0', timestamp: '00:00:00', scene_start_timestamp: '00:00:00' };
  const still = { ...match, ...moment, scene_end_timestamp: '00:00:01', hash_str: 's', video_path: '/a.jpg' };
  show({ matches: [match, still] }, { ...question, perFilm: 1 }, own);
  const lines = own.said().out.split('\n');
  assert.match(lines[1]!, /At most 1 per film are shown; for more: --per-film/);
  assert.deepEqual(lines.slice(2, 4), [
    '  1. 00:00:12  scene 00:00:10–00:00:14  /films/a.mp4',
    '  2. still     /a.jpg',
  ]);
  const short = { ...match, scene_start_timestamp: '00:00:12', scene_end_timestamp: '00:00:12' };
  const brief = fakeHome(t).context();
  show({ matches: [short] }, question, brief);
  assert.match(brief.said().out, /^ {2}1\. 00:00:12 {2}\/films/m, 'a scene of one second has no second time');
  const alone = fakeHome(t).context();
  show({ matches: [still] }, { ...question, perFilm: 1 }, alone);
  assert.doesNotMatch(alone.said().out, /At most/);
});

test('searched by a picture, the best match of each file is shown, however weak', () => {
  const explanation: Explanation = { band: 'weak', parts: [] };
  const weak = (original_index: number, hash_str: string) => ({
    ...match,
    original_index,
    hash_str,
    explanation,
  });
  const answer = { matches: [weak(2, 'a'), weak(0, 'a'), weak(1, 'b')] };
  const shown = ({ matches, weaker }: ReturnType<typeof standingOut>) => [
    matches.map(({ original_index }) => original_index),
    weaker,
  ];
  assert.deepEqual(shown(standingOut(answer, 0, true)), [[0, 1], 1]);
  assert.deepEqual(shown(standingOut(answer)), [[], 3]);
});

test('other files of the same content are named once, the first two of them', async (t) => {
  const own = fakeHome(t).context();
  const other_paths = ['/b/a.mp4', '/c/a.mp4', '/d/a.mp4'];
  const copied = { ...match, other_paths };
  const single = { ...match, hash_str: 's', video_path: '/films/s.mp4', other_paths: ['/b/s.mp4'] };
  show({ matches: [copied, { ...copied, original_index: 1 }, single] }, question, own);
  const also = own
    .said()
    .out.split('\n')
    .flatMap((line, i) => (line.includes('also at') ? [[i, line]] : []));
  assert.deepEqual(also, [
    [2, '     also at /b/a.mp4, /c/a.mp4 and 1 more'],
    [5, '     also at /b/s.mp4'],
  ]);
});

test('an error about a person names the option that was typed', () => {
  const said = (message: string) => (asTyped(new Error(message)) as Error).message;
  assert.equal(
    said('people_filter[1].person_name: Ana is in no face clustering; did you mean Anna?'),
    '--person: Ana is in no face clustering; did you mean Anna?',
  );
  assert.match(said('people_filter[0].cluster_job_name: Anna is in several (a, b)'), /^--cluster-job: Anna/);
  assert.equal(said('media_paths[0]: no'), 'media_paths[0]: no');
});

test('a search needs words, a picture, a filter or a person; what is said needs words', async (t) => {
  const context = fakeHome(t).context();
  await assert.rejects(search([], context), /needs a text, .*--filter FILTER or --person NAME/);
  for (const only of ['--said', '--written', '--seen'])
    await assert.rejects(search([only, '--person', 'Anna'], context), /--\w+ needs a search text/);
  await assert.rejects(search(['--filter', 'time.year'], context), /--filter must be FACET OPERATOR VALUE/);
});

test('--any-person and --cluster-job need a person', async (t) => {
  for (const option of [['--any-person'], ['--cluster-job', 'cast']])
    await assert.rejects(search(['x', ...option], fakeHome(t).context()), /need --person/);
});

test('what hardly stands out is counted and not shown, and where nothing stands out that is said', async (t) => {
  const explanation = (band: Band): Explanation => ({ band, parts: [] });
  const all = [
    { ...match, explanation: explanation('weak') },
    { ...match, original_index: 1, explanation: explanation('likely') },
    { ...match, original_index: 2 },
  ];
  const some = standingOut({ matches: all });
  assert.deepEqual(
    [some.matches.map(({ original_index }) => original_index), some.weaker],
    [[1, 2], 1],
    'a service that explains nothing is believed',
  );
  const own = fakeHome(t).context();
  show(some, question, own);
  assert.match(own.said().out, /^ {2}1 weaker match not shown: add --weak$/m);
  const none = fakeHome(t).context();
  show(standingOut({ matches: all.slice(0, 1) }), question, none);
  assert.match(
    none.said().out,
    /^ {2}nothing that was found is sure enough\n {2}1 weaker match not shown: add --weak$/m,
  );
});

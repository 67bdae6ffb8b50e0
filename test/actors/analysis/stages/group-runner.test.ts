import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import type { FakeFile } from '../fake-file.ts';
import { runs } from './runs.ts';

const films: FakeFile[] = [
  { name: 'a', frames: 5 },
  { name: 'b', frames: 3 },
];

/** Each piece of work ends once: two films, looked at and counted, and the total. */
function expectWhole({ ends, done }: Awaited<ReturnType<Awaited<ReturnType<typeof runs>>['run']>>) {
  const pieces = ends.map((end) => end.replace(/ \w+$/, ''));
  assert.deepEqual(pieces, ['count a', 'count all', 'count b', 'video a', 'video b']);
  assert.deepEqual(done, { files: 5, all: 5 });
}

const failing = (error: Error) => () => Promise.reject(error);

test('a task that is cancelled before it begins tells the end of each piece of work', async (t) => {
  const { run } = await runs(t, films);
  const ended = await run({ signal: AbortSignal.abort() });
  expectWhole(ended);
  assert.equal(ended.report?.cancelled, true);
  assert.ok(ended.ends.every((end) => end.endsWith('cancelled')));
});

test('a stage that cannot be opened ends the task with its reason and the rest as not finished', async (t) => {
  const broken = new Error('no fingers');
  const { run, w } = await runs(t, films, { open: failing(broken) });
  const ended = await run();
  expectWhole(ended);
  assert.equal(ended.error, broken);
  assert.ok(ended.ends.every((end) => end.endsWith('cancelled')));
  assert.equal(w.pool.free, w.pool.count);
});

test('without any reader every file fails, and the total is of nothing', async (t) => {
  const { run } = await runs(t, films, {}, { decoders: 0 });
  const ended = await run();
  expectWhole(ended);
  assert.equal(ended.error, null);
  const codes = ended.results.map(({ type, error }) => `${type} ${error?.code}`);
  assert.deepEqual(codes.filter((code) => code.endsWith('ACTOR_DOWN')).length, 4);
});

test('files that no round takes fail, and the others are worked on', async (t) => {
  const { run } = await runs(t, films, {
    session: () => ({
      rounds: async (items, failed) => {
        const [first, ...rest] = items;
        failed(first!, new Error('belongs nowhere'));
        return rest.map((item) => [item]);
      },
    }),
  });
  const ended = await run();
  expectWhole(ended);
  assert.ok(ended.ends.includes('count a failed') && ended.ends.includes('count b analyzed'));
});

test('rounds that cannot be planned end the task', async (t) => {
  const broken = new Error('no plan');
  const { run } = await runs(t, films, {
    session: () => ({
      rounds: async ([first], failed) => {
        failed(first!, new Error('belongs nowhere'));
        throw broken;
      },
    }),
  });
  const ended = await run();
  expectWhole(ended);
  assert.equal(ended.error, broken);
});

test('a folder that takes nothing more leaves the closing step unfinished', async (t) => {
  const { run, w } = await runs(t, films);
  w.state.full = true;
  const ended = await run();
  expectWhole(ended);
  assert.ok(storeErrors.STORE_FULL.is(ended.error));
  assert.ok(ended.ends.includes('count all cancelled'));
  assert.equal(w.pool.free, w.pool.count);
});

test('work that cannot be journalled fails alone, and keeps nobody waiting for its frames', async (t) => {
  const { run, w } = await runs(t, films);
  const { journal } = w;
  const write = journal.write.bind(journal);
  journal.write = (entry) => {
    if (entry.type === 'stage-start' && entry.key.startsWith('a/count/')) throw new Error('ENOSPC');
    write(entry);
  };
  const ended = await run();
  expectWhole(ended);
  assert.deepEqual(
    ended.ends.filter((end) => end.endsWith('failed')),
    ['count a failed'],
  );
});

test('a stage that throws before it has begun fails alone', async (t) => {
  const { run } = await runs(t, films, {
    session: () => ({
      work: () => {
        throw new Error('no hands');
      },
    }),
  });
  const ended = await run();
  expectWhole(ended);
  assert.deepEqual(
    ended.ends.filter((end) => end.startsWith('video')),
    ['video a analyzed', 'video b analyzed'],
  );
});

test('all work on a file that ran in a crash is done together, and one by one after a crash of that file alone', async (t) => {
  const begun = new Set<string>();
  /** How often film `a` is decoded after a crash in which all work on these films was running. */
  const decodings = async (crashed: readonly string[]) => {
    const { run, w } = await runs(t, films);
    const write = w.journal.write.bind(w.journal);
    w.journal.write = (entry) => {
      if (entry.type === 'stage-start') begun.add(entry.key);
      write(entry);
    };
    const { history } = w.journal;
    for (const key of begun) {
      const isRunning = crashed.some((name) => key.startsWith(`${name}/`));
      if (isRunning) history.take({ type: 'stage-start', time: 1, pid: -1, task_id: 't', key });
    }
    history.died({ pid: -1, how: '' });
    assert.equal(history.suspects.length, 2 * crashed.length);
    expectWhole(await run());
    assert.equal(history.suspects.length, 0);
    return w.state.decoded.filter((name) => name === 'a').length;
  };
  assert.equal(await decodings([]), 1);
  assert.equal(await decodings(['a', 'b']), 1);
  assert.equal(await decodings(['a']), 2);
});

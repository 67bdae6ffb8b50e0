import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../../actors/index/store/contract.ts';
import { summaryErrors } from '../../../../../actors/index/summaries/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { until } from '../../../../until.ts';
import { type Engine, summaryEngine, summaryOf } from './summary-engine.ts';

const film = [{ name: 'a', frames: 6 }];
const written = ({ summarizer }: Engine) =>
  summarizer.heard.filter((one) => one.startsWith('write')).map((one) => one.slice(6));

function clean({ w, summarizer, summaries }: Engine): void {
  assert.equal(summarizer.films.size, 0, 'no film stays open');
  assert.equal(summaries.open.size, 0, 'no summary stays open');
  assert.equal(w.analysis.summarizing, false);
}

/** An engine that dies while this message is being answered, and the one that resumes the task. */
async function killed(t: TestContext, message: string, more: Record<string, unknown> = {}) {
  const home = temporaryFolder(t);
  const alive = new Set(['one', 'two']);
  const gate = Promise.withResolvers<void>();
  // Before the engine stops, which waits for what is held.
  t.after(() => gate.resolve());
  const one = await summaryEngine(t, film, { home, token: 'one', alive });
  const reached = Promise.withResolvers<void>();
  const heard = one.summarizer.heard.push.bind(one.summarizer.heard);
  one.summarizer.heard.push = (...all) => {
    if (all[0] === message) {
      one.summarizer.hold = { [message.split(' ')[0] ?? '']: gate.promise };
      reached.resolve();
    }
    return heard(...all);
  };
  const task_id = await one.begin(summaryOf(one.w.paths, { summary_model_key: 'small', ...more }));
  await reached.promise;
  alive.delete('one');
  const two = await summaryEngine(t, [], { home, token: 'two', alive, disk: one.w });
  return { one, two, task_id };
}

for (const [message, left] of [
  ['open_film', ['n0+1', 'n2+1', 'n4+1', 'root+0']],
  ['add_vectors', ['n0+1', 'n2+1', 'n4+1', 'root+0']],
  ['outline', ['n0+1', 'n2+1', 'n4+1', 'root+0']],
  ['write n0+1', ['n0+1', 'n2+1', 'n4+1', 'root+0']],
  ['write n4+1', ['n4+1', 'root+0']],
  ['conclude', []],
] as const) {
  test(`a kill in ${message}: the resumed task writes only what is missing`, async (t) => {
    const { two, task_id } = await killed(t, message);
    const { state, of } = await two.resume(task_id);
    assert.equal(state, 'completed');
    assert.deepEqual(written(two), left);
    assert.deepEqual(
      of['a']?.summaries.map(({ outcome, nodes }) => [outcome, nodes]),
      [['analyzed', 4]],
    );
    const [stored] = [...two.summaries.stored.values()];
    assert.equal(stored?.nodes.size, 4);
    clean(two);
  });
}

test('what is written of other evidence is not taken up', async (t) => {
  const { two, task_id } = await killed(t, 'write n4+1');
  two.w.state.material.seen.push({ cluster_job_name: 'x', cluster_id: 'c', person: 'Ada', is_named: true });
  assert.equal((await two.resume(task_id)).state, 'completed');
  assert.deepEqual(written(two), ['n0+1', 'n2+1', 'n4+1', 'root+0']);
});

test('a summary that was stored before the engine could say so is taken for stored by the same task', async (t) => {
  const home = temporaryFolder(t);
  const alive = new Set(['one', 'two']);
  const one = await summaryEngine(t, film, { home, token: 'one', alive });
  one.summaries.faults.commit.push({ when: 'after', error: engineErrors.CANCELLED('the answer got lost') });
  const task_id = await one.begin(summaryOf(one.w.paths, { replace_existing: true }));
  await one.end();
  assert.equal(one.summaries.stored.size, 1);
  alive.delete('one');
  const two = await summaryEngine(t, [], { home, token: 'two', alive, disk: one.w });
  const { state, of } = await two.resume(task_id);
  assert.equal(state, 'completed');
  assert.equal(of['a']?.outcome, 'analyzed', of['a']?.error?.message);
  assert.equal(of['a']?.summaries[0]?.outcome, 'stored');
  assert.deepEqual(written(two), []);
});

test('an answer to the commit that got lost is found stored by the next attempt', async (t) => {
  const e = await summaryEngine(t, film);
  e.summaries.faults.commit.push({ when: 'after', error: engineErrors.ACTOR_CRASHED('the index ended') });
  const { of } = await e.run(summaryOf(e.w.paths));
  assert.equal(of['a']?.summaries[0]?.outcome, 'stored');
  assert.equal(e.summaries.stored.size, 1);
  clean(e);
});

for (const message of ['open_film', 'set_concepts', 'add_vectors', 'outline', 'write', 'conclude'] as const) {
  test(`a crash of the summarizer in ${message} is one more try`, async (t) => {
    const e = await summaryEngine(t, film);
    e.summarizer.crashes[message] = 1;
    const { of } = await e.run(summaryOf(e.w.paths));
    assert.equal(of['a']?.outcome, 'analyzed', of['a']?.error?.message);
    assert.equal(of['a']?.summaries.length, 1, 'only the last attempt is told');
    clean(e);
  });
}

test('a summarizer that ends twice fails the file, and what it wrote is not visible', async (t) => {
  const e = await summaryEngine(t, film);
  e.summarizer.crashes.conclude = 2;
  const { of, state } = await e.run(summaryOf(e.w.paths));
  assert.equal(state, 'completed');
  assert.equal(of['a']?.error?.code, 'ACTOR_CRASHED');
  assert.equal(of['a']?.summaries[0]?.outcome, 'failed');
  assert.equal(e.summaries.stored.size, 0);
  clean(e);
});

test('a cancel in the midst of a node ends it, and keeps what is written for later', async (t) => {
  const e = await summaryEngine(t, film);
  const gate = Promise.withResolvers<void>();
  e.summarizer.hold = { write: gate.promise };
  const task_id = await e.begin(summaryOf(e.w.paths, { summary_model_key: 'small' }));
  await until(() => written(e).length === 1);
  void e.tasks.cancel();
  assert.equal(await e.end(), 'cancelled');
  gate.resolve();
  assert.equal((await e.ends(task_id)).of['a']?.outcome, 'cancelled');
  assert.equal(e.summaries.stored.size, 0);
  await until(() => e.summarizer.films.size === 0);
  clean(e);
  e.summarizer.hold = {};
  const { state } = await e.resume(task_id);
  assert.equal(state, 'completed');
  assert.equal(e.summaries.stored.size, 1);
});

test('a resumed task keeps the files that it finished before it was cancelled', async (t) => {
  const e = await summaryEngine(t, [...film, { name: 'b', frames: 3 }]);
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  await e.run({ visual_media_paths: e.w.paths });
  const requests = summaryOf(e.w.paths).summary_requests ?? [];
  // Nothing of the second summary of the second file is written before the cancel.
  const commits = e.summaries.stored;
  Object.defineProperty(e.summarizer, 'hold', {
    get: () => (commits.size === 2 ? { write: gate.promise } : {}),
    configurable: true,
  });
  const more = { ...requests[1]!, analysis_name: 'another' };
  const task_id = await e.begin({ summary_requests: [...requests, more] });
  await until(() => commits.size === 2 && e.summarizer.heard.filter((one) => one === 'outline').length === 3);
  void e.tasks.cancel();
  assert.equal(await e.end(), 'cancelled');
  gate.resolve();
  await until(() => e.summarizer.films.size === 0);
  Object.defineProperty(e.summarizer, 'hold', { value: {} });
  const { state, of, counts } = await e.resume(task_id);
  assert.deepEqual([state, counts.failed], ['completed', 0], of['a']?.error?.message);
  assert.deepEqual([of['a']?.outcome, of['b']?.outcome], ['analyzed', 'analyzed']);
  assert.equal(commits.size, 3, 'nothing is made twice');
  clean(e);
});

test('a full disk ends the task with its reason, and the summary goes on when there is room', async (t) => {
  const e = await summaryEngine(t, film);
  await e.run({ visual_media_paths: e.w.paths });
  e.w.state.full = true;
  const { task_id, state, error } = await e.run({ ...summaryOf(e.w.paths), visual_media_paths: [] });
  assert.equal(state, 'failed');
  assert.equal(error?.code, 'STORE_FULL');
  clean(e);
  e.w.state.full = false;
  e.summaries.faults.commit.push({ when: 'before', error: storeErrors.STORE_FULL('no room') });
  assert.equal((await e.resume(task_id)).error?.code, 'STORE_FULL');
  clean(e);
  const before = written(e).length;
  assert.equal((await e.resume(task_id)).state, 'completed');
  assert.equal(written(e).length, before, 'all nodes were there');
});

test('nodes that make no tree are dropped, so that the next attempt begins anew', async (t) => {
  const e = await summaryEngine(t, film);
  e.summaries.faults.commit.push({ when: 'before', error: summaryErrors.NOT_A_TREE('odd') });
  const { of, task_id } = await e.run(summaryOf(e.w.paths));
  assert.equal(of['a']?.error?.code, 'NOT_A_TREE');
  assert.equal(e.summaries.kept.size, 0);
  clean(e);
  assert.equal((await e.resume(task_id)).of['a']?.outcome, 'analyzed');
});

test('what is kept of another outline is dropped and not mixed with this one', async (t) => {
  const { two, task_id } = await killed(t, 'write n4+1');
  const [kept] = [...two.summaries.kept.values()];
  kept?.nodes.set('strange', { ...kept.nodes.get('n0')!, node_id: 'strange' });
  assert.equal((await two.resume(task_id)).state, 'completed');
  const [stored] = [...two.summaries.stored.values()];
  assert.deepEqual([...(stored?.nodes.keys() ?? [])], ['n0', 'n2', 'n4', 'root']);
});

test('a collection that is not there is refused before anything starts', async (t) => {
  const e = await summaryEngine(t, film);
  const [path = ''] = e.w.paths;
  const collection = { collection_id: 'gone' };
  await assert.rejects(
    e.begin({
      visual_media_paths: [path],
      summary_requests: [{ path, collection, replace_existing: false }],
    }),
    /summary_requests\[0\]\.collection\.collection_id is not a known collection/,
  );
});

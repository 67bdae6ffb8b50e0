// What happens in a cluster is searched and sent once, by one machine, and known to all of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Leases } from '../../../actors/cluster/leases.ts';
import { Teller } from '../../../actors/cluster/teller.ts';
import type { MomentsRequest } from '../../../actors/search/moments/contract.ts';
import type { SearchHit } from '../../../events/searches/contract.ts';
import { SearchService } from '../../../events/searches/searches.ts';
import { WebhookService } from '../../../events/webhooks/webhooks.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { detailOf, fakeTasks } from '../../events/fake-tasks.ts';
import { receiver } from '../../events/receiver.ts';
import { end, ending } from '../../events/task-events.ts';
import { savedRequest } from '../../http/body-needs.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { type Machines, machines } from './homes.ts';

test('events of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const all = await machines(t);
  const here = await told(t, all, '/footage');
  await until(() => here.teller.tells);
  const there = await told(t, all, '/mnt/nas');
  const { url, received } = await receiver(t);
  const { search_id } = await here.searches.save({ name: 'cars', request: savedRequest('/c') });
  const { webhook } = await there.webhooks.add({ url, events: ['task.ended', 'search.hit'] });
  const known = () => here.webhooks.list().length + there.searches.list().length === 2;
  await until(known, { within: 300 });
  await t.test('a hit is found once, told by every machine, and seen for all', async () => {
    for (const { tasks, footage } of [there, here]) tasks.emit('t', ending(join(footage, 'a.mp4')));
    for (const { hits, footage } of [here, there]) {
      await until(() => hits.length === 1);
      assert.equal(hits[0]?.media_path, join(footage, 'a.mp4'));
    }
    assert.deepEqual(
      there.searches.hits(search_id).map(({ hit_id }) => hit_id),
      [here.hits[0]?.hit_id],
    );
    there.searches.markSeen(search_id);
    await until(() => here.searches.list()[0]?.new_hits === 0, { within: 1_000 });
  });
  await t.test('a webhook is sent once, also when another machine has taken over', async () => {
    await until(() => received.length === 1);
    await here.leave();
    await until(() => there.teller.tells, { within: 15_000 });
    for (const { tasks } of [here, there]) tasks.emit('t', end('completed'));
    await until(() => received.length === 2);
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body).type),
      ['search.hit', 'task.ended'],
    );
    const { total } = there.webhooks.deliveries(webhook.webhook_id, { offset: 0, limit: 10 });
    assert.equal(total, 1, 'its own');
    assert.deepEqual([here.hits.length, there.hits.length], [1, 1]);
  });
});

async function told(t: TestContext, all: Machines, footage: string) {
  const machine = await all.join(footage);
  const parts = { clock: systemClock, log: createLog('events', () => {}), now: () => Date.now() / 1000 };
  const leases = new Leases({ ...machine, library: all.library, clock: systemClock });
  const teller = new Teller({ ...parts, leases });
  teller.begin();
  const tasks = fakeTasks();
  tasks.records.set('t', detailOf('t'));
  const common = { ...parts, homeFiles: machine.home, tells: () => teller.tells, tasks };
  const search = {
    loaded: null,
    onLoaded: () => {},
    loadMedia: async () => {},
    transcripts: { load: async () => {} },
    moments: { search: async ({ media_paths }: MomentsRequest) => answerOf(media_paths) },
  } as never;
  const searches = new SearchService({ ...common, search, folder: join(machine.folder, 'searches') });
  searches.followHome(machine.home);
  const hits: SearchHit[] = [];
  searches.subscribe((hit) => void hits.push(hit));
  const watchFolders = { list: async () => ({ watch_folders: [], service_status: {} as never }) };
  const folder = join(machine.folder, 'webhooks');
  const webhooks = new WebhookService({ ...common, searches, watchFolders, hosts: [], folder });
  t.after(() => {
    for (const one of [searches, webhooks]) one.close();
    return teller.stop();
  });
  const leave = () => teller.stop().then(machine.leave);
  return { footage, teller, tasks, searches, webhooks, hits, leave };
}

function answerOf(media_paths: readonly string[]) {
  const reason = { kind: 'said', rank: 1, text: 'red car', start_seconds: 3, end_seconds: 5 };
  const moments = media_paths.map((media_path) => ({
    ...{ moment_id: 'aa@3', hash_str: 'aa', media_path, kind: 'video', time_seconds: 3 },
    ...{ start_seconds: 3, end_seconds: 5, reasons: [{ ...reason, speaker: '', speaker_name: '' }] },
  }));
  return { moments, counts: { seen: 0, said: 0, person: 0, written: 0 } };
}

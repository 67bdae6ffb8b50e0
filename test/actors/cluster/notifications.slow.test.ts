// What happens in a cluster is searched and sent by one machine, left out by none, and known to all of them.
import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { WorkResult } from '../../../actors/analysis/contract.ts';
import { Leases } from '../../../actors/cluster/leases.ts';
import { addChange, changesAfter, lastChange } from '../../../actors/cluster/log.ts';
import { Notifications } from '../../../actors/cluster/notifications.ts';
import { RootPaths } from '../../../actors/cluster/places.ts';
import type { MomentsRequest } from '../../../actors/search/moments/contract.ts';
import type { SearchHit } from '../../../events/searches/contract.ts';
import { SearchService } from '../../../events/searches/searches.ts';
import { WebhookService } from '../../../events/webhooks/webhooks.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { detailOf, fakeTasks } from '../../events/fake-tasks.ts';
import { type Received, receiver } from '../../events/receiver.ts';
import { ending } from '../../events/task-events.ts';
import { savedRequest } from '../../http/body-needs.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { type Machines, machines } from './homes.ts';

test('events of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const all = await machines(t);
  const here = await told(t, all, '/footage');
  await until(() => here.notifications.tells);
  const there = await told(t, all, '/mnt/nas');
  const { url, received } = await receiver(t);
  const { search_id } = await here.searches.save({ name: 'cars', request: savedRequest('/c') });
  const { webhook } = await there.webhooks.add({ url, events: ['task.ended', 'search.hit'] });
  const known = () => here.webhooks.list().length + there.searches.list().length === 2;
  await until(known);
  await t.test('a hit is found once, told by every machine, and seen for all', async () => {
    await found(all, 'a.mp4');
    for (const machine of [there, here]) await machine.follow();
    for (const { hits, footage } of [here, there]) {
      await until(() => hits.length === 1);
      assert.equal(hits[0]?.media_path, join(footage, 'a.mp4'));
    }
    assert.deepEqual(
      there.searches.hits(search_id).map(({ hit_id }) => hit_id),
      [here.hits[0]?.hit_id],
    );
    there.searches.markSeen(search_id);
    await until(() => here.searches.list()[0]?.new_hits === 0);
  });
  await t.test('what happens while nobody sends is sent by the next machine', async () => {
    await until(() => received.length === 1);
    await until(async () => (await toldOf(all)) === (await lastChange(all.database, all.library)));
    await here.cutOff();
    // However long the next steps take on a busy machine.
    await lease(all, 'an hour');
    await found(all, 'b.mp4', true);
    await there.follow();
    assert.equal(there.notifications.tells, false);
    await lease(all, 'nothing');
    await until(() => there.notifications.tells && received.length === 3);
    assert.deepEqual(received.map(fileOf).toSorted(), ['a.mp4', 'b.mp4', 'completed']);
    const { total } = there.webhooks.deliveries(webhook.webhook_id, { offset: 0, limit: 10 });
    assert.equal(total, 2, 'its own');
  });
  await t.test('what may have been sent is sent again with the same id, and is no new hit', async () => {
    const third = await told(t, all, '/footage');
    await until(() => third.webhooks.list().length === 1 && third.searches.hits(search_id).length === 2);
    await until(async () => (await toldOf(all)) === (await lastChange(all.database, all.library)));
    const heard = third.hits.length;
    await there.cutOff();
    await all.database.query('update framehound.library set told = 0');
    await lease(all, 'nothing');
    await until(() => received.length === 6);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids.slice(3).toSorted(), ids.slice(0, 3).toSorted());
    assert.equal(third.searches.hits(search_id).length, 2);
    assert.equal(third.hits.length, heard);
  });
});

/** The file of a hit, or how a task ended. */
function fileOf({ body }: Received): string {
  const { data } = JSON.parse(body) as { data: { state?: string; media_path?: string } };
  return data.state ?? basename(data.media_path!);
}

/** The last change of which everything was made. */
async function toldOf({ database }: Machines): Promise<number> {
  const [row] = await database.query<{ told: string | null }>('select told from framehound.library');
  return Number(row!.told);
}

/** How long whoever sends has the lease from now on. */
async function lease({ database }: Machines, left: 'an hour' | 'nothing'): Promise<void> {
  const hours = left === 'an hour' ? 1 : 0;
  await database.query('update framehound.lease set until = clock_timestamp() + make_interval(hours => $1)', [
    hours,
  ]);
}

/** A worker has analysed a file. */
async function found({ database, library }: Machines, name: string, isEnd = false): Promise<void> {
  const { result } = ending(`root:footage/${name}`) as { readonly result: WorkResult };
  const end = isEnd ? ({ state: 'completed', error: null } as const) : null;
  const standing = { counts: {} as never, amounts: {}, end };
  const body = { kind: 'results', task_id: 't', job: '', results: [result], sealed: null, standing } as const;
  await database.transact((sql) => addChange(sql, { library, node: library }, body));
}

async function told(t: TestContext, all: Machines, footage: string) {
  const machine = await all.join(footage);
  const { library } = all;
  const parts = { clock: systemClock, log: createLog('events', () => {}), now: () => Date.now() / 1000 };
  const leases = new Leases({ ...machine, library, clock: systemClock });
  const places = new RootPaths(machine.roots);
  let applied = await lastChange(all.database, library);
  const notifications = new Notifications({ ...parts, ...machine, library, places, leases }, applied);
  const tasks = fakeTasks();
  tasks.records.set('t', detailOf('t'));
  const common = { ...parts, homeFiles: machine.home, telling: notifications, tasks };
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
  notifications.begin();
  t.after(() => {
    for (const one of [searches, webhooks]) one.close();
    return notifications.stop();
  });
  const follow = async () => {
    const { changes } = await changesAfter(all.database, library, { seq: applied, at_ms: 0 }, 100);
    for (const change of changes) {
      applied = change.seq;
      notifications.applied(change);
    }
  };
  // Others hear nothing of it any more.
  const cutOff = machine.leave;
  return { footage, notifications, searches, webhooks, hits, follow, cutOff };
}

function answerOf(media_paths: readonly string[]) {
  const reason = { kind: 'said', rank: 1, text: 'red car', start_seconds: 3, end_seconds: 5 };
  const moments = media_paths.map((media_path) => ({
    ...{ moment_id: `${basename(media_path)}@3`, hash_str: basename(media_path), media_path },
    ...{ kind: 'video', time_seconds: 3 },
    ...{ start_seconds: 3, end_seconds: 5, reasons: [{ ...reason, speaker: '', speaker_name: '' }] },
  }));
  return { moments, counts: { seen: 0, said: 0, person: 0, written: 0 } };
}

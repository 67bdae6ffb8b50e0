import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { definition } from '../../../actors/decoder/actor.ts';
import { decoderContract } from '../../../actors/decoder/contract.ts';
import { createClips } from '../../../actors/exporter/clips/clips.ts';
import { Writers } from '../../../actors/exporter/clips/writers.ts';
import { createTimelines } from '../../../actors/exporter/timeline/timelines.ts';
import { noRoots } from '../../../actors/index/store/path-map.ts';
import type { MomentList } from '../../../actors/library/lists/contract.ts';
import { ListFolder } from '../../../actors/library/lists/lists.ts';
import { listRoutes, timelineRoutes } from '../../../http/routes/lists.ts';
import { clipRoutes } from '../../../http/routes/tasks.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { ownFiles } from '../../../runtime/files/home-files.ts';
import { createLog } from '../../../runtime/log.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { inject } from '../inject.ts';

const log = createLog('test', () => {});

function served(t: TestContext) {
  const home = temporaryFolder(t);
  const lists = new ListFolder({
    folder: join(home, 'lists'),
    homeFiles: ownFiles,
    clock: systemClock,
    now: () => 1000,
    newId: randomUUID,
    paths: () => noRoots,
  });
  return { home, lists };
}

const listOf = ({ body }: { body: unknown }) => (body as { list: MomentList }).list;

test('a list is made, read, changed with its version, and removed', async (t) => {
  const { lists } = served(t);
  const call = inject(listRoutes, { lists });
  const items = [{ media_path: '/f//a.mp4', start_seconds: 1, end_seconds: 2, other: 'x' }];
  const made = await call('/api/v1/lists', { name: 'Cut', items });
  assert.equal(made.status, 201);
  const list = listOf(made);
  assert.deepEqual(list.items[0]!.media_path, '/f/a.mp4');
  assert.equal('other' in list.items[0]!, false);
  const path = `/api/v1/lists/${list.list_id}`;
  assert.deepEqual(listOf(await call(path)), list);
  const put = (body: unknown) => call(path, body, { method: 'PUT' });
  assert.equal(listOf(await put({ version: 1, name: 'Final' })).version, 2);
  const late = await put({ version: 1, items: [] });
  assert.deepEqual([late.status, (late.body as { version: number }).version], [409, 2]);
  assert.equal(listOf(await call(path)).items.length, 1);
  const relative = await put({ version: 2, items: [{ ...items[0], media_path: 'a.mp4' }] });
  assert.equal(relative.status, 400);
  assert.match((relative.body as { message: string }).message, /items\[0\]\.media_path/);
  const { body } = await call('/api/v1/lists');
  assert.deepEqual((body as { lists: object[] }).lists.length, 1);
  assert.equal((await call(path, undefined, { method: 'DELETE' })).status, 200);
  assert.equal((await call(path)).status, 404);
});

const footage = ['media/video/car-detection.mp4', 'media/speech/jfk.flac'];
const skip = skipWithout(...footage);

test('a list goes as it is into a timeline and into clips', { skip }, async (t) => {
  const { home, lists } = served(t);
  const pool = createSlotPool(2, 16);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  t.after(() => supervisor.stop());
  const start = () => startInMemory(definition, { settings: { hardware: 'off' }, log, memory: pool.memory });
  const decoder = await supervisor.add({ name: 'prober', contract: decoderContract, start });
  const unasked = { ask: async (name: string) => assert.fail(`${name} is asked`) } as never;
  const timelines = createTimelines({ prober: decoder, index: unasked, summaries: unasked });
  const clips = createClips({ writers: new Writers([decoder]), log });
  const call = inject([...listRoutes, ...timelineRoutes, ...clipRoutes], { lists, timelines, clips });
  const [film, sound] = footage.map(sharedPath) as [string, string];
  const made = await call('/api/v1/lists', {
    name: 'Cars & more',
    items: [
      { media_path: film, start_seconds: 2, end_seconds: 4.5, name: 'Car <1>', note: 'red' },
      { media_path: sound, start_seconds: 0.5, end_seconds: 1.5 },
    ],
  });
  const { name, items } = listOf(made);
  const timeline = await call('/api/v1/export/timeline', {
    format: 'xmeml',
    sequence_name: name,
    items: items.map(({ start_seconds, end_seconds, ...item }) => ({
      ...item,
      source_start_seconds: start_seconds,
      source_end_seconds: end_seconds,
      track: item.media_path === sound ? 'audio' : 'video',
    })),
  });
  assert.equal(timeline.status, 200, JSON.stringify(timeline.body));
  const { content, item_count, total_duration_seconds } = timeline.body as Record<string, string | number>;
  // Sound lies below the pictures: 2.5 s, to whole frames.
  assert.equal(item_count, 2);
  assert.ok(Math.abs(Number(total_duration_seconds) - 2.5) < 0.05, `${total_duration_seconds}`);
  assert.match(String(content), /<name>Cars &amp; more<\/name>/);
  assert.match(String(content), /<name>Car &lt;1&gt;<\/name>/);
  const cut = await call('/api/v1/export/clips', {
    output_dir: join(home, 'clips'),
    clips: items,
    mode: 'copy',
  });
  assert.equal(cut.status, 200, JSON.stringify(cut.body));
  assert.doesNotMatch(JSON.stringify(cut.body), /"error":"/);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { noRoots } from '../../../../actors/index/store/path-map.ts';
import {
  type GivenItem,
  listErrors,
  type MomentLists,
  mostListItems,
  mostLists,
} from '../../../../actors/library/lists/contract.ts';
import { ListFolder } from '../../../../actors/library/lists/lists.ts';
import { type Clock, systemClock } from '../../../../runtime/clock.ts';
import { EngineError, engineErrors } from '../../../../runtime/errors.ts';
import { ownFiles } from '../../../../runtime/files/home-files.ts';
import { newHolder } from '../../../../runtime/files/lock.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

/** A lock is looked at again at once. */
const clock: Clock = {
  ...systemClock,
  after: (_, run) => {
    const turn = setImmediate(run);
    return () => clearImmediate(turn);
  },
};
const signal = new AbortController().signal;
const moment = (name: string, start = 1): GivenItem => ({
  media_path: '/media/a.mp4',
  start_seconds: start,
  end_seconds: start + 2,
  name,
});

function setUp(t: TestContext) {
  const home = temporaryFolder(t);
  const folder = join(home, 'lists');
  let now = 1000;
  const open = (): MomentLists =>
    new ListFolder({
      folder,
      homeFiles: ownFiles,
      clock,
      now: () => now++,
      newId: randomUUID,
      paths: () => noRoots,
    });
  return { folder, lists: open(), open, file: (id: string) => join(folder, `${id}.json`) };
}

const failsWith =
  (code: string, part = '') =>
  (error: unknown) =>
    error instanceof EngineError && error.code === code && error.message.includes(part);

test('a list keeps its items, their ids and their order over changes and a restart', async (t) => {
  const { lists, open } = setUp(t);
  const made = await lists.make({ name: 'Cut', items: [moment('a'), moment('b', 5)] }, signal);
  assert.equal(made.version, 1);
  const [a, b] = made.items as [GivenItem, GivenItem];
  assert.ok(a.item_id !== b.item_id);
  const items = [{ ...b, note: 'first' }, moment('c', 9), a];
  const changed = await lists.change(made.list_id, { version: 1, items }, signal);
  assert.deepEqual([changed.version, changed.name], [2, 'Cut']);
  assert.deepEqual(
    changed.items.map(({ name, note = '' }) => [name, note]),
    [
      ['b', 'first'],
      ['c', ''],
      ['a', ''],
    ],
  );
  assert.deepEqual([changed.items[0]!.item_id, changed.items[2]!.item_id], [b.item_id, a.item_id]);
  const renamed = await lists.change(made.list_id, { version: 2, name: 'Final' }, signal);
  assert.deepEqual([renamed.name, renamed.items], ['Final', changed.items]);
  assert.deepEqual(await open().get(made.list_id, signal), renamed);
  const { list_id, name, version, updated_at } = renamed;
  const overview = { list_id, name, version, updated_at, items: 3 };
  assert.deepEqual(await open().list(signal), { lists: [overview], unreadable: [] });
  await lists.remove(list_id, signal);
  await assert.rejects(lists.get(list_id, signal), failsWith('LIST_UNKNOWN', list_id));
  assert.deepEqual(await lists.list(signal), { lists: [], unreadable: [] });
});

test('of two engines that change one list at once one wins, and the other is told the version', async (t) => {
  const { lists, open } = setUp(t);
  const { list_id } = await lists.make({ name: 'Cut', items: [] }, signal);
  const engines = [lists, open(), open(), open()];
  const attempts = engines.map((one, i) =>
    one.change(list_id, { version: 1, items: [moment(`of ${i}`)] }, signal),
  );
  const done = await Promise.allSettled(attempts);
  const won = done.filter((one) => one.status === 'fulfilled');
  assert.equal(won.length, 1);
  for (const one of done.filter((other) => other.status === 'rejected')) {
    assert.ok(listErrors.LIST_CHANGED.is(one.reason));
    assert.equal((one.reason as EngineError).details['version'], 2);
  }
  assert.deepEqual(await lists.get(list_id, signal), won[0]!.value);
  const made = await Promise.all(engines.map((one, i) => one.make({ name: `${i}`, items: [] }, signal)));
  assert.equal(new Set(made.map((one) => one.list_id)).size, 4);
  assert.equal((await lists.list(signal)).lists.length, 5);
});

test('a damaged file is told of, and neither read, changed nor removed', async (t) => {
  const { lists, file, open } = setUp(t);
  const { list_id } = await lists.make({ name: 'Good', items: [moment('a')] }, signal);
  const good = readFileSync(file(list_id), 'utf8');
  const twice = JSON.parse(good) as { items: unknown[] };
  twice.items.push(twice.items[0]);
  for (const text of ['', good.slice(0, 40), '[]', 'null', '{"format":1}', JSON.stringify(twice)]) {
    writeFileSync(file(list_id), text);
    for (const one of [lists, open()]) {
      const damaged = failsWith('LIST_DAMAGED', file(list_id));
      await assert.rejects(one.get(list_id, signal), damaged);
      await assert.rejects(one.change(list_id, { version: 1, items: [] }, signal), damaged);
      await assert.rejects(one.remove(list_id, signal), damaged);
      const { lists: known, unreadable } = await one.list(signal);
      assert.deepEqual([known.length, unreadable.length], [0, 1], text);
      assert.match(unreadable[0]!.reason, new RegExp(list_id));
    }
    assert.equal(readFileSync(file(list_id), 'utf8'), text);
  }
  writeFileSync(file(list_id), good);
  assert.equal((await lists.list(signal)).lists[0]!.name, 'Good');
});

test('what takes the place of a file is told as damaged, and others are listed beside it', async (t) => {
  const { lists, file } = setUp(t);
  const { list_id } = await lists.make({ name: 'Good', items: [] }, signal);
  const other = randomUUID();
  mkdirSync(file(other));
  await assert.rejects(lists.get(other, signal), failsWith('LIST_DAMAGED', 'is not a file'));
  const { lists: known, unreadable } = await lists.list(signal);
  assert.deepEqual([known[0]!.list_id, unreadable[0]!.list_id], [list_id, other]);
});

test('fields of a newer program survive a change, and a newer form is refused as it is', async (t) => {
  const { lists, file } = setUp(t);
  const made = await lists.make({ name: 'Cut', items: [moment('a'), moment('b')] }, signal);
  const document = JSON.parse(readFileSync(file(made.list_id), 'utf8')) as Record<string, unknown>;
  const items = (document['items'] as object[]).map((item) => ({ ...item, colour: 'red' }));
  writeFileSync(file(made.list_id), JSON.stringify({ ...document, items, owner: { a: 1 } }));
  const shown = await lists.get(made.list_id, signal);
  assert.deepEqual(shown, made);
  const { name: _, ...unnamed } = shown.items[1]!;
  await lists.change(made.list_id, { version: 1, items: [unnamed, moment('c')] }, signal);
  const after = JSON.parse(readFileSync(file(made.list_id), 'utf8')) as typeof document;
  assert.deepEqual(after['owner'], { a: 1 });
  const [first, second] = after['items'] as [Record<string, unknown>, Record<string, unknown>];
  assert.deepEqual([first['colour'], 'name' in first, 'colour' in second], ['red', false, false]);
  const newer = JSON.stringify({ ...after, format: 2 });
  writeFileSync(file(made.list_id), newer);
  const refused = failsWith('LIST_TOO_NEW', file(made.list_id));
  await assert.rejects(lists.change(made.list_id, { version: 2, items: [] }, signal), refused);
  await assert.rejects(lists.remove(made.list_id, signal), refused);
  assert.equal(readFileSync(file(made.list_id), 'utf8'), newer);
});

test('what does not fit is refused by its field, and nothing is written', async (t) => {
  const { lists, folder } = setUp(t);
  const made = await lists.make({ name: 'Cut', items: [moment('a')] }, signal);
  const before = readdirSync(folder);
  const one = moment('a');
  const [item_id, note] = ['x', 'n'.repeat(10_000)];
  const wrong: [string, GivenItem[]][] = [
    ['items[1].end_seconds', [one, { ...one, end_seconds: one.start_seconds }]],
    [
      'items[1].item_id',
      [
        { ...one, item_id },
        { ...one, item_id },
      ],
    ],
    ['items', Array.from({ length: mostListItems + 1 }, () => one)],
    ['items', Array.from({ length: mostListItems }, () => ({ ...one, note }))],
  ];
  for (const [field, items] of wrong) {
    for (const attempt of [
      lists.make({ name: 'Bad', items }, signal),
      lists.change(made.list_id, { version: 1, items }, signal),
    ]) {
      await assert.rejects(attempt, (error: unknown) => {
        assert.ok(listErrors.LIST_INVALID.is(error), String(error));
        return error.details['field'] === field && error.message.startsWith(field);
      });
    }
  }
  assert.deepEqual(await lists.get(made.list_id, signal), made);
  assert.deepEqual(readdirSync(folder), before);
});

test('there is an end to the number of lists, and what is no id is no list', async (t) => {
  const { lists, folder, file } = setUp(t);
  const { list_id } = await lists.make({ name: 'Cut', items: [] }, signal);
  for (let i = 1; i < mostLists; i++) writeFileSync(file(randomUUID()), '');
  await assert.rejects(lists.make({ name: 'More', items: [] }, signal), failsWith('LISTS_FULL'));
  assert.equal(readdirSync(folder).length, mostLists);
  for (const odd of ['', '..', '../lists', list_id.toUpperCase(), `${list_id}.json`, 'lists.lock', '\0'])
    await assert.rejects(lists.get(odd, signal), failsWith('LIST_UNKNOWN'), odd);
});

test('a wait for the lock ends with the request, and a folder that cannot be written is told', async (t) => {
  const { lists, folder } = setUp(t);
  mkdirSync(folder);
  const lock = join(folder, 'lists.lock');
  writeFileSync(lock, JSON.stringify(newHolder()));
  const leaving = new AbortController();
  const made = lists.make({ name: 'Cut', items: [] }, leaving.signal);
  leaving.abort();
  await assert.rejects(made, (error: unknown) => engineErrors.CANCELLED.is(error));
  assert.deepEqual(readdirSync(folder), ['lists.lock']);
  rmSync(lock);
  // Whoever is root may write anywhere: then a file in the place of the folder has to do.
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await assert.rejects(lists.make({ name: 'Cut', items: [] }, signal), failsWith('LISTS_UNWRITABLE', folder));
  await assert.rejects(lists.list(signal), failsWith('LIST_DAMAGED', folder));
});

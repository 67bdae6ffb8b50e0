// Webhooks against a receiver on this machine.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { tellingOf } from '../../actors/cluster/contract.ts';
import { addressFault, signatureOf } from '../../events/webhooks/sending.ts';
import { type WebhookParts, WebhookService } from '../../events/webhooks/webhooks.ts';
import { ownFiles } from '../../runtime/files/home-files.ts';
import { createLog } from '../../runtime/log.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { fakeTasks, noSearches } from './fake-tasks.ts';
import { type Received, receiver } from './receiver.ts';
import { end, ending, failure } from './task-events.ts';

function home(t: TestContext) {
  const folder = temporaryFolder(t);
  return folder;
}

function serviceIn(t: TestContext, folder: string, more: Partial<WebhookParts> = {}) {
  const clock = manualClock();
  const tasks = fakeTasks();
  const lines: string[] = [];
  const webhooks = new WebhookService({
    folder,
    homeFiles: ownFiles,
    telling: tellingOf(tasks),
    hosts: [],
    searches: noSearches,
    watchFolders: { list: async () => ({ watch_folders: [], service_status: {} as never }) },
    clock,
    log: createLog('webhooks', (line) => void lines.push(line.message)),
    now: () => 1_700_000_000 + clock.now() / 1000,
    ...more,
  });
  t.after(() => webhooks.close());
  return { webhooks, tasks, clock, lines };
}

function assertSigned({ headers, body }: Received, secret: string): void {
  const [id, time] = [headers['webhook-id'], headers['webhook-timestamp']];
  const key = Buffer.from(secret.slice(6), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
}

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('the signature is that of the Standard Webhooks library', () => {
  assert.equal(
    signatureOf(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}'),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('a delivery that fails twice is tried a third time, signed, with the same id', async (t) => {
  const to = await receiver(t, [500, 503]);
  const { webhooks, tasks, clock } = serviceIn(t, home(t));
  const { webhook, secret } = await webhooks.add({ url: to.url, events: ['file.analyzed'] });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{32}$/);
  assert.ok(!JSON.stringify(webhooks.list()).includes(secret));
  tasks.emit('t', ending('/a.mp4'));
  tasks.emit('t', failure('/b.mp4'));
  tasks.emit('t', end('completed'));
  const states = () => webhooks.deliveries(webhook.webhook_id, { offset: 0, limit: 9 }).deliveries;
  const tried = (count: number) => () => states()[0]?.tries.length === count;
  clock.advance(0);
  await until(tried(1));
  clock.advance(4999);
  assert.equal(to.received.length, 1, 'it waits five seconds');
  clock.advance(1);
  await until(tried(2));
  clock.advance(60_000);
  await until(tried(3));
  const [delivery, ...others] = states();
  assert.deepEqual(others, [], 'only what was asked for');
  assert.equal(delivery?.state, 'delivered');
  assert.deepEqual(
    delivery?.tries.map(({ status, error }) => [status, error]),
    [
      [500, 'answered with status 500'],
      [503, 'answered with status 503'],
      [204, null],
    ],
  );
  assert.equal(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  for (const one of to.received) assertSigned(one, secret);
  assert.deepEqual(JSON.parse(to.received[0]!.body), {
    type: 'file.analyzed',
    timestamp: '2023-11-14T22:13:20.000Z',
    data: { task_id: 't', media_path: '/a.mp4', hash_str: null, type: 'video' },
  });
});

test('after five tries it has failed, and can be sent again', async (t) => {
  const to = await receiver(t, [500, 500, 500, 500, 500]);
  const folder = home(t);
  const { webhooks, tasks, clock } = serviceIn(t, folder);
  const { webhook } = await webhooks.add({ url: to.url, events: ['file.failed', 'task.ended'], secret });
  const { webhook_id } = webhook;
  tasks.emit('t', failure('/b.mp4'));
  const one = () => webhooks.deliveries(webhook_id, { offset: 0, limit: 9 }).deliveries[0];
  for (const [i, wait] of [0, 5_000, 60_000, 600_000, 3_600_000].entries()) {
    clock.advance(wait);
    await until(() => one()?.tries.length === i + 1);
  }
  assert.equal(one()?.state, 'failed');
  assert.equal(one()?.next_try_at, null);
  const { delivery_id } = one()!;
  assert.equal(webhooks.resend(webhook_id, delivery_id).state, 'pending');
  clock.advance(0);
  await until(() => one()?.state === 'delivered');
  assertSigned(to.received[5]!, secret);
  assert.equal(to.received[5]!.body, to.received[0]!.body);
  assert.match(to.received[0]!.body, /"error":\{"code":"UNREADABLE"/);
  assert.equal(statSync(join(folder, 'webhooks.json')).mode & 0o77, 0, 'it has the secret');
  assert.throws(() => webhooks.resend(webhook_id, 'msg_other'), { code: 'DELIVERY_UNKNOWN' });
  await webhooks.remove(webhook_id);
  assert.deepEqual(readdirSync(join(folder, 'deliveries')), []);
  assert.throws(() => webhooks.deliveries(webhook_id, { offset: 0, limit: 1 }), { code: 'WEBHOOK_UNKNOWN' });
});

test('an event is over when it was tried once, and one with the same key is sent once', async (t) => {
  const to = await receiver(t, [500]);
  const { webhooks, clock } = serviceIn(t, home(t));
  await webhooks.add({ url: to.url, events: ['task.ended'] });
  let isOver = false;
  const over = webhooks.publish('task.ended', {}, '7').then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  clock.advance(0);
  await over;
  await webhooks.publish('task.ended', {}, '7');
  clock.advance(5_000);
  await until(() => to.received.length === 2);
  const [first, second] = to.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(first, second, 'the second try, and no other delivery');
});

test('an event that a task repeats after a crash has the id that it had', async (t) => {
  const to = await receiver(t);
  const repeated = async (folder: string) => {
    const { webhooks, tasks, clock } = serviceIn(t, folder);
    if (webhooks.list().length === 0) await webhooks.add({ url: to.url, events: ['file.analyzed'] });
    tasks.emit('t', ending('/a.mp4'));
    tasks.emit('t', ending('/a.mp4', 'analyzed', 'text'));
    tasks.emit('other', ending('/a.mp4'));
    const { webhook_id } = webhooks.list()[0]!;
    const all = () => webhooks.deliveries(webhook_id, { offset: 0, limit: 9 }).deliveries;
    clock.advance(0);
    await until(() => all().every(({ state }) => state === 'delivered'));
    webhooks.close();
    return all()
      .map(({ delivery_id }) => delivery_id)
      .toSorted();
  };
  const folder = home(t);
  const before = await repeated(folder);
  assert.equal(new Set(before).size, 3);
  assert.deepEqual(await repeated(folder), before);
  assert.equal(to.received.length, 3, 'what was delivered is not sent again');
});

test('a task that an earlier engine left is told once', async (t) => {
  const to = await receiver(t);
  const folder = home(t);
  const task = { task_id: 't', state: 'interrupted', error: null, ended: 12.5 } as const;
  for (let engine = 0; engine < 2; engine++) {
    const { webhooks, clock } = serviceIn(t, folder);
    if (engine === 0) await webhooks.add({ url: to.url, events: ['task.ended'] });
    webhooks.interrupted([task]);
    clock.advance(0);
    await until(() => to.received.length === 1);
    webhooks.close();
  }
  assert.deepEqual(JSON.parse(to.received[0]!.body).data, {
    task_id: 't',
    state: 'interrupted',
    error: null,
  });
  assert.equal(to.received.length, 1);
});

test('an address is kept as it is called, and one with a line break is refused', async (t) => {
  const { webhooks } = serviceIn(t, home(t));
  const { webhook } = await webhooks.add({
    url: 'HTTP://LocalHost:80/a/../b?c d'.replace(' ', '%20'),
    events: ['task.ended'],
  });
  assert.equal(webhook.url, 'http://localhost/b?c%20d');
  for (const url of ['http://localhost/\na', ' http://localhost/', 'http://local\thost/']) {
    await assert.rejects(webhooks.add({ url, events: ['task.ended'] }), {
      code: 'WEBHOOK_INVALID',
      message: 'url must not contain spaces, line breaks or control characters',
    });
  }
});

test('redirects are not followed, and addresses of other machines are refused', async (t) => {
  const elsewhere = await receiver(t);
  const to = await receiver(t, [{ status: 307, location: elsewhere.url }]);
  const { webhooks, tasks, clock } = serviceIn(t, home(t));
  const { webhook } = await webhooks.add({ url: to.url, events: ['task.ended'] });
  tasks.emit('t', end('failed'));
  clock.advance(0);
  const one = () => webhooks.deliveries(webhook.webhook_id, { offset: 0, limit: 9 }).deliveries[0];
  const last = await until(() => one()?.tries[0]);
  assert.deepEqual([last.status, last.error], [307, 'redirects are not followed']);
  assert.equal(elsewhere.received.length, 0);
  for (const url of [
    'http://example.com/',
    'http://10.0.0.1/',
    'ftp://localhost/',
    'http://a:b@localhost/',
    'http://localhost.example.com/',
    'http://0x7f000001.example.com/',
    'x',
  ])
    await assert.rejects(webhooks.add({ url, events: ['task.ended'] }), { code: 'WEBHOOK_INVALID' }, url);
  assert.equal(addressFault('https://hooks.example.com/x', ['Hooks.example.com']), null);
  assert.equal(addressFault('http://hooks.example.com:8080/x', ['hooks.example.com:8080']), null);
  assert.notEqual(addressFault('http://hooks.example.com:81/x', ['hooks.example.com:8080']), null);
  assert.equal(addressFault('http://[::1]:9/', []), null);
});

test('a host that is no longer listed is not called', async (t) => {
  const folder = home(t);
  const first = serviceIn(t, folder, { hosts: ['hooks.invalid'] });
  const { webhook } = await first.webhooks.add({ url: 'http://hooks.invalid/', events: ['task.ended'] });
  first.webhooks.close();
  const { webhooks, tasks, clock } = serviceIn(t, folder);
  tasks.emit('t', end('completed'));
  clock.advance(0);
  const one = () => webhooks.deliveries(webhook.webhook_id, { offset: 0, limit: 9 }).deliveries[0];
  assert.match((await until(() => one()?.tries[0])).error ?? '', /not in the setting webhook_hosts/);
});

test('a watch folder in trouble is told once for each time', async (t) => {
  const to = await receiver(t);
  let paused_until: number | null = null;
  const folder = { id: 'w', folder_path: '/in' };
  const { webhooks, clock } = serviceIn(t, home(t), {
    watchFolders: {
      list: async () =>
        ({
          watch_folders: [folder],
          service_status: { folder_stats: { w: { paused_until, last_error: 'cannot be listed' } } },
        }) as never,
    },
  });
  await webhooks.add({ url: to.url, events: ['watch_folder.trouble'] });
  const look = async () => {
    clock.advance(5000);
    await until(() => clock.waiting > 0);
    clock.advance(0);
  };
  await look();
  paused_until = 5;
  await look();
  await until(() => to.received.length === 1);
  await look();
  paused_until = null;
  await look();
  paused_until = 7;
  await look();
  await until(() => to.received.length === 2);
  assert.deepEqual(
    to.received.map(({ body }) => JSON.parse(body).data),
    [5, 7].map((until) => ({ ...folder, error: 'cannot be listed', paused_until: until })),
  );
});

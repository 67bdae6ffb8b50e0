// A running service with webhooks: what is to be sent outlives a kill, and the command line manages them.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Delivery, Webhook } from '../../events/webhooks/contract.ts';
import { receiver } from '../events/receiver.ts';
import { until } from '../until.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { startService } from './service.ts';

const picture = fileURLToPath(new URL('../../actors/samples/media/stop-sign.jpg', import.meta.url));

test('a delivery whose service is killed between two tries is sent by the next one', async (t) => {
  const home = newHome();
  const to = await receiver(t, [500]);
  const first = await startService(['--no-guardian'], home);
  t.after(() => first.end());
  const at = (address: string) => ['--server', address, '--key', first.key];
  const added = await home.run(
    'webhooks',
    'add',
    to.url,
    '--event',
    'file.analyzed',
    '--json',
    ...at(first.address),
  );
  assert.equal(added.code, 0, added.err);
  const { webhook, secret } = JSON.parse(added.out) as { webhook: Webhook; secret: string };
  await first.modelReady();
  await first.ok('/analyze', { cache_dir: `${home.folder}/cache`, visual_media_paths: [picture] });
  const deliveries = `/webhooks/${webhook.webhook_id}/deliveries`;
  await until(
    async () => {
      const answer = await first.ok<{ deliveries: Delivery[] }>(deliveries);
      return answer.deliveries[0]?.tries.length === 1;
    },
    { within: SLOW_MS },
  );
  first.process.child.kill('SIGKILL');
  await first.process.ended;
  const second = await startService(['--no-guardian'], home);
  t.after(() => second.end());
  await until(() => to.received.length === 2, { within: SLOW_MS });
  const [before, after] = to.received;
  assert.equal(after!.body, before!.body);
  assert.equal(after!.headers['webhook-id'], before!.headers['webhook-id']);
  const signed = `${after!.headers['webhook-id']}.${after!.headers['webhook-timestamp']}.${after!.body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  assert.equal(after!.headers['webhook-signature'], `v1,${signature}`);
  assert.equal(JSON.parse(after!.body).data.media_path, picture);
  const id = webhook.webhook_id.slice(0, 8);
  const listed = () => home.run('webhooks', 'deliveries', id, ...at(second.address));
  const line = await until(async () => /delivered, 2 tries/.test((await listed()).out) && listed());
  const delivery = line.out.split(' ')[0]!;
  assert.equal(
    (await home.run('webhooks', 'deliveries', id, '--resend', delivery, ...at(second.address))).code,
    0,
  );
  await until(() => to.received.length === 3);
  assert.match(
    (await home.run('webhooks', ...at(second.address))).out,
    /^[0-9a-f]{8} {2}http:.* {2}file\.analyzed\n$/,
  );
  assert.equal((await home.run('webhooks', 'remove', id, ...at(second.address))).out, 'Webhook removed\n');
  const refused = await home.run('webhooks', 'add', 'http://example.com/', ...at(second.address));
  assert.match(refused.err, /not in the setting webhook_hosts/);
  assert.ok(!second.process.printed().includes(secret) && !first.process.printed().includes(secret));
});

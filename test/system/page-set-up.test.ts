// The list of what can be set up in a browser: ticks, one button, and one progress that a reload keeps.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { type Hub, startHub } from '../actors/models/hub.ts';
import type { Step } from '../actors/models/server.ts';
import { assertAccessible, closeBrowser, openBrowser, withoutBrowser } from '../http/page/browser.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { type RunningService, startService } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'set-up-'));
let hub: Hub;
let service: RunningService;

before(async () => {
  if (withoutBrowser) return;
  hub = await startHub();
  service = await startService(['--no-guardian'], newHome(hub.env(folder, hub.files)));
  await service.modelReady();
});
after(async () => {
  await closeBrowser();
  await service?.end();
  await hub?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what is ticked comes with one button, and its progress is there after a reload', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await openBrowser(t);
  page.setDefaultTimeout(SLOW_MS / 2);
  const { ticket } = await service.ok<{ ticket: string }>('/tickets', {});
  await page.goto(`${service.address}/#${ticket}`);
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const tick = (name: string) => page.getByRole('checkbox', { name, exact: true });
  await tick('Voices').waitFor();
  await assertAccessible(page, 'set up');
  const ticked = [
    ...['Things', 'Printed words', 'Voice detection', 'Music and singing', 'Voices', 'Speech'],
    'Any description',
  ];
  for (const name of ticked) assert.ok(await tick(name).isChecked(), name);
  for (const name of ['Faces', 'Speech, larger model']) assert.ok(!(await tick(name).isChecked()), name);
  for (const name of ticked) if (name !== 'Voices' && name !== 'Speech') await tick(name).uncheck();

  const [, decoder] = hub.files['whisper-base']!;
  const open = Promise.withResolvers<void>();
  const bytes = hub.contentOf(decoder!);
  const half = 30_000;
  const first: Step = (_, response) => {
    response.writeHead(200, { etag: '"v1"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, half));
    void open.promise.then(() => response.end(bytes.subarray(half)));
  };
  // On a slow machine the silence of the first answer becomes too long for the client, which asks again.
  const next: Step = (_, response) => {
    const range = `bytes ${half}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(206, { etag: '"v1"', 'content-range': range, 'content-length': bytes.length - half });
    response.flushHeaders();
    void open.promise.then(() => response.end(bytes.subarray(half)));
  };
  for (const step of [first, next, next]) hub.faults.push({ path: decoder!.name, step });
  await page.getByRole('button', { name: /^Download 300/ }).click();
  const progress = page.getByRole('group', { name: 'Download' });
  // Two models for voices and the first file of speech are there, and half of its second.
  const shown = /210\sKB of 300\sKB.*whisper-base/;
  await progress.getByText(shown).waitFor();
  assert.ok(await tick('Speech').isDisabled());
  await page.reload();
  await progress.getByText(shown).waitFor();
  await region('Voices').getByText('Downloaded').waitFor();
  open.resolve();
  await region('Speech').getByText('Downloaded').waitFor();
  await progress.waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

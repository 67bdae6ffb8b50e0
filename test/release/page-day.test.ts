// A day's work in the page, from one end to the other, on real footage and with the models that
// `framehound setup` installs: a folder is watched, shots are found in every way there is, chosen, cut and
// handed on, and a file that arrives in the evening is told of. Each step uses what the one before left.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { copySamples } from '../../actors/samples/samples.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { closeBrowser, type Opened, openBrowser, withoutBrowser } from '../http/page/browser.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { newHome, SLOW_MS } from '../system/command-line.ts';
import { type RunningService, startService } from '../system/service.ts';
import { until } from '../until.ts';

const films = ['media/video/car-detection.mp4', 'media/video/bottle-detection.mp4'];
const signers = 'media/faces/signers';
const skip = withoutBrowser || skipWithout(signers, yunetWeights, ...films);
const home = newHome();
const footage = join(home.folder, 'footage');
let service: RunningService;
/** Why the models cannot be had; null where they are there. */
let absent: string | null = null;

before(async () => {
  if (skip) return;
  mkdirSync(footage);
  const clips = readdirSync(sharedPath(signers)).map((name) => join(signers, name));
  for (const name of [...films, ...clips])
    copyFileSync(sharedPath(name), join(footage, name.slice(name.lastIndexOf('/') + 1)));
  await copySamples(footage, ['stop-sign.jpg', 'beach.mp4', 'sunset.jpg']);
  await facesModels(join(home.folder, 'home', 'models'));
  service = await startService(['--no-guardian'], home);
  await service.modelReady();
  const { task_id } = await service.ok<{ task_id: string }>('/models/pull', {
    model_keys: ['nanodet-416', 'pp-ocr-v4'],
  });
  absent = (await service.follow(task_id)).at(-1)?.error ?? null;
});
after(async () => {
  await closeBrowser();
  await service?.end();
});

test('a day: watched, found by words, things, people and printed words, chosen, cut, handed on, told of', {
  skip,
  timeout: 10 * SLOW_MS,
}, async (t) => {
  if (absent !== null) return t.skip(`the models cannot be fetched: ${absent}`);
  /** A browser of its own, as somebody who comes to the page has it. */
  const comes = async (route = ''): Promise<Opened> => {
    const opened = await openBrowser(t, { permissions: ['clipboard-read', 'clipboard-write'] });
    opened.page.setDefaultTimeout(SLOW_MS / 3);
    const { ticket } = await service.ok<{ ticket: string }>('/tickets', {});
    await opened.page.goto(`${service.address}/#${ticket}`);
    await opened.page.getByRole('navigation').first().waitFor();
    if (route !== '') await opened.page.goto(`${service.address}/${route}`);
    return opened;
  };
  const morning = await comes('#/library/watch');
  await watch(morning.page);
  await morning.context.close();
  await analysed();

  const { page, problems } = await comes('#/people');
  await namePerson(page, 'Anna');
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await found(page, 'sunset', /^sunset\.jpg, .*Seen/);
  await found(page, 'car', /^car-detection\.mp4, .*Seen/);
  await found(page, 'bottle', /^bottle-detection\.mp4, .*Seen/);
  await found(page, 'stop', /^stop-sign\.jpg, “STOP.*, Written/);
  await found(page, 'Anna', /^\w+\.mkv, .*Anna, .*Person/);
  await refined(page);
  await chosen(page);
  const clips = join(home.folder, 'clips');
  await cut(page, clips);
  const xml = await fcpxml(page);
  assert.equal(xml.match(/<asset-clip /g)?.length, 3);
  const sources = [...xml.matchAll(/ src="([^"]+)"/g)].map(([, url]) => fileURLToPath(url!));
  assert.deepEqual(new Set(sources), new Set((await names(page)).map((name) => join(footage, name))));

  const address = await shared(page);
  const other = await comes(new URL(address).hash);
  await other.page.getByText('3 moments, ').waitFor();
  assert.deepEqual(await names(other.page), await names(page));

  await page.getByRole('link', { name: /^Search/ }).click();
  await saved(page, 'stop', 'Stop signs');
  await page.getByRole('link', { name: 'Summaries' }).click();
  await sharp(join(footage, 'stop-sign.jpg')).rotate(2).toFile(join(footage, 'evening.jpg'));
  await page.getByText('“Stop signs” was found in evening.jpg').waitFor({ timeout: 2 * SLOW_MS });
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('heading', { name: 'evening.jpg' }).waitFor();
  await page.getByRole('link', { name: 'Search 1 new hit of saved searches' }).click();
  await page.getByRole('link', { name: /^Saved searches/ }).click();
  const hit = page.getByRole('listitem').filter({ hasText: 'evening.jpg' });
  await hit.getByText('New', { exact: true }).waitFor();
  await page.context().close();

  await sharp(join(footage, 'stop-sign.jpg')).rotate(-2).toFile(join(footage, 'night.jpg'));
  await hits(2);
  const next = await comes();
  await next.page.getByRole('link', { name: 'Search 1 new hit of saved searches' }).waitFor();
  await next.page.getByRole('link', { name: /^Saved searches/ }).click();
  const told = next.page.getByRole('listitem').filter({ hasText: 'night.jpg' });
  await told.getByText('New', { exact: true }).waitFor();
  assert.equal(await next.page.getByText('New', { exact: true }).count(), 1, 'evening.jpg was seen before');
  await told.getByRole('link').first().click();
  await next.page.getByRole('heading', { name: 'night.jpg' }).waitFor();
  for (const one of [morning, { problems }, other, next]) assert.deepEqual(one.problems, []);
});

async function watch(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Watch a folder …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Folder', { exact: true }).fill(footage);
  await dialog.getByLabel('Faces').check();
  await dialog.getByLabel('Name of the group of people').fill('cast');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The folder is now watched').waitFor();
}

/** While nobody looks at the page. */
async function analysed(): Promise<void> {
  interface Watched {
    readonly service_status: {
      readonly folder_stats: Record<
        string,
        { files_pending: number; files_failed: number; files_analyzed: number }
      >;
    };
  }
  const count = readdirSync(footage).length;
  await until(
    async () => {
      const { service_status } = await service.ok<Watched>('/watch-folders');
      const [stats] = Object.values(service_status.folder_stats);
      assert.equal(stats?.files_failed ?? 0, 0, JSON.stringify(service_status));
      return stats?.files_pending === 0 && stats.files_analyzed === count;
    },
    { within: 4 * SLOW_MS },
  );
}

/** While no page is open. */
async function hits(count: number): Promise<void> {
  interface Saved {
    readonly searches: readonly { readonly hits: number }[];
  }
  await until(async () => (await service.ok<Saved>('/searches/saved')).searches[0]?.hits === count, {
    within: 2 * SLOW_MS,
  });
}

async function namePerson(page: Page, name: string): Promise<void> {
  const first = page.locator('.person-card .name').first();
  await first.fill(name);
  await page.keyboard.press('Enter');
  await page.getByText(`Named ${name}`).waitFor();
}

/** Shown by itself, not among the weaker matches. */
async function found(page: Page, words: string, tile: RegExp): Promise<void> {
  await page.getByRole('searchbox').fill(words);
  await page.getByRole('gridcell', { name: tile }).first().waitFor();
}

/** More like the first match: another clip of the same person in the same place. */
async function refined(page: Page): Promise<void> {
  await page.getByRole('searchbox').press('Enter');
  await page.keyboard.press('m');
  await page.locator('.picture-chip img').waitFor();
  await page.getByRole('searchbox').fill('');
  await until(async () => new Set(await page.locator('.group-head h2').allTextContents()).size > 1, {
    within: SLOW_MS,
  });
}

async function chosen(page: Page): Promise<void> {
  // Stills may be among what looks alike, and no clips are cut of those.
  const films = page.getByRole('gridcell', { name: /^[\w-]+\.(mkv|mp4), / });
  await films.nth(2).waitFor();
  await films.first().click();
  for (const at of [1, 2]) await films.nth(at).click({ modifiers: ['ControlOrMeta'] });
  await page
    .getByRole('toolbar', { name: '3 selected' })
    .getByRole('button', { name: 'Add to basket' })
    .click();
  await page.getByRole('link', { name: /3 moments in the basket/ }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
}

async function cut(page: Page, folder: string): Promise<void> {
  mkdirSync(folder);
  await page.getByLabel('Export').selectOption('clips');
  await page.getByLabel('Folder for the clips').fill(folder);
  await page.getByRole('button', { name: 'Cut the clips' }).click();
  await page.getByText(/clips? (is|are) being cut/).waitFor();
  const clips = () => readdirSync(folder).filter((name) => /\.\w{3}$/.test(name));
  await until(() => clips().length === 3, { within: SLOW_MS });
  for (const name of clips()) assert.ok(statSync(join(folder, name)).size > 5000, name);
}

async function fcpxml(page: Page): Promise<string> {
  await page.getByLabel('Export').selectOption('fcpxml');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  return readFileSync((await (await coming).path())!, 'utf8');
}

async function shared(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied').first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

const names = (page: Page) =>
  page.locator('.items .name').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).placeholder));

async function saved(page: Page, words: string, name: string): Promise<void> {
  const picture = page.getByRole('button', { name: 'Search without the picture' });
  if ((await picture.count()) > 0) await picture.click();
  await page.getByRole('searchbox').fill(words);
  await page.getByRole('gridcell', { name: /^stop-sign\.jpg, / }).waitFor();
  await page.getByRole('button', { name: 'Save search' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save search' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

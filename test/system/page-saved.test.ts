// Saved searches in the web page: one is saved, a hit comes in while the page is open, and is looked at.
import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, withoutBrowser } from '../http/page/browser.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { samplePage, weakerOf } from './sample-page.ts';

const sample = samplePage();

/** A film in which somebody says so. */
async function analyseTalk(name: string, words: string): Promise<void> {
  const film = join(sample.home.folder, name);
  await copyFile(join(sample.samples, 'beach.mp4'), film);
  await writeFile(film.replace('.mp4', '.srt'), `1\n00:00:01,000 --> 00:00:04,000\n${words}\n`);
  const cache_dir = join(sample.home.folder, 'analysis');
  const request = { cache_dir, transcription_jobs: [{ path: film, language: 'english' }] };
  await sample.service.follow((await sample.service.ok<{ task_id: string }>('/analyze', request)).task_id);
}

async function saveSearch(page: Page, words: string, name: string): Promise<void> {
  await page.getByRole('searchbox').fill(words);
  await page.getByRole('button', { name: 'Save search' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save search' });
  assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), words);
  await assertAccessible(page, 'saving a search');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('status').getByText(`“${name}” is saved`).waitFor();
}

test('a search is saved, its hit is told as it comes in, listed with its moments, and no longer new when seen', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await sample.signedIn(t);
  await saveSearch(page, 'harbour at dawn', 'Harbours');
  await page.getByRole('link', { name: 'Library' }).click();
  await analyseTalk('talk.mp4', 'We leave the harbour at dawn.');
  await page.getByText('“Harbours” was found in talk.mp4').waitFor({ timeout: SLOW_MS });
  await page.getByRole('link', { name: /^Search 1 new hit of saved searches$/ }).waitFor();
  await page.getByRole('link', { name: /^Search/ }).click();
  assert.equal(await page.getByRole('searchbox').inputValue(), 'harbour at dawn');
  await page.getByRole('link', { name: /^Saved searches/ }).press('Enter');
  await page.waitForURL(/#\/search\/saved$/);
  const hit = page.getByRole('listitem').filter({ hasText: 'talk.mp4' });
  await hit.getByText('New', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Search', exact: true }).waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await assertAccessible(page, `saved searches, ${width} px`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
  const moment = hit.getByRole('link', { name: /^talk\.mp4 Said 0:01 We leave the harbour at dawn\.$/ });
  await moment.press('Enter');
  await page.waitForURL(/#\/player\/[\w-]+@1$/);
  // Until the list is left, a hit that was seen stays new and the search open.
  await hit.waitFor({ state: 'detached' });
  await page.goBack();
  await page.locator('summary', { hasText: 'Harbours' }).press('Enter');
  await hit.waitFor();
  assert.equal(await hit.getByText('New', { exact: true }).count(), 0);
  assert.deepEqual(problems, []);
});

test('a hit comes into the list that is shown; a saved search is run, renamed and deleted', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await sample.signedIn(t, { locale: 'de' });
  await page.getByRole('link', { name: 'Gespeicherte Suchen' }).click();
  await sample.service.call('/searches/saved', {
    name: 'Schlösser',
    request: { cache_dir: join(sample.home.folder, 'analysis'), query: 'castle', exclude: ['snow'] },
  });
  await page.reload();
  const saved = page.locator('details', { hasText: 'Schlösser' });
  await saved.locator('summary').press('Enter');
  await saved.getByText('Bisher wurde nichts gefunden.').waitFor();
  await analyseTalk('ruins.mp4', 'An old castle.');
  await saved.getByRole('listitem').filter({ hasText: 'ruins.mp4' }).waitFor({ timeout: SLOW_MS });
  await saved.getByRole('button', { name: 'Umbenennen' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Burgen');
  await page.keyboard.press('Enter');
  const renamed = page.locator('details', { hasText: 'Burgen' });
  await renamed.getByRole('button', { name: 'Jetzt suchen' }).click();
  await page.waitForURL(/#\/search\?q=castle&not=snow/);
  await page.goBack();
  // It opens by itself where a hit is new.
  await until(async () => {
    if ((await renamed.getAttribute('open')) === null) await renamed.locator('summary').press('Enter');
    return renamed.getByRole('button', { name: 'Suche löschen' }).isVisible();
  });
  await renamed.getByRole('button', { name: 'Suche löschen' }).click();
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Suche löschen' });
  const full = { error: 'The disk of the analysis folder is full', message: 'no space left' };
  const removed = '**/api/v1/searches/saved/*';
  await page.route(removed, (asked) => asked.fulfill({ status: 507, json: full }));
  await remove.click();
  const above = page.locator('.toasts:popover-open');
  await above.getByText('Der Datenträger des Analyseordners ist voll (no space left)').waitFor();
  await page.unroute(removed);
  await remove.click();
  await renamed.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Schließen' }).click();
  await above.waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

test('a search saved with a picture of the service is run again, and so is its address', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await sample.signedIn(t);
  await page.setViewportSize({ width: 390, height: 844 });
  const cache_dir = join(sample.home.folder, 'analysis');
  const still = join(sample.home.folder, 'dusk.jpg');
  await copyFile(join(sample.samples, 'sunset.jpg'), still);
  const film = { media_path: join(sample.samples, 'beach.mp4'), time_seconds: 1 };
  for (const [name, picture] of [['Dusk', { image_path: still }] as const, ['Sand', { like: film }] as const])
    await sample.service.call('/searches/saved', { name, request: { cache_dir, ...picture } });
  for (const [name, chip] of [
    ['Dusk', 'Like dusk.jpg'],
    ['Sand', 'Like beach.mp4, 0:01'],
  ] as const) {
    await page.goto(`${sample.service.address}/#/search/saved`);
    const saved = page.locator('details', { hasText: name });
    await saved.locator('summary').press('Enter');
    await saved.getByRole('button', { name: 'Search now' }).click();
    await page.waitForURL(/#\/search\?image=/);
    const isFound = async () => {
      await weakerOf(page).or(page.locator('.tile img').first()).first().waitFor({ timeout: SLOW_MS });
      assert.equal(await page.locator('.picture-chip').getAttribute('title'), chip);
    };
    await isFound();
    await page.reload();
    await isFound();
    await assertAccessible(page, name);
  }
  assert.deepEqual(problems, []);
});

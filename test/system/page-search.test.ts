// Searches of the web page in a browser, on a service with the sample library: words, pictures, tiles and
// addresses. What the browser asks for is asked of the service itself.
import assert from 'node:assert/strict';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { assertAccessible, withoutBrowser } from '../http/page/browser.ts';
import { untilRelease } from '../shared.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { samplePage, searchFor, weakerOf } from './sample-page.ts';

const sample = samplePage();
const { home, samples, signedIn } = sample;

test('words find moments, keys lead through them, into the basket and to the player', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await searchFor(page, 'a red car at night');
  const tiles = page.getByRole('gridcell', { name: /^the-red-car\.mp4, / });
  await tiles.first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('.tile.selected').waitFor();
  await page.keyboard.press('b');
  await page.getByRole('link', { name: /1 moment in the basket/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/player\/[\w-]+@[\d.]+$/);
  assert.doesNotMatch(decodeURIComponent(page.url()), /samples|\.mp4/);
  await page.goBack();
  await page.locator('.tile img').first().waitFor();
  assert.equal(await page.getByRole('searchbox').inputValue(), 'a red car at night');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await assertAccessible(page, 'the list of keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

test('a finger opens a match with one tap, and selects it by holding it', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t, { hasTouch: true, viewport: { width: 390, height: 800 } });
  await searchFor(page, 'a red car at night');
  const tile = page.getByRole('gridcell', { name: /^the-red-car\.mp4, / }).first();
  await tile.tap();
  await page.waitForURL(/#\/player\/[\w-]+@[\d.]+$/);
  await page.goBack();
  await tile.waitFor();
  const touch = { pointerType: 'touch', isPrimary: true };
  await tile.dispatchEvent('pointerdown', touch);
  await page.locator('.tile.selected .tile-actions').waitFor();
  await tile.dispatchEvent('pointerup', touch);
  await tile.dispatchEvent('click');
  await page.locator('.tile.selected').waitFor();
  assert.match(page.url(), /#\/search/);
  assert.deepEqual(problems, []);
});

test('before anything is asked the newest files stand below the box, and open', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await page.goto(`${sample.service.address}/#/search`);
  await page.getByRole('heading', { name: /^Search \d+ (seconds|minutes?) in 4 files$/ }).waitFor();
  await page.getByRole('heading', { name: 'Newest files' }).waitFor();
  await page.locator('.newest img').first().waitFor();
  assert.equal(await page.locator('.newest li').count(), 4);
  await assertAccessible(page, 'the newest files');
  await page.getByRole('link', { name: /beach\.mp4$/ }).click();
  await page.getByRole('heading', { name: 'beach.mp4' }).waitFor();
  assert.deepEqual(problems, []);
});

test('a film that lies at a second path says so above its matches and at each', {
  skip: withoutBrowser,
}, async (t) => {
  const copy = join(home.folder, 'copy.mp4');
  await copyFile(join(samples, 'beach.mp4'), copy);
  const { task_id } = await sample.service.ok<{ task_id: string }>('/analyze', {
    cache_dir: join(home.folder, 'analysis'),
    visual_media_paths: [copy],
  });
  await sample.service.follow(task_id);
  t.after(() => rm(copy));
  const { page, problems } = await signedIn(t);
  await searchFor(page, 'a beach');
  await page.getByText('1 more copy').first().waitFor();
  await page
    .getByRole('gridcell', { name: /, Also at .*(copy|beach)\.mp4$/ })
    .first()
    .waitFor();
  assert.deepEqual(problems, []);
});

test('pointing along a tile shows the scene second by second', { skip: withoutBrowser }, async (t) => {
  const { page } = await signedIn(t);
  await searchFor(page, 'a red car at night');
  const tile = page.getByRole('gridcell', { name: /^the-red-car\.mp4, / }).first();
  const { x, y, width, height } = (await tile.boundingBox())!;
  const shown = () => tile.locator('img').getAttribute('src');
  await page.mouse.move(x + 3, y + height / 3);
  await tile.locator('.tile-scrub').waitFor();
  const first = await shown();
  await page.mouse.move(x + width - 3, y + height / 3);
  await until(async () => (await shown()) !== first);
  await assertAccessible(page, 'a match under the pointer');
});

test('an answer that comes late does not take the place of a newer one', {
  skip: withoutBrowser,
}, async (t) => {
  const { page } = await signedIn(t);
  const held = Promise.withResolvers<void>();
  await page.route('**/api/v1/search/moments', async (route) => {
    const { query } = route.request().postDataJSON() as { query: string };
    if (query === 'sunset') await held.promise;
    // The request that was given up has nobody to be answered.
    await route.continue().catch(() => {});
  });
  const given = page.waitForEvent('requestfailed', (one) => one.url().endsWith('/search/moments'));
  const asked = page.waitForRequest('**/api/v1/search/moments');
  await page.getByRole('searchbox').fill('sunset');
  await asked;
  await searchFor(page, 'green');
  await given;
  held.resolve();
  await page.getByRole('gridcell', { name: /^forest\.jpg, / }).waitFor();
});

test('a picture of a person is searched by, and filters leave out', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await signedIn(t);
  await page.locator('input[type=file]').setInputFiles(join(samples, 'sunset.jpg'));
  await page.locator('.picture-chip img').waitFor();
  await page.locator('.tile img').first().waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: /^Image/ }).click();
  // The best match of each file is shown, also of the one that is only weakly alike.
  await page.getByRole('status').getByText('2 matches in 2 files').waitFor();
  assert.equal(await weakerOf(page).count(), 0);
  await assertAccessible(page, 'filters');
  await page.getByRole('button', { name: 'Filters' }).click();
  assert.deepEqual(problems, []);
});

test('filters alone show the files that pass them, and stand in the address', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: /^Image/ }).click();
  await page.getByRole('status').getByText('2 matches in 2 files').waitFor();
  const tiles = page.getByRole('gridcell');
  const names = ['forest.jpg', 'sunset.jpg'];
  assert.deepEqual(
    (await tiles.locator('.tile-name').allTextContents()).map((name) => name.trim()),
    names,
  );
  assert.equal(await page.locator('.group-head').count(), 0);
  await page.getByRole('button', { name: 'Save search' }).waitFor();
  await assertAccessible(page, 'files that a filter selects');
  await page.reload();
  await page.getByRole('status').getByText('2 matches in 2 files').waitFor();
  await page.getByRole('button', { name: /^Remove the filter/ }).click();
  await page.getByText(/^Search .+ in 4 files/).waitFor();
  assert.deepEqual(problems, []);
});

test('each state of the search is accessible, in dark and in light', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await signedIn(t);
  const schemes = ['dark', 'light'] as const;
  let states = 0;
  /** One after the other, and for a release in both. */
  const both = async (state: string) => {
    for (const colorScheme of untilRelease ? [schemes[states++ % 2]!] : schemes) {
      await page.emulateMedia({ colorScheme });
      await assertAccessible(page, `${state}, ${colorScheme}`);
    }
  };
  await page
    .getByText('Search 24 seconds')
    .or(page.getByText(/^Search \d+ seconds/))
    .first()
    .waitFor();
  await both('nothing asked');
  await searchFor(page, 'zebra at night');
  await page.getByText('Weak: pictures were searched for').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await both('matches and notes');
  await page.getByRole('button', { name: 'Seen' }).click();
  await page.getByRole('button', { name: 'Person' }).click();
  await page.getByRole('alert').or(page.getByText('Nothing found')).first().waitFor();
  await both('nothing found');
  await page.setViewportSize({ width: 360, height: 700 });
  await both('on a telephone');
  assert.deepEqual(problems, []);
});

test('Back goes through searches and folders, and what is loaded again or followed is the same', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, context, problems } = await signedIn(t);
  const box = page.getByRole('searchbox');
  await searchFor(page, 'a red car at night');
  await box.press('Enter');
  await searchFor(page, 'sunset');
  await page.waitForURL(/#\/search\?q=sunset&weak=1$/);
  await page.goBack();
  await page.waitForURL(/q=a\+red\+car\+at\+night/);
  assert.equal(await box.inputValue(), 'a red car at night');
  await page.goForward();
  await page.waitForURL(/q=sunset/);
  await page.getByRole('button', { name: 'By film' }).click();
  await page.waitForURL(/q=sunset&flat=1/);
  await page.reload();
  await page.locator('.tile img').first().waitFor({ timeout: SLOW_MS });
  assert.equal(await box.inputValue(), 'sunset');
  assert.equal(await page.getByRole('button', { name: 'By film' }).getAttribute('aria-pressed'), 'false');
  await box.fill('red c');
  await page.getByRole('option', { name: 'a red car at night' }).waitFor();
  await assertAccessible(page, 'suggestions');
  await box.press('ArrowDown');
  await box.press('Enter');
  await page.waitForURL(/q=a\+red\+car\+at\+night/);
  await page.getByRole('link', { name: 'Library' }).click();
  await page.getByRole('textbox', { name: /^Path of a file/ }).fill(samples);
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/library\?folder=/);
  const folder = page.url();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/#\/library$/);
  await page.goBack();
  await page.getByText('sunset.jpg').first().waitFor();
  const other = await context.newPage();
  await other.goto(folder);
  await other.getByLabel('License key').or(other.getByText('sunset.jpg')).first().waitFor();
  await other.close();
  assert.deepEqual(problems, []);
});

test('matches are chosen by mouse and by keys, put aside together, and others like them left out', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t, {});
  await searchFor(page, 'trees');
  await page.locator('.tile-name', { hasText: 'forest.jpg' }).waitFor();
  const tiles = page.locator('.tile');
  const count = await tiles.count();
  assert.ok(count > 2);
  await tiles.first().click();
  await tiles.nth(2).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await tiles.nth(1).click({ modifiers: ['ControlOrMeta'] });
  const bar = page.getByRole('toolbar', { name: '2 selected' });
  await bar.waitFor();
  await assertAccessible(page, 'chosen matches');
  const path = await tiles.first().evaluate((tile) => {
    const dataTransfer = new DataTransfer();
    tile.dispatchEvent(new DragEvent('dragstart', { dataTransfer, bubbles: true }));
    return dataTransfer.getData('text/plain');
  });
  assert.equal(path.split('\n').length, 2);
  assert.ok(path.startsWith(samples));
  await bar.getByRole('button', { name: 'Add to basket' }).click();
  await page.getByRole('link', { name: /2 moments in the basket/ }).waitFor();
  await bar.getByRole('combobox').selectOption({ label: 'New list' });
  await page.getByRole('status').getByText('Added to New list').waitFor();
  await bar.getByRole('button', { name: 'Export …' }).click();
  await page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: 'Download' }).waitFor();
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Forget …' }).click();
  await page.getByRole('dialog').getByText('2 files will be deleted').waitFor();
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Not like these' }).click();
  await page.getByText('Not like 2 moments').waitFor();
  await until(async () => (await tiles.count()) < count - 1);
  await page.getByRole('button', { name: 'Remove the filter Not like 2 moments' }).click();
  await page.getByRole('grid').focus();
  await page.keyboard.press('a');
  await page.getByText(`${count} selected`).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await bar.count(), 0);
  assert.deepEqual(problems, []);
});

test('a link to what cannot be had says so and asks for the rest; what was chosen is of the search before', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  const told = page.locator('.toast.error');
  const follow = (search: string) => page.goto(`${sample.service.address}/#/search?${search}`);
  await searchFor(page, 'trees');
  await page
    .locator('.tile')
    .first()
    .click({ modifiers: ['ControlOrMeta'] });
  await page.getByRole('toolbar', { name: '1 selected' }).waitFor();
  await follow('q=trees&weak=1&in=ab');
  await told.getByText('ab').waitFor();
  await page.waitForURL(/q=trees&weak=1$/);
  await page.locator('.tile').first().waitFor();
  assert.equal(await page.getByRole('toolbar').count(), 0);
  await told.getByRole('button').click();
  await page.route('**/search/moments', (route) =>
    'like' in route.request().postDataJSON()
      ? route.fulfill({ status: 500, json: { error: 'Not now' } })
      : route.continue(),
  );
  await follow('q=trees&weak=1&unlike=ab@1');
  await told.getByText('Not now').waitFor();
  assert.deepEqual(problems, []);
});

test('what hardly stands out is folded into one line, which opens and closes it, also when nothing does', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await page.getByRole('searchbox').fill('green');
  await page.getByRole('gridcell', { name: /^forest\.jpg, .*(Strong|Likely) match/ }).waitFor();
  const before = await page.locator('.tile').count();
  await weakerOf(page).click();
  await page
    .getByRole('gridcell', { name: /Weak match/ })
    .first()
    .waitFor();
  await assertAccessible(page, 'weaker matches');
  await weakerOf(page).click();
  await page
    .getByRole('gridcell', { name: /Weak match/ })
    .first()
    .waitFor({ state: 'detached' });
  assert.equal(await page.locator('.tile').count(), before);
  await page.getByRole('searchbox').fill('a purple zebra');
  await page.getByText('Nothing here looks like this').waitFor();
  await assertAccessible(page, 'nothing stands out');
  await weakerOf(page).click();
  await page.locator('.tile img').first().waitFor();
  assert.deepEqual(problems, []);
});

test('where no model understands a word a button opens what can be set up, and downloads it', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await page.getByRole('searchbox').fill('a dog');
  await page.getByText('Not understood in pictures: “dog”').waitFor();
  await page.locator('.empty').getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up' });
  const tick = (name: string) => dialog.getByRole('checkbox', { name, exact: true });
  await tick('Things').waitFor();
  assert.deepEqual([await tick('Things').isChecked(), await tick('Faces').isChecked()], [true, false]);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page, `set up, ${colorScheme}`);
  }
  const asked = page.waitForRequest('**/models/pull');
  await page.route('**/models/pull', (route) => route.fulfill({ status: 507, json: { error: 'Disk full' } }));
  for (const name of ['Music and singing', 'Voice detection', 'Voices', 'Speech', 'Any description'])
    await tick(name).uncheck();
  await dialog.getByRole('button', { name: /^Download 1\d\d MB$/ }).click();
  assert.deepEqual((await asked).postDataJSON(), { model_keys: ['nanodet-416', 'pp-ocr-v4'] });
  await page.getByText('Disk full').waitFor();
  await dialog.getByRole('link', { name: 'All models' }).click();
  await page.getByRole('heading', { name: 'Models' }).waitFor();
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.locator('.empty').getByRole('button', { name: 'Set up' }).click();
  await dialog.getByRole('region', { name: 'Faces' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByText('framehound models').count(), 0);
  assert.deepEqual(problems, []);
});

test('what a detector has seen is framed in the tile that is pointed at, as long as it stays', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  const box = { class: 'car', score: 0.9, box: [0.25, 0.5, 0.5, 0.25], start_seconds: 0, end_seconds: 4 };
  const explanation = { band: 'strong', parts: [{ part: 'things', band: 'strong', boxes: [box] }] };
  await page.route('**/api/v1/search/moments', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { moments: { reasons: object[] }[] };
    const moments = answer.moments.map((one) => ({
      ...one,
      reasons: [{ kind: 'seen', rank: 1, explanation }],
    }));
    await route.fulfill({ response, json: { ...answer, moments } });
  });
  await page.getByRole('searchbox').fill('a red car at night');
  const tile = page.getByRole('gridcell', { name: /^the-red-car\.mp4, / }).first();
  await tile.locator('img').waitFor();
  assert.equal(await page.locator('.frames').count(), 0);
  const { x, y, width, height } = (await tile.boundingBox())!;
  await page.mouse.move(x + 3, y + height / 3);
  const drawn = (await tile.locator('.frames rect').boundingBox())!;
  assert.ok(Math.abs(drawn.width - width / 2) < 4, `${drawn.width} of ${width}`);
  await tile.locator('.tile-scrub').waitFor();
  await page.mouse.move(x + width - 3, y + height / 3);
  await tile.locator('.frames').waitFor({ state: 'detached' });
  await page.mouse.move(x + 3, y + height / 3);
  await tile.locator('.frames').waitFor();
  await page.mouse.move(0, 0);
  await tile.locator('.frames').waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

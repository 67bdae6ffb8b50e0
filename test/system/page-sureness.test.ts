// How sure matches are, as the web page shows it in a browser: what stands out, what is folded, what was seen
// where, and the way on where nothing was found.
import assert from 'node:assert/strict';
import test from 'node:test';
import { assertAccessible, withoutBrowser } from '../http/page/browser.ts';
import { samplePage, weakerOf } from './sample-page.ts';

const { signedIn } = samplePage();

test('what hardly stands out is folded into one line, which opens and closes it, also when nothing does', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await page.getByRole('searchbox').fill('a green forest');
  await page.getByRole('gridcell', { name: /^forest\.jpg, .*Likely match/ }).waitFor();
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
  await page.getByText('No model in use understands “dog”.').waitFor();
  await page.locator('.empty').getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up' });
  const sight = dialog.getByRole('region', { name: 'Things and printed words' });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page, `set up, ${colorScheme}`);
  }
  const asked = page.waitForRequest('**/models/pull');
  await page.route('**/models/pull', (route) => route.fulfill({ status: 507, json: { error: 'Disk full' } }));
  await sight.getByRole('button', { name: /^Download \d+ MB: Things and printed words$/ }).click();
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

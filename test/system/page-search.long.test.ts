// Searches of the web page in a browser, in a folder that other programs change.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import sharp from 'sharp';
import { withoutBrowser } from '../http/page/browser.ts';
import { until } from '../until.ts';
import { samplePage, searchFor } from './sample-page.ts';

const sample = samplePage();
const { home, samples, signedIn } = sample;

test('what another program has analysed is found, and an empty folder is no longer called one', {
  skip: withoutBrowser,
}, async (t) => {
  const folder = join(home.folder, 'other-analysis');
  const { page, problems } = await signedIn(t, {}, folder);
  await page.getByText('Nothing has been analysed yet').waitFor();
  const { task_id } = await sample.service.ok<{ task_id: string }>('/analyze', {
    cache_dir: folder,
    visual_media_paths: [join(samples, 'beach.mp4')],
  });
  await sample.service.follow(task_id);
  await page.getByText('Nothing has been analysed yet').waitFor({ state: 'detached' });
  await searchFor(page, 'a beach');
  assert.deepEqual(problems, []);
});

test('of a file that was replaced and analysed anew the picture of now is shown', {
  skip: withoutBrowser,
}, async (t) => {
  const folder = join(home.folder, 'replaced-analysis');
  const path = join(home.folder, 'replaced.png');
  const analysed = async (background: string) => {
    await sharp({ create: { width: 64, height: 48, channels: 3, background } }).toFile(path);
    const request = { cache_dir: folder, visual_media_paths: [path] };
    await sample.service.follow((await sample.service.ok<{ task_id: string }>('/analyze', request)).task_id);
  };
  await analysed('red');
  const { page, problems } = await signedIn(t, {}, folder);
  await searchFor(page, 'red');
  const shown = () => page.locator('.tile img').first().getAttribute('src');
  const before = await shown();
  await analysed('blue');
  await until(async () => {
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page.locator('.tile img').first().waitFor();
    return (await shown()) !== before;
  });
  assert.deepEqual(problems, []);
});

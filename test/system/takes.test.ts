// Takes of recorded films: cut, mirrored and between bars, over REST, on the command line and in a browser.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { after, before } from 'node:test';
import type { TakesAnswer } from '../../actors/search/takes/contract.ts';
import { startBench } from '../../bench/actors.ts';
import { alterations } from '../../bench/picture-search/alterations.ts';
import { writeAltered } from '../../bench/takes/altered-film.ts';
import { assertAccessible, closeBrowser, openBrowser, withoutBrowser } from '../http/page/browser.ts';
import { sharedPath, skipWithout, untilRelease } from '../shared.ts';
import { newHome } from './command-line.ts';
import { type RunningService, startService } from './service.ts';

const skip = skipWithout('media/video/car-detection.mp4', 'media/video/bottle-detection.mp4');
const home = newHome();
const cache_dir = join(home.folder, 'analysis');
const films = join(home.folder, 'films');
const at = (name: string) => join(films, name);
const [car, bottle] = [at('car-detection.mp4'), at('bottle-detection.mp4')];
const changes = {
  cut: null,
  mirrored: alterations['mirror']!,
  bars: alterations['bars above and below, a quarter']!,
};
let service: RunningService;

before(async () => {
  if (skip) return;
  mkdirSync(films, { recursive: true });
  for (const path of [car, bottle]) copyFileSync(sharedPath(join('media/video', basename(path))), path);
  const bench = startBench(8, 512 * 512 * 3);
  const [decoder] = await bench.decoders(1);
  for (const [name, alter] of Object.entries(changes))
    await writeAltered(decoder!, { path: car, start: 3.4, seconds: 10, alter, crf: 30 }, at(`${name}.mp4`));
  await bench.stop();
  service = await startService(['--no-guardian', '--cache-dir', cache_dir, '--port', '0'], home);
  await service.modelReady();
  const visual_media_paths = [car, bottle, ...Object.keys(changes).map((name) => at(`${name}.mp4`))];
  const { task_id } = await service.ok<{ task_id: string }>('/analyze', { cache_dir, visual_media_paths });
  await service.follow(task_id);
  await service.ok('/analysis-data/load', { cache_dir });
});
after(async () => {
  await closeBrowser();
  await service?.end();
  home.remove();
});

const ask = (body: Record<string, unknown>) =>
  service.ok<TakesAnswer>('/search/takes', { cache_dir, ...body });

test('ten seconds of a film are found, cut, mirrored and between bars, where they begin, and nothing else', {
  skip,
}, async () => {
  const { takes } = await ask({ media_path: car, start_seconds: 4, end_seconds: 13 });
  const found = takes.map(
    ({ found, mirrored }) => `${basename(found.media_path)}${mirrored ? ' mirrored' : ''}`,
  );
  assert.deepEqual(found.sort(), ['bars.mp4', 'cut.mp4', 'mirrored.mp4 mirrored']);
  for (const { offset_seconds, agreeing_frames } of takes) {
    assert.ok(Math.abs(offset_seconds + 3.4) <= 1, `${offset_seconds}`);
    assert.ok(agreeing_frames >= 5, `${agreeing_frames}`);
  }
  assert.deepEqual((await ask({ media_path: bottle })).takes, []);
});

test('the command line names them for a moment, and for everything', { skip }, async () => {
  const run = (...args: string[]) =>
    home.run('takes', ...args, '--cache-dir', cache_dir, '--server', service.address, '--key', service.key);
  const { code, out, err } = await run(`${at('cut.mp4')}@5`);
  assert.equal(code, 0, err);
  assert.match(
    out,
    /cut\.mp4\n(.*\n)*.*00:00:0[23]–00:00:1[2-5] of .*car-detection\.mp4 {2}\((strong|likely), \d+ s/,
  );
  const all = JSON.parse((await run('--json')).out) as TakesAnswer;
  const pairs = all.takes.map(({ asked, found }) =>
    [asked, found].map(({ media_path }) => basename(media_path)),
  );
  // Each of the four with each other.
  assert.equal(new Set(pairs.map((pair) => pair.sort().join())).size, 6);
  assert.ok(pairs.every((pair) => !pair.includes('bottle-detection.mp4')));
});

test('the player links to where else the shot is', {
  skip: skip || withoutBrowser || untilRelease,
}, async (t) => {
  const { page, problems } = await openBrowser(t);
  const { ticket } = await service.ok<{ ticket: string }>('/tickets', {});
  await page.goto(`${service.address}/#${ticket}`);
  await page.getByRole('searchbox').waitFor();
  const { takes } = await ask({ media_path: at('cut.mp4') });
  const { hash_str } = takes[0]!.asked;
  await page.goto(`${service.address}/#/player/${hash_str}@2`);
  const nav = page.getByRole('navigation', { name: 'Also in' });
  await nav.waitFor();
  assert.equal(await nav.getByRole('link').count(), 3);
  assert.match((await nav.textContent()) ?? '', /mirrored/);
  await assertAccessible(page, 'beside a moment');
  await nav.getByRole('link', { name: /car-detection/ }).click();
  await page.getByRole('heading', { name: 'car-detection.mp4' }).waitFor();
  assert.deepEqual(problems, []);
});

// The player and the basket in a browser: the frame that is shown is read back from the numbers drawn into
// it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, before, type TestContext } from 'node:test';
import sharp from 'sharp';
import { clock } from '../../http/page/app/times.ts';
import { stamped } from '../actors/decoder/footage/clip.ts';
import { clips } from '../actors/decoder/footage/clips.ts';
import { fps, x264 } from '../actors/decoder/footage/codec-options.ts';
import {
  assertAccessible,
  closeBrowser,
  type Opened,
  openBrowser,
  openShared,
  withoutBrowser,
} from '../http/page/browser.ts';
import { untilRelease } from '../shared.ts';
import { until } from '../until.ts';
import { newHome } from './command-line.ts';
import { type RunningService, startService } from './service.ts';
import { isShown, late, toldFrame } from './shown-frame.ts';
import { writeWav } from './speech-files.ts';

const home = newHome();
const cache_dir = join(home.folder, 'analysis');
const films = join(home.folder, 'films');
const film = join(films, 'film.mp4');
const other = join(films, 'hevc.mp4');
const uneven = join(films, 'uneven.mp4');
const gone = join(films, 'gone.mp4');
const goneSound = join(films, 'gone.wav');
const goneStill = join(films, 'gone.png');
const still = join(films, 'still.png');
const talk = join(films, 'talk.wav');
let service: RunningService;
const hashes = new Map<string, string>();

before(async () => {
  if (withoutBrowser) return;
  mkdirSync(films, { recursive: true });
  await written('23.976 frames a second', film);
  await written('HEVC, closed GOP', other);
  await phone.write(uneven);
  await written('H.264, GOP 250', gone);
  await sharp({ create: { width: 320, height: 200, channels: 3, background: 'teal' } }).toFile(still);
  writeWav(
    talk,
    Float32Array.from({ length: 48_000 }, (_, i) => 0.5 * Math.sin(i / 20)),
  );
  writeWav(
    goneSound,
    Float32Array.from({ length: 48_000 }, (_, i) => 0.5 * Math.sin(i / 30)),
  );
  await sharp({ create: { width: 320, height: 200, channels: 3, background: 'olive' } }).toFile(goneStill);
  const cue = (n: number, from: string, to: string, text: string) => `${n}\n${from} --> ${to}\n${text}\n\n`;
  writeFileSync(
    join(films, 'film.srt'),
    cue(1, '00:00:00,500', '00:00:01,500', 'The first sentence.') +
      cue(2, '00:00:02,000', '00:00:04,000', 'And the second.'),
  );
  writeFileSync(join(films, 'gone.srt'), cue(1, '00:00:00,500', '00:00:01,500', 'It is kept.'));
  writeFileSync(join(films, 'talk.srt'), cue(1, '00:00:00,500', '00:00:01,500', 'A sentence alone.'));
  service = await startService(['--no-guardian', '--cache-dir', cache_dir, '--port', '0'], home);
  await service.modelReady();
  const { task_id } = await service.ok<{ task_id: string }>('/analyze', {
    cache_dir,
    visual_media_paths: [film, other, uneven, gone, still, goneStill],
    transcription_jobs: [{ path: film }, { path: talk }, { path: goneSound }],
  });
  await service.follow(task_id);
  const { media } = await service.ok<{ media: { media_path: string; hash_str: string }[] }>('/library/list', {
    cache_dir,
  });
  for (const { media_path, hash_str } of media) hashes.set(media_path, hash_str);
});
after(async () => {
  await closeBrowser();
  await service?.end();
});

/** As a telephone films: most frames 33 ms long, some half or twice as long. */
const phone = stamped('uneven times', {
  file: 'phone.mp4',
  frames: 120,
  options: { ...x264, bf: '2', g: '60' },
  times: {
    base: fps(1, 1000),
    ticks: Array.from({ length: 120 }, (_, n) => 33 * n + (n % 5 === 2 ? 16 : 0) + 34 * Math.floor(n / 7)),
  },
});

async function written(name: string, path: string): Promise<void> {
  await copyFile(await clips.find((one) => one.name === name)!.make(), path);
}

/** The player at a moment of a film. `script`: run before that of the page, on a page of its own. */
async function opened(t: TestContext, path: string, seconds: number, script = ''): Promise<Opened> {
  const browser = script === '' ? await openShared() : await openBrowser(t);
  const { page } = browser;
  if (page.url() === 'about:blank') {
    await page.addInitScript(script);
    const { ticket } = await service.ok<{ ticket: string }>('/tickets', {});
    await page.goto(`${service.address}/#${ticket}`);
  } else await page.goto(`${service.address}/#/search`);
  await page.getByRole('searchbox').waitFor();
  await page.goto(`${service.address}/#/player/${hashes.get(path)}@${seconds}`);
  return browser;
}

test('Back leads to the search where a link opened the player', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await opened(t, film, 2);
  const coming = page.waitForEvent('popup');
  await page.evaluate('open(location.href)');
  const linked = await coming;
  await linked.getByRole('button', { name: 'Back', exact: true }).click();
  await linked.waitForURL(/#\/search$/);
  await linked.close();
  assert.deepEqual(problems, []);
});

test('the player opens at the moment, and steps to exactly the next frame and the one before', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, film, 2);
  // 2 s lie in frame 47 at 23.976 frames a second.
  await isShown(page, 47);
  for (const [key, frame] of [
    ['ArrowRight', 48],
    ['ArrowRight', 49],
    ['.', 50],
    ['ArrowLeft', 49],
    [',', 48],
  ] as const) {
    await page.keyboard.press(key);
    await isShown(page, frame);
  }
  await assertAccessible(page, 'the player');
  assert.deepEqual(problems, []);
});

test('frames that come at uneven times are stepped through one by one', {
  skip: withoutBrowser,
}, async (t) => {
  const { frames } = phone.facts;
  const first = frames.findIndex(({ stamp }) => stamp === 8);
  const { page, problems } = await opened(t, uneven, frames[first]!.seconds + 0.001);
  // Chromium looks for a frame as if all were of one length: which one it paints is not the page's to say.
  const tells = (frame: number) =>
    page.getByText(clock(frames[frame]!.seconds, { decimals: 3 }), { exact: true }).waitFor();
  await tells(first);
  await page.getByText('variable frame rate').waitFor();
  for (const frame of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await page.keyboard.press('ArrowRight');
    await tells(first + frame);
  }
  for (const frame of [7, 6, 5, 4, 3, 2, 1, 0]) {
    await page.keyboard.press('ArrowLeft');
    await tells(first + frame);
  }
  await page.keyboard.press('i');
  await page.keyboard.press('ArrowRight');
  await tells(first + 1);
  await page.keyboard.press('o');
  const [start, end] = [frames[first]!, frames[first + 2]!].map(({ seconds }) =>
    clock(seconds, { decimals: 1 }),
  );
  await page.getByTitle(`Add ${start} to ${end} to the basket`).waitFor();
  await assertAccessible(page, 'a film of uneven times');
  assert.deepEqual(problems, []);
});

test('it opens at the moment where painting is slower than reading the film', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, film, 2, late);
  await isShown(page, 47);
  assert.deepEqual(problems, []);
});

test('it plays from there, forward and backward, and stops', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await opened(t, film, 2);
  await isShown(page, 47);
  await page.keyboard.press('l');
  await until(async () => (await toldFrame(page)) > 55);
  await page.keyboard.press('j');
  const turned = await toldFrame(page);
  await until(async () => (await toldFrame(page)) < turned - 3);
  await page.keyboard.press('k');
  const stopped = await toldFrame(page);
  await isShown(page, stopped);
  assert.deepEqual(problems, []);
});

test('a sentence that is clicked is gone to, without stopping', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await opened(t, film, 0);
  const second = page.getByRole('button', { name: 'And the second.' });
  await second.waitFor();
  await isShown(page, 0);
  await page.keyboard.press('l');
  await second.click();
  await until(async () => (await toldFrame(page)) >= 48);
  await page.locator('li[aria-current] >> text=And the second.').waitFor();
  assert.equal(await page.evaluate('document.querySelector("video").paused'), false);
  assert.deepEqual(problems, []);
});

test('in and out go into the basket, and the basket becomes XMEML', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await opened(t, film, 2);
  await isShown(page, 47);
  await page.keyboard.press('i');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
  await isShown(page, 51);
  await page.keyboard.press('o');
  await page.keyboard.press('b');
  await page.getByRole('link', { name: /Basket/ }).click();
  await page.getByRole('button', { name: 'Open film.mp4 in the player' }).waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  await assertAccessible(page, 'the basket');
  const { lists } = await service.ok<{ lists: { list_id: string; items: number }[] }>('/lists');
  assert.deepEqual(
    lists.map(({ items }) => items),
    [1],
  );
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const download = await coming;
  const xml = readFileSync((await download.path())!, 'utf8');
  assert.match(xml, /<xmeml version="4">/);
  // Five frames, 47 to 51: the end is not part of a clip.
  assert.match(xml, /<in>47<\/in>\s*<out>52<\/out>/);
  assert.deepEqual(problems, []);
});

test('clips go to a folder that is proposed, or to one that a person types', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, film, 2);
  await page.goto(`${service.address}/#/lists`);
  const format = page.getByRole('combobox', { name: 'Export' });
  await format.selectOption('clips');
  const folder = page.getByRole('textbox', { name: /^Folder for the clips/ });
  await until(async () => /[\\/](Movies|Videos)$/.test(await folder.inputValue()));
  const cut = page.getByRole('button', { name: 'Cut the clips' });
  await folder.fill('cut');
  await cut.click();
  await page.getByText('Choose a folder').waitFor();
  const target = join(home.folder, 'new', 'cut');
  await folder.fill(`"${target}"`);
  await cut.click();
  await page.getByText(`being cut into ${target}.`).waitFor();
  await until(() => existsSync(target) && readdirSync(target).some((name) => name.endsWith('.mp4')));
  await assertAccessible(page, 'clips that are cut');
  await format.selectOption('xmeml');
  assert.deepEqual(problems, []);
});

/** Some builds of Chromium do play `other`. */
const canPlay = `document.createElement('video').canPlayType('video/mp4; codecs="hvc1.1.6.L60.90"') !== ''`;

test('what the browser cannot play is shown by previews, until a version for browsers is made', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, other, 1);
  if (await page.evaluate(canPlay)) return t.skip('this browser plays HEVC');
  const make = page.getByRole('button', { name: 'Make a version for browsers' });
  await make.waitFor();
  await page.locator('.screen img').waitFor();
  await assertAccessible(page, 'previews that stand in');
  await make.click();
  await isShown(page, 30);
  await page.keyboard.press('ArrowRight');
  await isShown(page, 31);
  assert.deepEqual(problems, []);
});

test('a film that is gone is told to be, and seen by its previews', { skip: withoutBrowser }, async (t) => {
  rmSync(gone);
  const { page, problems } = await opened(t, gone, 1);
  await page.getByRole('heading', { name: 'gone.mp4' }).waitFor();
  await page.locator('.screen img').waitFor();
  await page.locator('.stand-in', { hasText: gone }).waitFor();
  await assertAccessible(page, 'a film that is gone');
  assert.deepEqual(problems, []);
});

test('sound that is away says where it was and keeps its transcript, a still its preview', {
  skip: withoutBrowser,
}, async (t) => {
  rmSync(goneSound);
  rmSync(goneStill);
  const { page, problems } = await opened(t, goneSound, 1);
  await page.locator('.stand-in', { hasText: goneSound }).waitFor();
  await page.getByText('It is kept.').waitFor();
  await page.locator('.timeline').waitFor();
  assert.equal(await page.locator('.screen .spinner').count(), 0);
  await assertAccessible(page, 'sound that is away');
  await page.goto(`${service.address}/#/player/${hashes.get(goneStill)}@0`);
  await page.locator('.stand-in', { hasText: goneStill }).waitFor();
  await page.locator('.screen img').waitFor();
  assert.deepEqual(problems, []);
});

test('a still is shown with its size alone, and nothing is asked that a still has not', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, still, 0);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.reload();
  await page.locator('.screen img').waitFor();
  await page.getByText('320 × 200', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add to basket' }).waitFor();
  assert.equal(await page.locator('.timeline').count(), 0);
  await assertAccessible(page, 'a still');
  assert.deepEqual([refused, problems], [[], []]);
});

/** A version for browsers that waits behind an export; null where this browser plays the film itself. */
async function waiting(t: TestContext) {
  // An earlier test has one made.
  rmSync(join(cache_dir, 'proxies'), { recursive: true, force: true });
  const { page, problems } = await opened(t, other, 1);
  const make = page.getByRole('button', { name: 'Make a version for browsers' });
  await page.locator('.screen').waitFor();
  if (await page.evaluate(canPlay)) return null;
  const clips = Array.from({ length: 300 }, (_, i) => ({
    media_path: film,
    start_seconds: 0,
    end_seconds: 2 + i / 1000,
  }));
  const request = { output_dir: join(home.folder, 'cut'), clips, task: true };
  const { task_id } = await service.ok<{ task_id: string }>('/export/clips', request);
  await make.click();
  await page.getByText('Waiting for: Clips').waitFor();
  return { page, problems, make, endExport: () => service.ok(`/tasks/${task_id}/cancel`, {}, 'POST') };
}

test('a version for browsers waits behind an export, says for what, and is cancelled meanwhile', {
  skip: withoutBrowser,
}, async (t) => {
  const waits = await waiting(t);
  if (!waits) return t.skip('this browser plays HEVC');
  const { page, problems, make, endExport } = waits;
  await assertAccessible(page, 'a version that waits');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await make.waitFor();
  await endExport();
  assert.deepEqual(problems, []);
});

test('a version that waits is made when the export before it is cancelled', {
  skip: withoutBrowser || untilRelease,
}, async (t) => {
  const waits = await waiting(t);
  if (!waits) return t.skip('this browser plays HEVC');
  await waits.endExport();
  await isShown(waits.page, 30);
  assert.deepEqual(waits.problems, []);
});

test('the seek bar is the time line; sound and speed are set, and a frame is saved', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, film, 2);
  await isShown(page, 47);
  const places = `['.thumb', '.head-line'].map((name) => document.querySelector('.timeline ' + name).style.left)`;
  const [thumb, head] = (await page.evaluate(places)) as [string, string];
  assert.equal(thumb, head);
  await page.getByRole('slider', { name: 'Position' }).press('Home');
  await isShown(page, 0);
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('slider', { name: 'Volume' }).fill('0.4');
  await page.keyboard.press('m');
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('2');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save this frame as a picture' }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), 'film 00-00-00-00.png');
  const { width, height } = await sharp(readFileSync((await download.path())!)).metadata();
  const of = (names: string) =>
    page.evaluate(`(({ ${names} }) => [${names}])(document.querySelector('video'))`);
  assert.deepEqual(await of('videoWidth, videoHeight'), [width, height]);
  await page.keyboard.press('f');
  await until(() => page.evaluate('document.fullscreenElement !== null'));
  await page.keyboard.press('f');
  await until(() => page.evaluate('document.fullscreenElement === null'));
  await page.reload();
  await isShown(page, 47);
  assert.deepEqual(await of('volume, muted'), [0.4, true]);
  assert.deepEqual(problems, []);
});

test('sound alone has a waveform, no screen, and no shots like it', { skip: withoutBrowser }, async (t) => {
  const { page, problems } = await opened(t, talk, 1);
  await page.getByText('A sentence alone.').waitFor();
  assert.equal(await page.locator('.screen').isVisible(), false);
  assert.equal(await page.getByRole('button', { name: 'Shots like this' }).count(), 0);
  const { height } = (await page.locator('.waveform').boundingBox())!;
  assert.ok(height > 100, `${height}`);
  await page.keyboard.press(' ');
  await until(() => page.evaluate('!document.querySelector("video").paused'));
  await assertAccessible(page, 'sound alone');
  assert.deepEqual(problems, []);
  await page.goto(`${service.address}/#/search?q=alone`);
  await page.locator('.tile-said').waitFor();
  await assertAccessible(page, 'what is said where nothing is seen');
});

test('play that is pressed while the browser opens the file is not lost', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, talk, 1);
  const { promise: pressed, resolve: press } = Promise.withResolvers<void>();
  await page.route(`${service.address}/media/*`, async (route) => {
    await pressed;
    await route.continue();
  });
  await page.reload();
  await page.getByText('A sentence alone.').waitFor();
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  press();
  await until(() => page.evaluate('document.querySelector("video").currentTime > 1'));
  assert.deepEqual(problems, []);
});

test('a transcript that is not there is made from where it is looked for', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await opened(t, uneven, 0);
  const make = page.getByRole('button', { name: 'Read subtitles' });
  await make.waitFor();
  await assertAccessible(page, 'no transcript');
  writeFileSync(uneven.replace('.mp4', '.srt'), '1\n00:00:00,100 --> 00:00:02,000\nIt is read now.\n');
  await make.click();
  await page.getByRole('button', { name: 'It is read now.' }).waitFor();
  assert.deepEqual(problems, []);
});

// The library and the settings in a browser, on a service of their own: a folder is analysed by the button
// and its progress seen, a task cancelled and resumed, what is stored forgotten after it was shown, a folder
// watched.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test, { after, before, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { defaultModelKey } from '../../actors/models/rows/list.ts';
import { copySamples } from '../../actors/samples/samples.ts';
import {
  assertAccessible,
  closeBrowser,
  type Opened,
  type Options,
  openBrowser,
  openShared,
  withoutBrowser,
} from '../http/page/browser.ts';
import { untilRelease } from '../shared.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { type RunningService, startService } from './service.ts';

const home = newHome();
const samples = join(home.folder, 'samples');
let service: RunningService;

before(async () => {
  if (withoutBrowser) return;
  await copySamples(samples, ['the-red-car.mp4', 'beach.mp4', 'sunset.jpg']);
  writeFileSync(join(samples, 'broken.mp4'), 'no film');
  // Nobody listens there: a download fails at once.
  mkdirSync(join(home.folder, 'home'), { recursive: true });
  writeFileSync(
    join(home.folder, 'home', 'config.json'),
    JSON.stringify({ models_url: 'http://127.0.0.1:9', decoders: 1 }),
  );
  service = await startService(['--no-guardian', '--cache-dir', join(home.folder, 'analysis')], home);
  await service.modelReady();
});
after(async () => {
  await closeBrowser();
  await service?.end();
});

/** On a page of its own where there are options. */
async function signedIn(t: TestContext, view: string, options?: Options): Promise<Opened> {
  const opened = await (options ? openBrowser(t, options) : openShared());
  const { page } = opened;
  page.setDefaultTimeout(SLOW_MS / 2);
  if (page.url() === 'about:blank') {
    const { ticket } = await service.ok<{ ticket: string }>('/tickets', {});
    await page.goto(`${service.address}/#${ticket}`);
  }
  await page.getByRole('navigation').first().waitFor();
  await page.goto(`${service.address}/#/${view}`);
  return opened;
}

async function show(page: Page, path: string): Promise<void> {
  await page.getByLabel('Path of a file or folder').fill(path);
  await page.keyboard.press('Enter');
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test('a first run leads by the hand; a folder is analysed by keys alone, its progress and what failed are seen', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t, 'library');
  await page.getByRole('heading', { name: 'Nothing has been analysed yet' }).waitFor();
  await assertAccessible(page, 'a first run');
  await show(page, `"${samples}/"`);
  await row(page, 'sunset.jpg').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('a');
  await page.getByText('4 selected').waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 films, 1 still').waitFor();
  assert.equal(await dialog.getByLabel('Speech').isChecked(), false, 'no speech model is there');
  await assertAccessible(page, 'what is to be analysed');
  await dialog.getByRole('button', { name: 'Analyse', exact: true }).click();
  await page.getByText('The analysis has started').waitFor();
  await page.getByRole('link', { name: 'Tasks', exact: false }).first().click();
  await page.getByText('Completed').waitFor();
  await page.getByText('7 of 7 steps').waitFor();
  await page.getByText('Failures').click();
  await page.getByText('cannot be opened').waitFor();
  await assertAccessible(page, 'a task that ended');
  await page.getByRole('link', { name: 'Files' }).click();
  await row(page, 'beach.mp4').getByText('starter-visual-3').waitFor();
  await row(page, 'broken.mp4').getByText('Failed: cannot be opened').waitFor();
  await row(page, 'beach.mp4').dblclick();
  await page.waitForURL(/#\/player\/[\w-]+@0$/);
  assert.doesNotMatch(page.url(), /beach/, 'no path in an address');
  assert.deepEqual(problems, []);
});

test('what would be forgotten is shown first, and nothing goes when one says no', {
  skip: withoutBrowser,
}, async (t) => {
  await analysed('sunset.jpg');
  const { page } = await signedIn(t, 'library');
  await show(page, samples);
  await row(page, 'sunset.jpg').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Forget …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 second of pictures').waitFor();
  await assertAccessible(page, 'what would be forgotten');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'sunset.jpg').getByText('starter-visual-3').waitFor();
  await page.getByRole('button', { name: 'Forget …' }).click();
  await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
  await page.getByText('1 analysis forgotten').waitFor();
  await row(page, 'sunset.jpg').getByText('starter-visual-3').waitFor({ state: 'detached' });
});

test('what is known of files that are gone is told in their folder, seen by previews, and forgotten', {
  skip: withoutBrowser,
}, async (t) => {
  const folder = join(home.folder, 'moved');
  mkdirSync(join(folder, 'old'), { recursive: true });
  const paths = ['one.mp4', 'two.mp4', join('old', 'three.mp4')].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, readFileSync(join(samples, 'beach.mp4')));
  await analysed('beach.mp4', ...paths);
  const { page, problems } = await signedIn(t, 'library');
  await show(page, folder);
  await row(page, 'one.mp4').getByText(defaultModelKey).waitFor();
  assert.equal(await page.locator('.gone').count(), 0);
  rmSync(paths[1]!);
  rmSync(join(folder, 'old'), { recursive: true });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('2 analysed files are no longer here').click();
  await page.getByText('old/three.mp4').waitFor();
  await assertAccessible(page, 'files that are gone');
  await page.getByRole('button', { name: 'Open in the player: two.mp4' }).click();
  await page.getByRole('heading', { name: /mp4$/ }).waitFor();
  await page.goBack();
  rmSync(folder, { recursive: true });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('3 analysed files are no longer here').click();
  await page.getByRole('link', { name: 'Forget missing files …' }).click();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('3 paths of copies').waitFor();
  assert.deepEqual(problems, []);
});

test('an analysis that runs is not stopped unasked; a task is cancelled and resumed', {
  skip: withoutBrowser,
}, async (t) => {
  // More than a quick machine analyses until it is cancelled.
  const visual_media_paths = copies(400);
  await service.ok('/analyze', { cache_dir: join(home.folder, 'other'), visual_media_paths, force: true });
  const { page } = await signedIn(t, 'library/tasks');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
  await assertAccessible(page, 'a task that runs');
  await page.getByRole('link', { name: 'Files' }).click();
  await show(page, samples);
  await row(page, 'beach.mp4').getByRole('checkbox').click();
  await page.locator('.path-bar button.primary').click();
  await page.getByRole('dialog').getByText('An analysis is running').waitFor();
  await page.getByRole('button', { name: 'Stop it and analyse' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Tasks', exact: false }).first().click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByText('Cancelled').first().waitFor();
  await page.getByRole('button', { name: 'Resume' }).first().click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByText('Cancelled').first().waitFor();
});

test('a dropped file is told to stay, a wrong path why it is none, a folder is watched and let go', {
  skip: withoutBrowser,
}, async (t) => {
  const { page } = await signedIn(t, 'library');
  await page.getByRole('grid').waitFor();
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'holiday.mov'));
    document.querySelector('.files').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('dialog', { name: '“holiday.mov” stays where it is' }).waitFor();
  await assertAccessible(page, 'a dropped file');
  await page.keyboard.press('Escape');
  await show(page, 'films/a.mp4');
  await page.getByRole('alert').getByText('Enter a full path').waitFor();
  await show(page, join(samples, 'nowhere'));
  await page.getByRole('alert').getByText('nowhere').waitFor();
  const stills = join(home.folder, 'stills');
  mkdirSync(stills, { recursive: true });
  await page.getByLabel('Path of a file or folder').fill(stills);
  await page.getByRole('button', { name: 'Watch …' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Watch folders' }).click();
  await page.getByRole('button', { name: 'Stop watching' }).waitFor();
  await assertAccessible(page, 'a watch folder');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No watch folders').waitFor();
});

test('a watch folder is added, seen at work, changed and switched off; the form says what is wrong', {
  skip: withoutBrowser,
}, async (t) => {
  const folder = join(home.folder, 'watched');
  mkdirSync(join(folder, 'proxies'), { recursive: true });
  for (const name of ['sunset.jpg', join('proxies', 'small.jpg')])
    writeFileSync(join(folder, name), readFileSync(join(samples, 'sunset.jpg')));
  const { page, problems } = await signedIn(t, 'library/watch');
  await page.getByRole('button', { name: 'Watch a folder …' }).click();
  const dialog = page.getByRole('dialog');
  const path = dialog.getByLabel('Folder', { exact: true });
  const save = async (expected: RegExp) => {
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText(expected).waitFor();
  };
  await path.fill('films');
  await save(/full path/);
  await path.fill(join(home.folder, 'nowhere'));
  await save(/nowhere/);
  await path.fill(`"${folder}/"`);
  await dialog.getByLabel('Pictures').uncheck();
  await save(/at least one kind of work/);
  await dialog.getByLabel('Subtitles').check();
  await dialog.getByLabel('Spoken language').fill('klingon');
  await save(/klingon/);
  await dialog.getByLabel('Subtitles').uncheck();
  await dialog.getByLabel('Pictures').check();
  await dialog.getByLabel('Exclude').fill('proxies\n*_tmp');
  await assertAccessible(page, 'a new watch folder');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The folder is now watched').waitFor();
  await page.getByText('1 analysed · 0 waiting · 0 failed').waitFor();
  await page.getByRole('button', { name: 'Change …' }).click();
  assert.equal(await dialog.getByLabel('Exclude').inputValue(), 'proxies\n*_tmp');
  await dialog.getByLabel('Exclude').fill('*_tmp');
  await dialog.getByLabel('Watch this folder').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Off', { exact: true }).waitFor();
  const { watch_folders } = await service.ok<{ watch_folders: Record<string, unknown>[] }>('/watch-folders');
  const { enabled, excluded_folder_globs, excluded_filename_globs } = watch_folders[0]!;
  assert.deepEqual([enabled, excluded_folder_globs, excluded_filename_globs], [false, ['*_tmp'], ['*_tmp']]);
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No watch folders').waitFor();
  assert.deepEqual(problems, []);
});

test('settings say what is in use and where values come from, in both languages; signing out ends the session', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t, 'settings', {
    colorScheme: 'light',
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole('listitem').filter({ hasText: 'starter-visual-3' }).getByText('In use').waitFor();
  await page.getByText(/starter-visual-3 runs on /).waitFor();
  await page.getByRole('row').filter({ hasText: 'cache_dir' }).getByText('option').waitFor();
  await assertAccessible(page, 'settings, light and narrow');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await page.getByRole('heading', { name: 'Was ohne Download geht' }).waitFor();
  await page.getByText(/starter-visual-3 läuft auf /).waitFor();
  await page.getByRole('combobox', { name: 'Darstellung' }).selectOption('dark');
  await assertAccessible(page, 'settings, dark and German');
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  assert.equal(wide, false, 'nothing is wider than a phone');
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await page.getByRole('heading', { name: 'framehound' }).waitFor();
  assert.deepEqual(problems, []);
});

test('machines of a cluster say what they do', {
  skip: withoutBrowser,
}, async (t) => {
  const known = { id: 'aa000000-0000', version: '0.2.0', home: '/home/one', clock_seconds: 0 };
  const node = { ...known, draining: false, unreadable_roots: [] };
  const nodes = [
    { ...node, name: 'cut1', roles: ['front'], seen_seconds: 1, behind: 3, working: [] },
    {
      ...node,
      id: 'bb',
      name: 'render1',
      roles: ['worker'],
      seen_seconds: 0,
      behind: 0,
      draining: true,
      working: ['root:footage/day 1/a.mov'],
    },
    {
      ...node,
      id: 'cc',
      name: 'render2',
      roles: ['worker'],
      seen_seconds: 75,
      behind: 9,
      working: ['root:footage/b.mov'],
    },
  ];
  const counts = { changes: 9, queued_jobs: 4, active_jobs: 1, failed_jobs: 0 };
  const { page, problems } = await signedIn(t, 'settings', { viewport: { width: 390, height: 740 } });
  await page.route('**/api/v1/cluster', (route) =>
    route.fulfill({ json: { cluster: { ...counts, nodes } } }),
  );
  await page.reload();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await row('cut1').getByText('3 changes behind').waitFor();
  await row('render1').getByText('footage/day 1/a.mov').waitFor();
  await row('render1').getByText('takes no files').waitFor();
  await row('render2').getByText('not seen for 75 seconds').waitFor();
  assert.equal(await row('render2').getByText('b.mov').count(), 0);
  await page.getByText('4 waiting, 1 at work').waitFor();
  await assertAccessible(page, 'settings of a machine in a cluster');
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  assert.deepEqual(problems, []);
});

test('a download that fails says why, and which files one can fetch', {
  skip: withoutBrowser || untilRelease,
}, async (t) => {
  const { page } = await signedIn(t, 'settings');
  await page.getByRole('button', { name: 'Download clip-b32-q8' }).click();
  await page.getByRole('alert').getByText('clip-b32-q8 could not be downloaded').waitFor();
  await page.getByText('You can put these files into').click();
  await page.getByText('sha256').first().waitFor();
  await page.getByRole('button', { name: 'Download clip-b32-q8' }).waitFor();
  await assertAccessible(page, 'a download that failed');
});

test('an export that waits for another says so in both languages, and is cancelled before its turn', {
  skip: withoutBrowser,
}, async (t) => {
  const cut = (name: string, count: number) =>
    service.ok<{ task_id: string }>('/export/clips', {
      output_dir: join(home.folder, name),
      clips: Array.from({ length: count }, (_, i) => {
        return { media_path: join(samples, 'beach.mp4'), start_seconds: 0, end_seconds: 2 + i / 1000 };
      }),
      task: true,
    });
  const first = await cut('first', 300);
  const second = await cut('second', 1);
  await cut('third', 1);
  const { page, problems } = await signedIn(t, 'library/tasks');
  const card = page.getByRole('listitem').filter({ hasText: 'Queued' });
  await card.getByText('Waiting for: Clips; number 2 in the queue').waitFor();
  await card.getByText('Waiting for: Clips', { exact: true }).waitFor();
  await assertAccessible(page, 'a task that waits');
  await card.filter({ hasText: 'number 2' }).getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'Cancelled' }).first().waitFor();
  await page.evaluate("localStorage.setItem('framehound.language', 'de')");
  await page.reload();
  const german = page.getByRole('listitem').filter({ hasText: 'In der Warteschlange' });
  await german.getByText('Wartet auf: Clips').waitFor();
  await german.getByRole('button', { name: 'Abbrechen' }).waitFor();
  await service.ok(`/tasks/${first.task_id}/cancel`, {}, 'POST');
  await service.follow(second.task_id);
  await page.getByRole('listitem').filter({ hasText: 'Fertig' }).first().waitFor();
  await german.waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

async function analysed(...names: string[]): Promise<void> {
  const { task_id } = await service.ok<{ task_id: string }>('/analyze', {
    cache_dir: join(home.folder, 'analysis'),
    visual_media_paths: names.map((name) => resolve(samples, name)),
  });
  await service.follow(task_id);
}

/** Films of the same content under other names. */
function copies(count: number): string[] {
  const film = readFileSync(join(samples, 'beach.mp4'));
  const folder = join(home.folder, 'copies');
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, `${i}.mp4`);
    // Bytes after the last box make it another file.
    writeFileSync(path, Buffer.concat([film, Buffer.from(`\0\0\0\x10free${String(i).padStart(8)}`)]));
    return path;
  });
}

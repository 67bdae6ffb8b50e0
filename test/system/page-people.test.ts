// The views of people and of summaries in a browser, on a service with real footage: what is done there by
// mouse and by keyboard is asked of the service itself.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { FaceClusterJobs } from '../../actors/library/people/contract.ts';
import { readVoices } from '../../bench/diarization/librispeech.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import {
  assertAccessible,
  closeBrowser,
  type Look,
  openShared,
  withoutBrowser,
} from '../http/page/browser.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { until } from '../until.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { type RunningService, startService } from './service.ts';
import { joined, RATE, silence, writeWav } from './speech-files.ts';

const film = 'media/video/car-detection.mp4';
const recordings = 'media/speech/librispeech/test-other';
const skip = withoutBrowser || skipWithout('media/faces', yunetWeights, film, recordings);
const within = { skip, timeout: 2 * SLOW_MS };
const signers = sharedPath('media/faces/signers');
const home = newHome();
const cache_dir = join(home.folder, 'analysis');
const cluster_job_name = 'signers';
let service: RunningService;

before(async () => {
  if (skip) return;
  await facesModels(join(home.folder, 'home', 'models'));
  service = await startService(['--no-guardian', '--cache-dir', cache_dir], home);
  await service.modelReady();
  const media = readdirSync(signers).map((name) => join(signers, name));
  const talks = await talksOf(join(home.folder, 'films'));
  const { task_id } = await service.ok<{ task_id: string }>('/analyze', {
    cache_dir,
    visual_media_paths: [...media, sharedPath(film)],
    face_clustering_jobs: [{ cluster_job_name, face_media_paths: media, face_min_samples: 2 }],
    transcription_jobs: talks.map((path) => ({ path })),
    summary_requests: [{ path: sharedPath(film), collection: 'Streets' }],
  });
  assert.equal((await service.follow(task_id)).at(-1)?.error, undefined);
});
after(async () => {
  await closeBrowser();
  await service?.end();
});

/** Two conversations in which one voice is the same; subtitles say when somebody speaks. */
async function talksOf(folder: string): Promise<string[]> {
  mkdirSync(folder);
  const voices = await readVoices('test-other', () => {});
  const pieces = (voice: number, from: number) =>
    [0, 1].map((at) => voices![voice]!.pieces[from + at]!.subarray(0, 7 * RATE));
  const said = [
    ['interview', pieces(0, 0), pieces(2, 0)],
    ['panel', pieces(0, 4), pieces(3, 0)],
  ] as const;
  const clock = (seconds: number) => `00:00:${seconds.toFixed(3).padStart(6, '0')}`;
  return said.map(([name, [one, again], [other, last]]) => {
    const path = join(folder, `${name}.wav`);
    const turns = [one!, other!, again!, last!];
    writeWav(path, joined(...turns.flatMap((turn) => [turn, silence(0.75)])));
    const cues = turns.map((_, at) => `${clock(at * 7.75 + 0.2)} --> ${clock(at * 7.75 + 6.8)}\nLine ${at}`);
    writeFileSync(join(folder, `${name}.en.vtt`), `WEBVTT\n\n${cues.join('\n\n')}\n`);
    return path;
  });
}

/** Signed in by a ticket, at a view. */
async function opened(t: TestContext, route: string, look?: Look): Promise<Page> {
  const { page, problems } = await openShared(look);
  page.setDefaultTimeout(SLOW_MS);
  t.after(() => assert.deepEqual(problems, []));
  const { ticket } = await service.ok<{ ticket: string }>('/tickets', {});
  await page.goto(`${service.address}/#${page.url() === 'about:blank' ? ticket : '/search'}`);
  await page.getByRole('searchbox').waitFor();
  await page.goto(`${service.address}/${route}`);
  return page;
}

async function job() {
  const { jobs } = await service.ok<FaceClusterJobs>(
    `/faces/clusters?cache_dir=${encodeURIComponent(cache_dir)}`,
  );
  return jobs[0]!;
}

/** As many cards as the service has clusters, and so many. */
async function cards(page: Page, count: number): Promise<void> {
  await until(async () => (await page.locator('.person-card').count()) === count, { within: SLOW_MS });
  assert.equal((await job()).num_clusters, count);
}

test('a face is named in place, and the name is taken back', within, async (t) => {
  const page = await opened(t, '#/people');
  const name = page.locator('.person-card .name').first();
  await name.fill('Anna');
  await page.keyboard.press('Enter');
  await page.getByText('Named Anna').waitFor();
  assert.deepEqual(Object.values((await job()).names), ['Anna']);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await until(async () => Object.keys((await job()).names).length === 0, { within: SLOW_MS });
  await until(async () => (await name.inputValue()) === '', { within: SLOW_MS });
  await assertAccessible(page, 'cards, dark');
});

test('a name is stored or told of, whatever is grouped while somebody writes it', within, async (t) => {
  const page = await opened(t, '#/people');
  const cluster_ids = [...(await job()).cluster_ids];
  const name = page.locator('.person-card .name');
  await name.nth(1).waitFor();
  // The groups are in another order when their answer comes, which is while somebody writes.
  const { promise: isWritten, resolve: goOn } = Promise.withResolvers<void>();
  const asked = page.waitForRequest('**/faces/clusters/samples');
  await page.route('**/faces/clusters/samples', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { clusters: unknown[] };
    await isWritten;
    await route.fulfill({ response, json: { ...answer, clusters: answer.clusters.reverse() } });
  });
  await page.getByRole('button', { name: 'Group again' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await asked;
  await name.first().pressSequentially('An');
  const answered = page.waitForResponse('**/faces/clusters/samples');
  goOn();
  await answered;
  await page.getByText('The faces are grouped again').waitFor();
  await page.keyboard.type('na');
  await page.keyboard.press('Enter');
  await page.getByText('Named Anna').waitFor();
  assert.deepEqual(Object.values((await job()).names), ['Anna']);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Back in a moment, before the field is left.
  await name.nth(1).pressSequentially('Berta');
  await page.goto(`${service.address}/#/search`);
  await until(async () => Object.values((await job()).names).includes('Berta'), { within: SLOW_MS });
  await page.goBack();
  // Another client merges the group that is being named.
  await name.last().pressSequentially('Clara');
  const sample = { cache_dir, cluster_job_name, max_clusters: 100, limit_per_cluster: 1 };
  const { clusters } = await service.ok<{ clusters: { cluster_id: string }[] }>(
    '/faces/clusters/samples',
    sample,
  );
  const [target_cluster_id, gone] = [clusters[0]!.cluster_id, clusters.at(-1)!.cluster_id];
  const merges = [{ cluster_ids: [target_cluster_id, gone], target_cluster_id }];
  await service.ok('/faces/clusters/modify', { cache_dir, cluster_job_name, merges });
  await page.keyboard.press('Enter');
  await page
    .getByRole('status')
    .getByText(/^“\w*Clara” was not stored: /)
    .waitFor();
  await assertAccessible(page, 'a name that was not stored');
  await service.ok('/faces/clusters/undo', { cache_dir, cluster_job_name });
  const assignments = cluster_ids.map((cluster_id) => ({ cluster_id, name: '' }));
  await service.ok('/faces/clusters/names', { cache_dir, cluster_job_name, assignments }, 'PUT');
});

test('two people are merged by keyboard and by dragging, and undone', within, async (t) => {
  const page = await opened(t, '#/people', { colorScheme: 'light' });
  await page.locator('.person-card').first().waitFor();
  const { num_clusters: count } = await job();
  for (const at of [0, 1]) {
    await page.locator('.person-card input[type=checkbox]').nth(at).focus();
    await page.keyboard.press('Space');
  }
  await assertAccessible(page, 'two chosen, light');
  await page.getByRole('button', { name: 'Merge' }).focus();
  await page.keyboard.press('Enter');
  await cards(page, count - 1);
  await page.getByRole('button', { name: 'Undo', exact: true }).last().focus();
  await page.keyboard.press('Enter');
  await cards(page, count);
  const card = (at: number) => page.locator('.person-card').nth(at).locator('p');
  await card(2).dragTo(card(0));
  await cards(page, count - 1);
  await page.getByRole('button', { name: 'Undo the last correction' }).click();
  await cards(page, count);
});

test('a face is moved, where somebody is seen plays, and a person is searched for', within, async (t) => {
  const page = await opened(t, '#/people');
  await page.locator('.person-card .open').first().click();
  await page.locator('.face').first().waitFor();
  const faces = await page.locator('.face').count();
  const { num_clusters } = await job();
  // To somebody new, then to somebody who is there.
  for (const [chosen, clusters] of [[0, num_clusters + 1] as const, [1, num_clusters] as const]) {
    await page.locator('.face').last().focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Move to').selectOption({ index: chosen });
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await until(async () => (await page.locator('.face').count()) === faces - 1, { within: SLOW_MS });
    assert.equal((await job()).num_clusters, clusters);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await until(async () => (await page.locator('.face').count()) === faces, { within: SLOW_MS });
    assert.equal((await job()).num_clusters, num_clusters);
  }
  await assertAccessible(page, 'a person');
  await page.locator('.view-people .name').fill('Berta');
  await page.keyboard.press('Enter');
  await page.getByText('Named Berta').waitFor();
  await page.locator('.seen-in button').first().click();
  await page.waitForURL(/#\/player\/[\w-]+@\d/);
  await page.goBack();
  await page.getByRole('button', { name: 'Search with this person' }).click();
  await page.locator('.tile').first().waitFor();
});

test(
  'faces in no group are seen, put into a named group, and opened where they were found',
  within,
  async (t) => {
    const page = await opened(t, '#/people');
    await page.getByRole('button', { name: 'Group again' }).click();
    await page.getByLabel('Fewest faces').fill('1000');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('A group needs 1,000 similar faces').waitFor();
    const { total_entries: n } = await job();
    await page.getByRole('link', { name: `${n} faces in no group` }).click();
    await page.getByRole('heading', { name: `${n} faces in no group` }).waitFor();
    const face = page.locator('.face');
    assert.equal(await face.count(), n);
    await assertAccessible(page, 'faces in no group');
    for (const at of [0, 1]) await face.nth(at).click();
    await page.getByRole('textbox', { name: 'Name of the new person' }).fill('Dora');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await until(async () => (await face.count()) === n - 2, { within: SLOW_MS });
    const made = await job();
    assert.deepEqual([made.num_clusters, Object.values(made.names)], [1, ['Dora']]);
    await face.first().click();
    await page.getByRole('button', { name: 'Open where it was found' }).click();
    await page.waitForURL(/#\/player\/[\w-]+@\d/);
  },
);

test('pairs that may be one person are asked about, and an answer holds', within, async (t) => {
  const page = await opened(t, '#/people/alike');
  await page.getByRole('button', { name: 'Group again' }).click();
  await page.getByLabel('Distance:').fill('0');
  await page.getByLabel('Fewest faces').fill('1');
  await page.getByRole('button', { name: 'Start' }).click();
  const pairs = page.locator('.pair');
  await pairs.first().waitFor();
  await assertAccessible(page, 'pairs');
  const { num_clusters } = await job();
  // The page hears of the first answer late: nobody can give the second one before, for whoever it names may
  // be gone.
  const { promise: released, resolve: reply } = Promise.withResolvers<void>();
  await page.route('**/faces/clusters/modify', async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  await pairs
    .first()
    .getByRole('button', { name: /^Same:/ })
    .dblclick();
  await until(async () => (await job()).num_clusters === num_clusters - 1, { within: SLOW_MS });
  const other = pairs.nth(1).getByRole('button', { name: /^Not the same:/ });
  assert.equal(await other.isDisabled(), true);
  reply();
  await other.click();
  await page.getByText('Marked as different people').waitFor();
  assert.equal((await job()).can_undo, true);
});

test('a voice is named once, and is one with that of another file', within, async (t) => {
  const page = await opened(t, '#/people/voices');
  const voice = page.locator('.speaking', { hasText: 'interview.wav' }).locator('li').first();
  await voice.locator('.name').fill('Clara');
  await page.keyboard.press('Enter');
  await page.getByText('Named Clara').waitFor();
  await voice.getByRole('button', { name: /Same voice elsewhere/ }).click();
  const question = page.locator('.elsewhere li').first();
  await question.waitFor();
  await assertAccessible(page, 'voices');
  await question.getByRole('button', { name: /^Same voice:/ }).click();
  await page.getByText('Marked as the same voice').waitFor();
  const names = page.getByRole('region', { name: 'panel.wav' }).locator('.name');
  const inPanel = () =>
    names.evaluateAll((all: unknown[]) => all.map((one) => (one as { value: string }).value));
  await until(async () => (await inPanel()).includes('Clara'), { within: SLOW_MS });
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await until(async () => !(await inPanel()).includes('Clara'), { within: SLOW_MS });
  await question.getByRole('button', { name: /^Not the same:/ }).click();
  await page.getByText('Marked as different voices').waitFor();
  await page.getByRole('button', { name: 'Undo the last answer' }).click();
  await question.getByRole('button', { name: /^Same voice:/ }).waitFor();
});

test(
  'words of a summary are found, its tree is walked by keys, and a part of it is searched',
  within,
  async (t) => {
    const page = await opened(t, '#/summaries', { colorScheme: 'light' });
    await page.getByRole('searchbox', { name: 'Find in summaries' }).fill('recognised');
    await page.locator('mark').first().waitFor();
    await assertAccessible(page, 'matches, light');
    await page.getByRole('searchbox', { name: 'Find in summaries' }).fill('');
    await page.locator('.rows button').first().click();
    const parts = page.getByRole('treeitem');
    await parts.nth(1).waitFor();
    await assertAccessible(page, 'a summary, light');
    await parts.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Show the evidence' }).click();
    await page.getByRole('heading', { name: 'Evidence' }).waitFor();
    const [, from, to] = /([\d:]+) to ([\d:]+)/.exec((await page.locator('.node h2').textContent()) ?? '')!;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    assert.match((await download).suggestedFilename(), /\.md$/);
    await parts.nth(2).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/search/);
    assert.equal(await page.getByLabel('From, in car-detection.mp4').inputValue(), from);
    assert.equal(await page.getByLabel('To, in car-detection.mp4').inputValue(), to);
  },
);

test('a summary is made of a file and deleted after a question', within, async (t) => {
  const page = await opened(t, '#/summaries');
  await page.getByRole('button', { name: 'Summarise a file' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Once more');
  await page
    .getByRole('combobox', { name: 'File', exact: true })
    .selectOption({ label: 'car-detection.mp4' });
  await assertAccessible(page, 'the dialog');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('button', { name: /Once more/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Summary deleted').waitFor();
  await page.getByRole('button', { name: /General/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: /Once more/ }).count(), 0);
});

// The web page as a whole, in a browser: signing in to it, a film of many hours, and what it does while the
// service or the license server is away.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { noKey, refusal } from '../../http/license/decision.ts';
import { assertAccessible, openBrowser, withoutBrowser } from '../http/page/browser.ts';
import { untilRelease } from '../shared.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { LINES, lengthened, longestTask, SECONDS } from './long-film.ts';
import { samplePage, searchFor } from './sample-page.ts';
import { startService } from './service.ts';

const sample = samplePage();
const { home, settings, signedIn } = sample;

test('a ticket signs in once; its address goes, and a used one says what to do', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await openBrowser(t);
  const { ticket } = await sample.service.ok<{ ticket: string }>('/tickets', {});
  await page.goto(`${sample.service.address}/#${ticket}`);
  await page.getByRole('searchbox').waitFor();
  assert.doesNotMatch(page.url(), new RegExp(ticket));
  await page.reload();
  await page.getByRole('searchbox').waitFor();
  const other = await openBrowser(t);
  await other.page.goto(`${sample.service.address}/#${ticket}`);
  await other.page.getByRole('alert').getByText('already been used').waitFor();
  assert.deepEqual(problems, []);
});

test('the tabs of a browser are signed in by one ticket of the owner, and out together', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, context, problems } = await openBrowser(t);
  const { out } = await home.run('open', '--print');
  await page.goto(out.trim());
  await page.getByRole('searchbox').waitFor();
  const plain = new URL(out.trim()).origin;
  const second = await context.newPage();
  await second.goto(plain);
  await second.getByRole('searchbox').waitFor();
  await second.goto(`${plain}/#/settings`);
  await second.getByText('in every tab of this browser').waitFor();
  await second.getByRole('button', { name: 'Sign out' }).click();
  for (const one of [second, page]) await one.getByLabel('License key').waitFor();
  await page.reload();
  await page.getByLabel('License key').waitFor();
  const again = await home.run('open', '--print');
  await second.goto('about:blank');
  await second.goto(again.out.trim());
  await page.getByRole('searchbox').waitFor();
  assert.deepEqual(problems, []);
});

test('a wrong key is refused, a right one opens the view that was asked for', {
  skip: withoutBrowser,
}, async (t) => {
  const { page } = await openBrowser(t);
  await page.goto(`${sample.service.address}/#/settings`);
  await page.getByLabel('License key').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('does not accept').waitFor();
  await assertAccessible(page, 'a wrong key');
  await page.getByLabel('License key').fill(sample.service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').waitFor();
  assert.match(page.url(), /#\/settings$/);
});

test('a film of many hours opens without holding up the page, and every line can be found', {
  skip: withoutBrowser,
}, async (t) => {
  const { page, problems } = await signedIn(t);
  await lengthened(page);
  const { media } = await sample.service.ok<{ media: { media_path: string; hash_str: string }[] }>(
    '/library/list',
    { cache_dir: join(home.folder, 'analysis') },
  );
  const { hash_str } = media.find(({ media_path }) => media_path.endsWith('beach.mp4'))!;
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel'] });
  await page.evaluate(`location.hash = '#/player/${hash_str}@9'`);
  await page.locator('[data-line="1"][aria-current]').waitFor({ timeout: SLOW_MS });
  await page.locator('.lane.thing canvas').nth(7).waitFor({ timeout: SLOW_MS });
  // Some 45 ms, most of it to read the answers; it was seconds where each span and line was an element.
  const longest = longestTask(await browser.stopTracing());
  t.diagnostic(`longest task: ${longest.toFixed(0)} ms`);
  assert.ok(longest < 250, `${longest} ms`);
  const also = page.getByRole('navigation', { name: 'Also in' });
  assert.match((await also.textContent()) ?? '', /other\.mp4.*mirrored/);
  const dog = page.locator('.lane.thing').nth(2);
  const { x, y, width } = (await dog.boundingBox())!;
  await page.mouse.move(x + (width * 6_004) / SECONDS, y + 3);
  await until(async () => (await dog.getAttribute('title')) === '1:40:00 Dog');
  await until(async () => (await page.locator('[data-line]').count()) === LINES, { within: SLOW_MS });
  assert.deepEqual(problems, []);
});

test('a license server that is out ends no session: it is said, and what was asked for comes when it is back', {
  skip: withoutBrowser || untilRelease,
}, async (t) => {
  // A page of its own, since it loses its session in the end.
  const { page, problems } = await signedIn(t, {});
  await searchFor(page, 'sunset');
  const outage = refusal('The license server cannot be reached (no response within 5 s)');
  assert.ok(!outage.ok);
  const { status, body: json } = outage;
  await page.route('**/api/v1/**', (route) => route.fulfill({ status, json }));
  await page.getByRole('searchbox').fill('green');
  const told = page.locator('.notice', { hasText: 'The license server cannot be reached' });
  await told.waitFor();
  await assertAccessible(page, 'the key is refused');
  const asked = page.waitForRequest('**/api/v1/**');
  await told.getByRole('button', { name: 'Try again' }).click();
  await asked;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('gridcell', { name: /^forest\.jpg, / }).waitFor();
  await told.waitFor({ state: 'detached' });
  await page.route('**/search/moments', (route) =>
    route.fulfill({ status: 403, json: { error: 'Origin not allowed', message: 'Not here' } }),
  );
  await page.getByRole('searchbox').fill('sunset');
  await page.getByText('Not here').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('gridcell', { name: /^sunset\.jpg, / }).waitFor();
  const ended = sessionEnded();
  // The search alone: whatever else the page asks meanwhile would end the session before the words are there.
  await page.route('**/search/moments', (route) => route.fulfill(ended));
  await page.getByRole('searchbox').fill('a green forest');
  await page.getByText('The session has ended').waitFor();
  assert.deepEqual(problems, []);
});

function sessionEnded() {
  assert.ok(!noKey.ok);
  return { status: noKey.status, json: noKey.body };
}

test('a page goes on when the service was away, and says so meanwhile', {
  skip: withoutBrowser,
}, async (t) => {
  const { page } = await signedIn(t);
  await searchFor(page, 'sunset');
  await sample.service.stop();
  await page.getByRole('searchbox').fill('green');
  await page.getByText('The service is not responding').waitFor();
  // No matches of the question before below this one.
  await page.getByText('The search goes on when the service is back').waitFor();
  assert.equal(await page.locator('.tile').count(), 0);
  await page.getByText('Start it again').click();
  await page.getByText(/^npx framehound serve --port \d+$/).waitFor();
  await assertAccessible(page, 'the service is away');
  await page.getByRole('link', { name: 'Summaries' }).click();
  await page.getByText('This view is shown when the service is back').waitFor();
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  const loading = Promise.withResolvers<void>();
  await page.route('**/analysis-data/load', async (route) => {
    await loading.promise;
    await route.continue();
  });
  // With another folder of its own, so that nobody but the page loads this one.
  sample.service = await startService([...settings, '--cache-dir', join(home.folder, 'elsewhere')], home);
  await page.getByText('The service is not responding').waitFor({ state: 'detached', timeout: SLOW_MS });
  // However long the folder takes to load: a search before that would be refused.
  await assertAccessible(page, 'the folder is loaded again');
  loading.resolve();
  await page.getByRole('gridcell', { name: /^forest\.jpg, / }).waitFor({ timeout: SLOW_MS });
});

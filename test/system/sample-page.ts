// The web page on a service with a few samples, for a file of tests: started before its tests, ended after
// them.
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { copySamples } from '../../actors/samples/samples.ts';
import {
  closeBrowser,
  type Opened,
  type Options,
  openBrowser,
  openShared,
  withoutBrowser,
} from '../http/page/browser.ts';
import { until } from '../until.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { freePort } from './guarded-service.ts';
import { type RunningService, startService } from './service.ts';

const files = ['the-red-car.mp4', 'beach.mp4', 'sunset.jpg', 'forest.jpg'];

/** `isNeeded`: false where the tests of the file are skipped. */
export function samplePage(isNeeded = !withoutBrowser) {
  const home = newHome();
  const cache_dir = join(home.folder, 'analysis');
  const samples = join(home.folder, 'samples');
  const settings = ['--no-guardian'];
  /** Signed in by a ticket, as `framehound open` does it; on a page of its own where there are options. */
  const signedIn = async (t: TestContext, options?: Options, folder = cache_dir): Promise<Opened> => {
    const opened = await (options ? openBrowser(t, options) : openShared());
    const { page } = opened;
    const ticket = async () => {
      const answer = await shown.service.ok<{ ticket: string }>('/tickets', { cache_dir: folder });
      return answer.ticket;
    };
    const place = page.url() === 'about:blank' ? await ticket() : '/search';
    await page.goto(`${shown.service.address}/#${place}`);
    await page.getByRole('searchbox').waitFor();
    return opened;
  };
  /** A test that starts another service puts it here. */
  const shown = { home, samples, settings, signedIn, service: null as unknown as RunningService };
  before(async () => {
    if (!isNeeded) return;
    await copySamples(samples, files);
    // A port that the system chose cannot be taken again at once.
    settings.push('--port', String(await freePort()));
    shown.service = await startService([...settings, '--cache-dir', cache_dir], home);
    await shown.service.modelReady();
    const { task_id } = await shown.service.ok<{ task_id: string }>('/analyze', {
      cache_dir,
      visual_media_paths: files.map((name) => join(samples, name)),
    });
    await shown.service.follow(task_id);
  });
  after(async () => {
    await closeBrowser();
    await shown.service?.end();
  });
  return shown;
}

/** Opens what is folded: the library is small, so that little stands out of it. */
export async function searchFor(page: Page, words: string): Promise<void> {
  const answered = page.waitForResponse((answer) => {
    const { query } = (answer.request().postDataJSON() ?? {}) as { query?: string };
    return answer.url().endsWith('/search/moments') && query === words;
  });
  await page.getByRole('searchbox').fill(words);
  await (await answered).finished();
  // The tiles of the answer before may still be there until the page has drawn this one.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const tile = page.locator('.tile img').first();
  await weakerOf(page).or(tile).first().waitFor({ timeout: SLOW_MS });
  // What is opened while the page still draws the answer may be folded again.
  await until(
    async () => {
      const folded = page.getByRole('button', { name: weaker, expanded: false });
      if (await folded.isVisible()) await folded.click();
      return tile.isVisible();
    },
    { within: SLOW_MS },
  );
}

const weaker = /^\d+ weaker match/;

/** The line that folds weaker matches. */
export function weakerOf(page: Page) {
  return page.getByRole('button', { name: weaker });
}

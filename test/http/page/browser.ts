// The web page in a browser, for tests: the Chromium of the system, driven over its protocol. Tests are
// skipped where there is none.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Names of the program, as systems install it. */
const names = [
  // Draws the page alone, not the window of a browser around it: a fifth less work.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome.exe',
];
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/snap/bin/chromium',
];

/** The one that `FRAMEHOUND_CHROMIUM` names, else one in the usual places; null where there is none. */
export function findChromium(): string | null {
  const named = process.env['FRAMEHOUND_CHROMIUM'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const all = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...places];
  return all.find((path) => existsSync(path)) ?? null;
}

/** The `skip` option of a test that needs a browser. */
export const withoutBrowser =
  findChromium() === null ? 'needs Chromium, which is not here; FRAMEHOUND_CHROMIUM names one' : false;

export type Options = NonNullable<Parameters<Awaited<ReturnType<typeof chromium.launch>>['newContext']>[0]>;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page: errors of its code, and what its policy refused. */
  readonly problems: readonly string[];
}

export interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'dark' | 'light';
}

const usual = { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } as const;

let browser: Promise<Browser> | null = null;
let shared: Promise<Opened> | null = null;

/** For `after` of a file that opens pages. */
export async function closeBrowser(): Promise<void> {
  const [opened, last] = [browser, shared];
  browser = null;
  shared = null;
  if (last) await (await last).page.unrouteAll({ behavior: 'ignoreErrors' });
  await (await opened)?.close();
}

/**
 * A page with cookies and storage of its own, closed at the end of the test; the browser is one for a file.
 */
export async function openBrowser(t: TestContext, options: Options = {}): Promise<Opened> {
  const opened = await openPage(options);
  t.after(async () => {
    // A handler that waits for an answer when the page is closed would fail the whole process.
    if (!opened.page.isClosed()) await opened.page.unrouteAll({ behavior: 'ignoreErrors' });
    await opened.context.close();
  });
  return opened;
}

/**
 * One page for all tests of a file that need none of their own: to load the page takes longer than most of
 * them. Nothing is answered in place of the service any more, no message of an earlier test is left, and it
 * looks as is asked for.
 */
export async function openShared(look: Look = usual): Promise<Opened> {
  shared ??= openPage({});
  const opened = await shared;
  const { viewport, colorScheme } = { ...usual, ...look };
  await opened.page.unrouteAll({ behavior: 'ignoreErrors' });
  await opened.page.setViewportSize(viewport);
  await opened.page.emulateMedia({ colorScheme });
  await opened.page.evaluate("document.querySelectorAll('.toast .icon-only').forEach((one) => one.click())");
  return opened;
}

async function openPage(options: Options): Promise<Opened> {
  browser ??= chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] });
  const context = await (await browser).newContext({ ...usual, locale: 'en', ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) problems.push(message.text());
  });
  return { page, context, problems };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Finds nothing that a person without a mouse or with weak eyes stumbles over. */
export async function assertAccessible(page: Page, state: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  // What passes is not listed: that would take longer than to look for it.
  const run = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const violations: Violation[] = await page.evaluate(run);
  const texts = violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
  assert.deepEqual(texts, [], state);
}

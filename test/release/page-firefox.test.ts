// The page in Firefox: searched, led through by keys, and played. Firefox is driven over WebDriver BiDi by
// itself, because Playwright drives no Firefox ESR. Skipped where none is installed.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { freePort } from '../system/guarded-service.ts';
import { samplePage } from '../system/sample-page.ts';
import { until } from '../until.ts';

const program = ['firefox-esr', 'firefox']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));
const skip = program === undefined && 'needs Firefox, which is not here';
const sample = samplePage(!skip);

/** What went wrong in the page. */
const problems: string[] = [];
let firefox: ChildProcess | null = null;
after(() => firefox?.kill());

interface Answer {
  readonly id?: number;
  readonly type: string;
  readonly method?: string;
  readonly message?: string;
  readonly params?: { readonly level?: string; readonly text?: string; readonly type?: string };
  readonly result?: Record<string, unknown>;
}

class Firefox {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #context = '';
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id = 0, type, message, params, result } = JSON.parse(String(data)) as Answer;
      if (type === 'event' && params?.level === 'error') problems.push(params.text ?? '');
      if (type === 'success') this.#waiting.get(id)?.resolve(result!);
      if (type === 'error') this.#waiting.get(id)?.reject(new Error(message));
    });
  }

  static async start(t: TestContext): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
    const port = await freePort();
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', String(port)];
    const child = spawn(program!, args, { stdio: 'ignore' });
    firefox = child;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    t.after(async () => {
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true });
    });
    const socket = await until(() => opened(`ws://127.0.0.1:${port}/session`));
    const one = new Firefox(socket);
    await one.send('session.new', { capabilities: {} });
    await one.send('session.subscribe', { events: ['log.entryAdded'] });
    const { context } = await one.send('browsingContext.create', { type: 'tab' });
    one.#context = String(context);
    return one;
  }

  send(method: string, params: object): Promise<Record<string, unknown>> {
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(++this.#last, waiting);
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }));
    return waiting.promise;
  }

  async open(url: string): Promise<void> {
    await this.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The value of an expression in the page, or what its promise resolves with. */
  async value(expression: string): Promise<unknown> {
    const target = { context: this.#context };
    const text = `(async () => JSON.stringify(await (${expression})))()`;
    const asked = { expression: text, target, awaitPromise: true };
    const { result, exceptionDetails } = (await this.send('script.evaluate', asked)) as {
      result?: { value?: string };
      exceptionDetails?: { text: string };
    };
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value === undefined ? undefined : JSON.parse(result.value);
  }

  async reload(): Promise<void> {
    await this.send('browsingContext.reload', { context: this.#context, wait: 'complete' });
  }

  /** By its text or its label. */
  async click(name: string): Promise<void> {
    const all = `[...document.querySelectorAll('a, button')]`;
    const named = `(one) => one.textContent.includes(${JSON.stringify(name)}) || one.ariaLabel === ${JSON.stringify(name)}`;
    await this.is(`${all}.some(${named})`);
    await this.value(`${all}.find(${named}).click()`);
  }

  /** Resolves when the expression is true. */
  async is(expression: string): Promise<void> {
    await until(() => this.value(`Boolean(${expression})`));
  }

  async press(...keys: readonly string[]): Promise<void> {
    const pressed = keys.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    const actions = [{ type: 'key', id: 'keyboard', actions: pressed }];
    await this.send('input.performActions', { context: this.#context, actions });
  }
}

async function opened(url: string): Promise<WebSocket | null> {
  const socket = new WebSocket(url);
  return new Promise((resolve) => {
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('error', () => resolve(null));
  });
}

const [down, right, enter] = ['\uE015', '\uE014', '\uE007'];
const box = `document.querySelector('[role=searchbox], input[type=search]')`;

async function searchFor(page: Firefox, words: string): Promise<void> {
  await page.is(box);
  await page.value(`${box}.focus() ?? ${box}.select()`);
  await page.press(...words);
  await page.is(`location.hash.includes(${JSON.stringify(new URLSearchParams({ q: words }).toString())})`);
  // The library is small, so that little stands out of it.
  const weaker = `[...document.querySelectorAll('button')].find((one) => /weaker/.test(one.textContent))`;
  await page.is(`${weaker} || document.querySelector('.tile img')?.naturalWidth`);
  await page.value(`${weaker}?.ariaExpanded === 'false' && ${weaker}.click()`);
  await page.is(`document.querySelector('.tile img')?.naturalWidth`);
}

/** What is exported, as the page hands it to the browser to be kept. */
const exported = `(() => {
  const made = Promise.withResolvers();
  const { createObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    blob.text().then(made.resolve);
    return createObjectURL.call(URL, blob);
  };
  [...document.querySelectorAll('button')].find((one) => one.textContent === 'Download').click();
  return made.promise;
})()`;

test('a search, its keys, the player, the basket and an export work in Firefox', { skip }, async (t) => {
  const page = await Firefox.start(t);
  const { ticket } = await sample.service.ok<{ ticket: string }>('/tickets', {});
  await page.open(`${sample.service.address}/#${ticket}`);
  await searchFor(page, 'a red car');
  await page.is(`document.querySelector('[role=gridcell][aria-label^="the-red-car.mp4"] img')?.naturalWidth`);
  await page.value(`document.querySelector('.view-search .grid').focus()`);
  await page.press(down);
  await page.is(`document.querySelector('.tile.selected')`);
  await page.press('b');
  await page.is(`/1 moment in the basket/.test(document.querySelector('nav').outerHTML)`);
  await page.press(enter);
  await page.is(`/#\\/player\\//.test(location.href)`);
  // A Firefox without FFmpeg's libraries plays no H.264; the page shows previews then.
  const refused = '/cannot play this file/.test(document.body.innerText)';
  await page.is(`document.querySelector('video')?.readyState >= 2 || ${refused}`);
  if (await page.value(refused)) t.diagnostic('this Firefox plays no H.264');
  else {
    await page.value(`document.querySelector('video').play().then(() => true)`);
    await page.is(`document.querySelector('video').currentTime > 0.2`);
    await page.value(`document.querySelector('video').pause()`);
  }
  await page.press('i', ...Array.from({ length: 3 }, () => right!), 'o', 'b');
  await page.is(`/2 moments in the basket/.test(document.querySelector('nav').outerHTML)`);
  await page.value('history.back()');
  await page.is(`document.querySelector('.tile img')?.naturalWidth`);

  await page.value(`document.querySelectorAll('.tile')[0].click()`);
  const choose = `new MouseEvent('click', { bubbles: true, ctrlKey: true })`;
  await page.value(`document.querySelectorAll('.tile')[1].dispatchEvent(${choose})`);
  await page.is(`document.querySelector('.chosen-bar strong')?.textContent === '2 selected'`);
  await page.click('Add to basket');
  // The first of them is there already.
  await page.is(`/3 moments in the basket/.test(document.querySelector('nav').outerHTML)`);
  await page.click('Basket');
  await page.is(`document.querySelectorAll('.items .name').length === 3`);
  const format = `document.querySelector('.export select')`;
  await page.value(`${format}.value = 'fcpxml'`);
  await page.value(`${format}.dispatchEvent(new Event('change', { bubbles: true }))`);
  const xml = String(await page.value(exported));
  assert.match(xml, /<fcpxml version=/);
  assert.equal(xml.match(/ srcEnable="video"/g)?.length, 3);
  assert.deepEqual(problems, []);
});

test('Back, Forward and a reload lead to the searches that there were, in Firefox', { skip }, async (t) => {
  const page = await Firefox.start(t);
  const { ticket } = await sample.service.ok<{ ticket: string }>('/tickets', {});
  await page.open(`${sample.service.address}/#${ticket}`);
  const shows = (words: string) =>
    page.is(
      `${box}?.value === ${JSON.stringify(words)} && document.querySelector('.tile img')?.naturalWidth`,
    );
  await searchFor(page, 'a red car');
  await page.press(enter);
  await searchFor(page, 'sunset');
  await page.value('history.back()');
  await shows('a red car');
  await page.value('history.forward()');
  await shows('sunset');
  const address = await page.value('location.hash');
  await page.reload();
  await shows('sunset');
  assert.equal(await page.value('location.hash'), address);
  await page.press('?');
  await page.is(`document.querySelector('[role=dialog], dialog[open]')`);
  assert.deepEqual(problems, []);
});

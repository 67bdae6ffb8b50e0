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

  /** The value of an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const target = { context: this.#context };
    const asked = { expression: `JSON.stringify(${expression})`, target, awaitPromise: true };
    const { result, exceptionDetails } = (await this.send('script.evaluate', asked)) as {
      result?: { value?: string };
      exceptionDetails?: { text: string };
    };
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value === undefined ? undefined : JSON.parse(result.value);
  }

  /** Resolves when the expression is true. */
  async is(expression: string): Promise<void> {
    await until(() => this.value(`Boolean(${expression})`));
  }

  async type(...keys: readonly string[]): Promise<void> {
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

const [down, enter] = ['\uE015', '\uE007'];

test('a search, its keys, the basket and the player work in Firefox', { skip }, async (t) => {
  const page = await Firefox.start(t);
  const { ticket } = await sample.service.ok<{ ticket: string }>('/tickets', {});
  await page.open(`${sample.service.address}/#${ticket}`);
  await page.is(`document.querySelector('[role=searchbox], input[type=search]')`);
  await page.value(`document.querySelector('[role=searchbox], input[type=search]').focus()`);
  await page.type(...'a red car at night');
  // The library is small, so that little stands out of it.
  const weaker = `[...document.querySelectorAll('button')].find((one) => /weaker/.test(one.textContent))`;
  await page.is(weaker);
  await page.value(`${weaker}.focus()`);
  await page.type(enter);
  await page.is(`document.querySelector('[role=gridcell][aria-label^="the-red-car.mp4"] img')?.naturalWidth`);
  await page.type(down);
  await page.is(`document.querySelector('.tile.selected')`);
  await page.type('b');
  await page.is(`/1 moment in the basket/.test(document.querySelector('nav').outerHTML)`);
  await page.type(enter);
  await page.is(`/#\\/player\\//.test(location.href)`);
  // A Firefox without FFmpeg's libraries plays no H.264; the page shows previews then.
  const refused = '/cannot play this file/.test(document.body.innerText)';
  await page.is(`document.querySelector('video')?.readyState >= 2 || ${refused}`);
  if (await page.value(refused)) t.diagnostic('this Firefox plays no H.264');
  else {
    await page.value(`document.querySelector('video').play().then(() => true)`);
    await page.is(`document.querySelector('video').currentTime > 0.2`);
  }
  await page.value('history.back()');
  await page.is(`document.querySelector('.tile img')?.naturalWidth`);
  await page.type('?');
  await page.is(`document.querySelector('[role=dialog], dialog[open]')`);
  assert.deepEqual(problems, []);
});

// The commands with a running service behind them: they print what they print with an engine of their own.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Check } from 'typebox/value';
import { copySamples } from '../../actors/samples/samples.ts';
import { SearchAnswer } from '../../actors/search/contract.ts';
import { untilRelease } from '../shared.ts';
import { type Ended, type Home, newHome, type Running } from './command-line.ts';

/** The address of a service, read off its log. */
function addressOf(service: Running): Promise<string> {
  let log = '';
  return new Promise((resolve, reject) => {
    service.child.stderr!.on('data', (text) => {
      log += text;
      const [, address] = /"api":"(http:\/\/[^"]+)\/api\/v1"/.exec(log) ?? [];
      if (address !== undefined) resolve(address);
    });
    service.child.on('close', () => reject(new Error(`the service ended:\n${log}`)));
  });
}

/** What differs from run to run: the order of files, times and speeds. */
function steady(text: string): string[] {
  const numbers = /in \d+ s(, \d+ frames, )?([\d.]+× real time)?/g;
  return text
    .split('\n')
    .filter((line) => !/^ *\d+% · /.test(line))
    .map((line) => line.replace(numbers, 'in time$1'))
    .sort();
}

interface World {
  readonly samples: string;
  /** The address of the service. */
  readonly url: string;
  readonly key: string;
  /** Of the service and of those who use it. */
  readonly home: Home;
  /** Of commands with an engine of their own. */
  readonly own: Home;
  /** Runs a command that is done by the service. */
  remote(...args: string[]): Promise<Ended>;
}

async function startWorld(t: TestContext): Promise<World> {
  const home = newHome();
  const own = newHome();
  const samples = join(home.folder, 'samples');
  await copySamples(samples, ['beach.mp4', 'forest.jpg']);
  const key = home.key();
  const service = home.start('serve', '--port', '0', '--no-guardian', '--log-format', 'json');
  t.after(async () => {
    service.child.kill('SIGKILL');
    // It writes to its home until it has ended.
    await service.ended;
    home.remove();
    own.remove();
  });
  const url = await addressOf(service);
  const remote = (...args: string[]) => home.run(...args, '--server', url, '--key', key);
  return { samples, url, key, home, own, remote };
}

test('analyze, search, thumbnails and tasks of a service print what those of an own engine print', async (t) => {
  const world = await startWorld(t);
  await t.test('analyze', () => analyze(world));
  await t.test('search by words and by a frame', () => search(world));
  await t.test('thumbnails', () => thumbnails(world));
  await t.test('tasks', () => tasks(world));
  await t.test('a missing key, a wrong key and no service are said, and nothing is done', () =>
    refusals(world),
  );
  await t.test('ctrl-C stops the task of the service and waits for its end', () => stop(world));
});

async function analyze({ remote, own, samples }: World): Promise<void> {
  const [there, here] = [await remote('analyze', samples), await own.run('analyze', samples)];
  assert.equal(there.code, 0, there.err);
  assert.deepEqual(steady(there.err), steady(here.err));
  const again = await remote('analyze', samples);
  assert.match(again.err, /Done: \d+ already analysed/);
}

async function search({ remote, own, samples }: World): Promise<void> {
  const question = ['--frame', `${samples}/beach.mp4@2`, '--exclude', 'x', 'sea'];
  const args = ['search', ...question, '--json', '--max', '3'];
  const [there, here] = [await remote(...args), await own.run(...args)];
  assert.equal(there.code, 0, there.err);
  assert.deepEqual(JSON.parse(there.out), JSON.parse(here.out));

  const words = await remote('search', 'a green forest', '--json', '--previews', '--max', '3');
  const answer: unknown = JSON.parse(words.out);
  assert.ok(Check(SearchAnswer, answer), words.out);
  assert.equal(basename(answer.matches[0]!.video_path), 'forest.jpg');
  assert.equal(Buffer.from(answer.matches[0]!.image!, 'base64').readUInt16BE(0), 0xffd8);

  const film = join(samples, 'beach.mp4');
  const moment = await remote('search', '--frame', `${film}@2`, '--media', film, '--json', '--max', '2');
  const [best] = (JSON.parse(moment.out) as SearchAnswer).matches;
  assert.deepEqual([best?.video_path, best?.timestamp, best?.image], [film, '00:00:02', undefined]);

  const picture = await remote('search', '--image', join(samples, 'forest.jpg'), '--media', film, '--json');
  const paths = (JSON.parse(picture.out) as SearchAnswer).matches.map(({ video_path }) => video_path);
  assert.deepEqual(new Set(paths), new Set([film]));
}

async function thumbnails({ remote, home, own, samples }: World): Promise<void> {
  const args = ['thumbnails', join(samples, 'beach.mp4'), '--at', '2', '--at', '99'];
  const out = join(home.folder, 'out');
  const there = await remote(...args, '--out', out);
  assert.equal(there.code, 3);
  assert.match(there.err, /there is no picture at 99/);
  assert.deepEqual(readdirSync(out), ['beach.mp4-2.jpg']);
  // An engine of its own takes seconds to start.
  if (untilRelease) return;
  const ownOut = join(own.folder, 'out');
  await own.run(...args, '--out', ownOut);
  const [one, other] = [out, ownOut].map((folder) => readFileSync(join(folder, 'beach.mp4-2.jpg')));
  assert.deepEqual(one, other);
}

async function listed({ remote }: World): Promise<{ task_id: string; state: string }[]> {
  const { out } = await remote('tasks', '--json');
  return (JSON.parse(out) as { tasks: { task_id: string; state: string }[] }).tasks;
}

async function tasks(world: World): Promise<void> {
  const all = await listed(world);
  assert.deepEqual(
    all.map(({ state }) => state),
    ['completed', 'completed'],
  );
  const shown = await world.remote('tasks', 'show', all[0]!.task_id);
  assert.match(shown.out, /stored +\/.*beach\.mp4/);
  const cancelled = await world.remote('tasks', 'cancel');
  assert.deepEqual([cancelled.code, cancelled.out], [0, 'No analysis is running\n']);
}

async function refusals({ own, samples, url }: World): Promise<void> {
  const cases: [string[], RegExp][] = [
    [['--server', url], /needs a license key: set FRAMEHOUND_LICENSE_KEY/],
    [['--server', url, '--key', 'wrong'], /refused access: Pro license required/],
    [
      ['--server', 'http://127.0.0.1:9'],
      /no service is running at http:\/\/127\.0\.0\.1:9 .*framehound serve/,
    ],
  ];
  for (const [flags, said] of cases) {
    const { code, err, out } = await own.run('analyze', samples, ...flags);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, said);
  }
}

async function stop(world: World): Promise<void> {
  const { home, samples, url, key } = world;
  const long = home.start('analyze', samples, '--force', '--server', url, '--key', key);
  await long.said('✓');
  long.child.kill('SIGINT');
  const { code, err } = await long.ended;
  // The task may have ended before the signal arrived.
  if (code !== 0) {
    assert.equal(code, 130, err);
    assert.match(err, /Asked the service to stop/);
    assert.match(err, /Stopped: /);
  }
  const [newest] = await listed(world);
  assert.equal(newest?.state, code === 0 ? 'completed' : 'cancelled');
  assert.ok(existsSync(samples));
}

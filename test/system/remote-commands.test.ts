// The commands with a running service behind them: they print what they print with an engine of their own.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeSamples } from '../../actors/samples/library.ts';
import { newHome, type Running } from './command-line.ts';

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
    .filter((line) => !line.startsWith('█'))
    .map((line) => line.replace(numbers, 'in time$1'))
    .sort();
}

test('analyze, search, thumbnails and tasks of a service print what those of an own engine print', async (t) => {
  const home = newHome();
  const own = newHome();
  t.after(() => {
    home.remove();
    own.remove();
  });
  const samples = join(home.folder, 'samples');
  await makeSamples(samples);
  const key = (await home.run('license', 'issue', '--tier', 'pro')).out.trim();
  const service = home.start('serve', '--port', '0', '--no-guardian', '--log-format', 'json');
  t.after(() => void service.child.kill('SIGKILL'));
  const url = await addressOf(service);
  const remote = (...args: string[]) => home.run(...args, '--server', url, '--key', key);

  await t.test('analyze', async () => {
    const [there, here] = [await remote('analyze', samples), await own.run('analyze', samples)];
    assert.equal(there.code, 0, there.err);
    assert.deepEqual(steady(there.err), steady(here.err));
    const again = await remote('analyze', samples);
    assert.match(again.err, /Done: \d+ already known/);
  });

  await t.test('search by words and by a frame', async () => {
    for (const question of [
      ['red car at night'],
      ['--frame', `${samples}/beach.mp4@2`, '--exclude', 'x', 'sea'],
    ]) {
      const args = ['search', ...question, '--json', '--max', '3'];
      const [there, here] = [await remote(...args), await own.run(...args)];
      assert.equal(there.code, 0, there.err);
      assert.deepEqual(JSON.parse(there.out), JSON.parse(here.out));
    }
  });

  await t.test('thumbnails', async () => {
    const args = ['thumbnails', join(samples, 'beach.mp4'), '--at', '2', '--at', '99'];
    const folders = [join(home.folder, 'out'), join(own.folder, 'out')] as const;
    const there = await remote(...args, '--out', folders[0]);
    await own.run(...args, '--out', folders[1]);
    assert.equal(there.code, 3);
    assert.match(there.err, /there is no picture at 99/);
    assert.deepEqual(readdirSync(folders[0]), ['beach.mp4-2.jpg']);
    const [one, other] = folders.map((folder) => readFileSync(join(folder, 'beach.mp4-2.jpg')));
    assert.deepEqual(one, other);
  });

  await t.test('tasks', async () => {
    const { out } = await remote('tasks', '--json');
    const { tasks } = JSON.parse(out) as { tasks: { task_id: string; state: string }[] };
    assert.deepEqual(
      tasks.map(({ state }) => state),
      ['completed', 'completed'],
    );
    const shown = await remote('tasks', 'show', tasks[0]!.task_id);
    assert.match(shown.out, /stored +\/.*beach\.mp4/);
    const cancelled = await remote('tasks', 'cancel');
    assert.deepEqual([cancelled.code, cancelled.out], [0, 'No analysis is running\n']);
  });

  await t.test('a missing key, a wrong key and no service are said, and nothing is done', async () => {
    const cases: [string[], RegExp][] = [
      [['--server', url], /wants a license key: set FRAMEHOUND_LICENSE_KEY/],
      [['--server', url, '--key', 'wrong'], /refuses: Pro license required/],
      [['--server', 'http://127.0.0.1:9'], /no service at http:\/\/127\.0\.0\.1:9 .*framehound serve/],
    ];
    for (const [flags, said] of cases) {
      const { code, err, out } = await own.run('analyze', samples, ...flags);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, said);
    }
  });

  await t.test('ctrl-C stops the task of the service and waits for its end', async () => {
    const long = home.start('analyze', samples, '--force', '--server', url, '--key', key);
    await long.said('✓');
    long.child.kill('SIGINT');
    const { code, err } = await long.ended;
    // It may have come to its end in the very moment.
    if (code !== 0) {
      assert.equal(code, 130, err);
      assert.match(err, /Asked the service to stop/);
      assert.match(err, /Stopped: /);
    }
    const { tasks } = JSON.parse((await remote('tasks', '--json')).out) as { tasks: { state: string }[] };
    assert.equal(tasks[0]?.state, code === 0 ? 'completed' : 'cancelled');
    assert.ok(existsSync(samples));
  });
});

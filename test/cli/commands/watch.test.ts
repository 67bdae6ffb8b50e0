import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { watchErrors } from '../../../actors/watcher/folders/contract.ts';
import { serviceUrl, watch } from '../../../cli/commands/watch.ts';
import { type Context, usageErrors } from '../../../cli/context.ts';
import { clientErrors } from '../../../http/client/error.ts';
import { fakeHome } from '../fake-context.ts';
import { world } from './watch-world.ts';

test('watch add hands on an absolute path, and says what else it takes to be watched', async (t) => {
  const { run, added } = world(t);
  const { code, out, err } = await run('add', 'footage', '--speech');
  assert.equal(code, 0);
  assert.deepEqual([added()[0]?.folder_path, added()[0]?.cache_dir], [join(process.cwd(), 'footage'), null]);
  assert.match(out, /^1f2c9a01 {2}.*\/footage\n {4}pictures, speech \(auto\)\n/);
  assert.match(err, /framehound serve, then, once: framehound watch start/);
  const json = await run('add', '/other', '--disabled', '--json');
  assert.equal((JSON.parse(json.out) as { enabled: boolean }).enabled, false);
  assert.match(json.err, /The folder is disabled. To enable it: framehound watch edit 2f2c9a01 --enabled/);
});

test('the analysis folder is the one a person names, and else that of the service', async (t) => {
  const settings = { cache_dir: 'named' };
  for (const [source, cache_dir] of [
    ['flag', join(process.cwd(), 'named')],
    ['environment', join(process.cwd(), 'named')],
    ['config.json', null],
    ['default', null],
  ] as const) {
    const { run, added } = world(t, { settings, source });
    await run('add', '/footage');
    assert.equal(added()[0]?.cache_dir, cache_dir, source);
  }
});

test('watch edit changes what is named, of the folder that is named by path or by id', async (t) => {
  const { run, folders } = world(t, { settings: { cache_dir: '/into' }, source: 'environment' });
  await run('add', '/footage', '--exclude-file', '*_proxy.*');
  assert.match((await run('edit', '/footage', '--no-pictures', '--speech')).out, / {4}speech \(auto\)\n/);
  await run('edit', '1f2c', '--include-file', '*_proxy.*', '--default-cache-dir', '--disabled');
  const id = '1f2c9a01b7d3';
  assert.deepEqual(folders.asked.slice(1), [
    // The analysis folder of the environment is that of a new folder, and changes no other.
    ['change', id, { enable_visual_analysis: false, enable_audio_analysis: true }],
    ['change', id, { excluded_filename_globs: [], enabled: false, cache_dir: null }],
  ]);
  const nothing = /watch edit needs an option that says what to change/;
  await assert.rejects(run('edit', '/footage'), nothing);
  await assert.rejects(run('edit', '/fotage', '--speech'), /did you mean \/footage\?/);
  const { run: flagged } = world(t, { settings: { cache_dir: '/into' }, source: 'flag' });
  await assert.rejects(flagged('edit', 'x', '--default-cache-dir'), usageErrors.USAGE.is);
});

test('watch list tells every folder, as lines or as one object', async (t) => {
  const { run } = world(t);
  for (const args of [[], ['list']]) assert.match((await run(...args)).err, /framehound watch add FOLDER/);
  await run('add', '/footage');
  await run('add', '/other');
  const { out, err } = await run();
  assert.match(out, /^1f2c9a01 {2}\/footage\n(.*\n)+2f2c9a01 {2}\/other\n/);
  assert.match(err, /To see whether they are being watched: framehound watch status/);
  const listed = JSON.parse((await run('--json')).out) as { watch_folders: { folder_path: string }[] };
  assert.deepEqual(
    listed.watch_folders.map(({ folder_path }) => folder_path),
    ['/footage', '/other'],
  );
  // An engine of its own does not know how the service stands.
  assert.deepEqual(Object.keys(listed), ['watch_folders']);
});

test('watch remove asks first, and removes nothing where nobody agrees', async (t) => {
  const questions: string[] = [];
  let answer = false;
  const confirm = async (question: string) => {
    questions.push(question);
    return answer;
  };
  const { run, folders } = world(t, { confirm });
  await run('add', '/footage');
  const no = await run('remove', '/footage');
  assert.deepEqual([no.code, folders.folders.size], [130, 1]);
  assert.match(no.err, /\/footage[\s\S]*Nothing was changed/);
  const dry = await run('remove', '/footage', '--dry-run', '--json');
  assert.deepEqual([(JSON.parse(dry.out) as { dry_run: boolean }).dry_run, folders.folders.size], [true, 1]);
  answer = true;
  assert.match((await run('remove', '/footage')).out, /^\/footage is no longer watched/);
  assert.deepEqual([questions.length, folders.folders.size], [2, 0]);
});

test('where nobody can be asked, remove has to say that it means it', async (t) => {
  const { run, folders } = world(t);
  await run('add', '/footage');
  await assert.rejects(run('remove', '/footage'), usageErrors.USAGE.is);
  assert.equal((await run('remove', '1f', '--yes')).code, 0);
  assert.equal(folders.folders.size, 0);
});

test('what is wrong with a folder is told by whoever keeps it', async (t) => {
  const { run } = world(t, { isThere: (path) => path !== '/away' });
  await run('add', '/footage');
  await assert.rejects(run('add', '/footage'), watchErrors.ALREADY_WATCHED.is);
  await assert.rejects(run('add', '/away'), watchErrors.WATCH_FOLDER_MISSING.is);
});

test('only a running service watches: where none answers, it is said how to start one', async (t) => {
  // A port that nothing listens on.
  const { run } = world(t, { settings: { port: 9 } });
  for (const action of ['start', 'stop', 'status']) {
    await assert.rejects(
      run(action),
      (error: Error) =>
        clientErrors.NO_SERVICE.is(error) &&
        /no service is running at http:\/\/127\.0\.0\.1:9 .*framehound serve/.test(error.message),
    );
  }
  const { run: anyPort } = world(t, { settings: { port: 0 } });
  await assert.rejects(anyPort('status'), /--server URL/);
});

test('what cannot be meant is a usage error before an engine is started', async (t) => {
  const { run } = fakeHome(t);
  for (const args of [
    ['add'],
    ['add', 'a', 'b'],
    ['add', ''],
    ['add', 'a', '--filter', 'x'],
    ['add', 'a', '--no-pictures'],
    ['edit'],
    ['remove'],
    ['remove', 'a'],
    ['lits'],
    ['toString'],
  ])
    await assert.rejects(run(watch, ...args), usageErrors.USAGE.is, args.join(' '));
  const unknown = { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' };
  for (const args of [
    ['add', 'a', '--enabled'],
    ['list', '--speech'],
    ['start', '--yes'],
  ])
    await assert.rejects(run(watch, ...args), unknown);
});

test('the service is the one that is named, or the one of this machine by a name that reaches it', () => {
  for (const [server, host, url] of [
    ['http://studio:7000', '127.0.0.1', 'http://studio:7000'],
    ['', '127.0.0.1', 'http://127.0.0.1:6699'],
    ['', 'localhost', 'http://localhost:6699'],
    ['', '0.0.0.0', 'http://127.0.0.1:6699'],
    ['', '::', 'http://[::1]:6699'],
    ['', '::1', 'http://[::1]:6699'],
  ] as const)
    assert.equal(serviceUrl({ server, host, port: 6699 } as Context['values']), url);
});

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { checkPages } from '../../actors/index/store/pages.ts';
import { Store } from '../../actors/index/store/store.ts';
import { clips } from '../actors/decoder/footage/clips.ts';
import { footage, framesUpTo, mediaRecord, preview } from '../actors/index/footage.ts';
import { indexActor, openIn } from '../actors/index/handlers.ts';
import { nodeCommand } from '../node-command.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { newHome } from './command-line.ts';
import { othersMayPass } from './others-may-pass.ts';

const d = 16;
const [node, ...flags] = nodeCommand;
const program = join(import.meta.dirname, '../actors/index/store/writer-process.ts');

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterableIterator<string>;
}

function start(t: TestContext, args: readonly string[], user: { uid?: number; gid?: number } = {}): Child {
  const child = spawn(node, [...flags, program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...user,
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { process: child, lines };
}

async function linesOf(child: Child, enough = Number.POSITIVE_INFINITY): Promise<string[]> {
  const lines: string[] = [];
  for (let n = 0; n < enough; n++) {
    const { value, done } = await child.lines.next();
    if (done) break;
    lines.push(value);
  }
  return lines;
}

/** Everything said to be committed is there and whole, nothing else is, and writing goes on. */
async function checkWhole(
  t: TestContext,
  cache_dir: string,
  lines: readonly string[],
  maybe: number,
): Promise<void> {
  const hashes = lines.map((line) => line.replace('committed ', ''));
  const index = await indexActor(t);
  const { stored } = await index.call('stored', { cache_dir, model_key: 'model', hashes });
  assert.ok(stored.every(Boolean), `${stored} of ${hashes}`);
  const report = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual([report.missing, report.unreadable], [[], []]);
  assert.ok(report.media >= hashes.length && report.media <= hashes.length + maybe);
  for (const hash of hashes) {
    const { previews } = await index.call('previews', {
      cache_dir,
      frames: [{ hash_str: hash, frame_index: 19 }],
    });
    assert.deepEqual(previews, [preview(19)]);
  }
  const { stage } = await index.call('begin', {
    cache_dir,
    hash_str: 'abcdef',
    model_key: 'model',
    dimensions: d,
  });
  const frames = framesUpTo(30);
  await index.call('append', { stage, frames, vectors: footage(30, d, 5, 0.1, 1), previews: [] });
  await index.call('commit', { stage, media: mediaRecord('abcdef') });
  const after = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual([after.media, after.unreadable], [report.media + 1, []]);
  assert.deepEqual(openIn(cache_dir), []);
  // Nothing lies there that no record names.
  const names = readdirSync(cache_dir, { recursive: true }) as string[];
  const bundles = names.filter((name) => /\.(vectors|previews)$/.test(name));
  assert.equal(bundles.length, 2 * after.media - 1, 'the last one has no previews');
}

// In the first film: the head and 42 writes of its previews; the head, 2 writes and a flush of its rows (47),
// the table and a flush of previews (49).
describe('a writer that ends in the middle loses nothing that was committed', { concurrency: true }, () => {
  for (const at of [1, 2, 12, 43, 44, 45, 46, 47, 48, 49, 50, 100]) {
    test(`at its ${at}. write or flush`, async (t) => {
      const cache_dir = temporaryFolder(t);
      await checkWhole(t, cache_dir, await linesOf(start(t, [cache_dir, 'die-at', String(at)])), 0);
    });
  }

  test('at any moment', async (t) => {
    const cache_dir = temporaryFolder(t);
    const child = start(t, [cache_dir, 'endless']);
    const lines = await linesOf(child, 7);
    child.process.kill('SIGKILL');
    lines.push(...(await linesOf(child)));
    // A commit that was flushed just before the end may not have been said any more.
    await checkWhole(t, cache_dir, lines, 1);
    checkPages(join(cache_dir, 'records.mdb'));
  });
});

test('while one process writes, another reads what is committed and is told who writes when it wants to', async (t) => {
  const cache_dir = temporaryFolder(t);
  const child = start(t, [cache_dir, 'hold']);
  assert.deepEqual(await linesOf(child, 2), ['committed 1', 'holding']);
  const store = new Store(cache_dir);
  t.after(() => store.close());
  assert.deepEqual(store.visual.stored('model', ['1', '2']), [true, false]);
  assert.throws(
    () => store.begin('3', 'model', d),
    (error) => storeErrors.STORE_IN_USE.is(error) && error.message.includes(`Process ${child.process.pid} `),
  );
  child.process.stdin.end();
  await once(child.process, 'exit');
  store.abort(store.begin('3', 'model', d));
});

test('an analysis beside another writer ends with one sentence that names it', async (t) => {
  const cache_dir = temporaryFolder(t);
  const child = start(t, [cache_dir, 'hold']);
  await linesOf(child, 2);
  const home = newHome();
  t.after(home.remove);
  const film = await clips[0]!.make();
  const { code, err } = await home.run('analyze', film, '--cache-dir', cache_dir);
  assert.equal(code, 1, err);
  const texts = err.split('\n').filter((line) => line.includes('is writing'));
  assert.equal(texts.length, 1, err);
  const short = `framehound: Process ${child.process.pid} is writing to ${cache_dir}: wait until it is done, or end it`;
  assert.equal(texts[0], short);
  assert.doesNotMatch(err, /\n {4}at /);
});

test('the lease of a process that was killed is taken over', async (t) => {
  const cache_dir = temporaryFolder(t);
  const child = start(t, [cache_dir, 'hold']);
  await linesOf(child, 2);
  child.process.kill('SIGKILL');
  await once(child.process, 'exit');
  const store = new Store(cache_dir);
  t.after(() => store.close());
  store.abort(store.begin('3', 'model', d));
  assert.deepEqual(store.visual.stored('model', ['1', '2']), [true, false]);
});

test('a folder that cannot be written can be read, and says so when it is to be written', async (t) => {
  if (process.getuid?.() === 0 && !(othersMayPass(process.execPath) && othersMayPass(import.meta.dirname))) {
    t.skip('run as root from a folder that is closed to every other user');
    return;
  }
  const cache_dir = temporaryFolder(t);
  const filled = new Store(cache_dir);
  const frames = framesUpTo(20);
  const stage = filled.begin('1', 'model', d);
  filled.append(stage, {
    frames: frames,
    vectors: footage(20, d, 5, 0.1, 1),
    previews: frames.map((frame) => preview(frame)),
  });
  filled.commit(stage, mediaRecord('1'));
  await filled.close();
  for (const name of ['', ...(readdirSync(cache_dir, { recursive: true }) as string[])]) {
    const path = join(cache_dir, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  }
  // Root may write whatever the mode says, so as root the reading process is nobody.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = start(t, [cache_dir, 'probe'], user);
  const lines = await linesOf(child);
  chmodSync(cache_dir, 0o755);
  for (const name of readdirSync(cache_dir, { recursive: true }) as string[])
    chmodSync(join(cache_dir, name), 0o755);
  assert.deepEqual(lines.slice(0, 3), ['read [true,false]', 'vector 16', 'previews 64']);
  assert.match(lines[3] ?? '', /^write STORE_READ_ONLY /);
  assert.ok(lines[3]?.includes(cache_dir), lines[3]);
});

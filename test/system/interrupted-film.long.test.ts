// A long film of real footage, stopped and killed in the middle: the same command goes on inside it, and what
// is stored is byte for byte what an analysis without an interruption stores.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Store } from '../../actors/index/store/store.ts';
import { loopFilm } from '../actors/decoder/footage/loop.ts';
import { headOf } from '../actors/index/handlers.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { until } from '../until.ts';
import { newHome, type Running, SLOW_MS } from './command-line.ts';

const model_key = 'starter-visual-3';
const footage = 'media/video/car-detection.mp4';
/** 423 grid frames: three spans. */
const times = 14;

function homeOf(t: TestContext) {
  const home = newHome();
  t.after(() => home.remove());
  const cache = join(home.folder, 'cache');
  const filesIn = (within: string) =>
    existsSync(join(cache, within))
      ? readdirSync(join(cache, within), { recursive: true, withFileTypes: true }).filter((entry) =>
          entry.isFile(),
        )
      : [];
  /** Vectors, and what is behind the head of the previews: the head names the task. */
  const stored = async () => {
    const store = new Store(cache);
    const [hash] = store.visual.hashes(model_key) as [string];
    const visual = store.visual.stage(model_key, hash)!;
    const rows = store.visual.rows(visual);
    const vectors = rows.read(0, rows.frames.length);
    rows.close();
    await store.close();
    const { frame_runs, scene_starts, crc } = visual;
    const previews = filesIn('previews').map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return readFileSync(file).toString('base64', headOf(file));
    });
    return { vectors, frame_runs, scene_starts, crc, previews };
  };
  /** Rows of some minutes. */
  const isKept = () =>
    filesIn('open').some(
      ({ parentPath, name }) => name.endsWith('.vectors') && statSync(join(parentPath, name)).size > 100_000,
    );
  return { home, cache, filesIn, stored, isKept };
}

/** Frames that the run looked at, and all of them. */
function frames(err: string): [number, number] {
  const [, done, all] = [...err.matchAll(/(\d+)\/(\d+) frames/g)].at(-1) ?? [];
  return [Number(done), Number(all)];
}

test('Ctrl-C and a kill inside a long film cost nothing that was kept', {
  skip: skipWithout(footage),
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-system-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const film = join(folder, 'film.mp4');
  loopFilm(sharedPath(footage), film, times);
  const whole = homeOf(t);
  const first = await whole.home.run('analyze', film, '--cache-dir', whole.cache);
  assert.equal(first.code, 0, first.err);
  const [, all] = frames(first.err);
  assert.ok(all > 400, first.err);

  const ends: [string, (running: Running) => void, number | null][] = [
    ['Ctrl-C', ({ child }) => child.kill('SIGINT'), 130],
    ['kill', ({ child }) => child.kill('SIGKILL'), null],
  ];
  for (const [name, end, code] of ends) {
    const half = homeOf(t);
    const running = half.home.start('analyze', film, '--cache-dir', half.cache);
    await until(half.isKept, { within: SLOW_MS });
    end(running);
    assert.equal((await running.ended).code, code, name);
    assert.deepEqual(half.filesIn('previews'), [], 'nothing of a half film is stored');
    const again = await half.home.run('analyze', film, '--cache-dir', half.cache);
    assert.equal(again.code, 0, again.err);
    const [done, left] = frames(again.err);
    assert.ok(done === left && left <= all - 120, `${name}: ${left} of ${all} were left`);
    assert.deepEqual(await half.stored(), await whole.stored(), name);
    assert.deepEqual(half.filesIn('open'), []);
  }
});

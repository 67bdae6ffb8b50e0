import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { clips, longFilm } from '../actors/decoder/footage/clips.ts';
import { untilRelease } from '../shared.ts';
import { until } from '../until.ts';
import { newHome, SLOW_MS } from './command-line.ts';

async function clip(name: string, folder: string): Promise<string> {
  const path = await clips.find((clip) => clip.name === name)!.make();
  const copy = join(folder, basename(path));
  copyFileSync(path, copy);
  return copy;
}

/** What others on this machine can read or enter. */
function openIn(folder: string): string[] {
  if (process.platform === 'win32') return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return [folder, ...names.map((name) => join(folder, name))].filter((path) => statSync(path).mode & 0o077);
}

test('a folder of good and bad files: the good are stored, each bad one is named with its reason', async () => {
  const home = newHome();
  const media = join(home.folder, 'media');
  mkdirSync(media);
  const good = await clip('H.264, GOP 12', media);
  const odd = await clip("a name with spaces, quotes, a newline and ü 漢 '", media);
  writeFileSync(join(media, 'notes.mp4'), 'this is no film');
  writeFileSync(join(media, 'empty.mov'), '');
  writeFileSync(join(media, 'cut.mp4'), readFileSync(good).subarray(0, 3000));
  copyFileSync(good, join(media, 'locked.mp4'));
  chmodSync(join(media, 'locked.mp4'), 0);
  symlinkSync(media, join(media, 'loop'));
  const { code, err } = await home.run('analyze', media, join(media, 'missing.mp4'));
  assert.equal(code, 3, err);
  // The administrator may read everything; for anyone else the locked file is one more failure.
  const failed = process.getuid?.() === 0 ? 5 : 6;
  assert.match(err, new RegExp(`${failed} failed`));
  for (const name of ['notes.mp4', 'empty.mov', 'cut.mp4', 'loop', 'missing.mp4'])
    assert.match(err, new RegExp(name));
  const found = await home.run('search', 'grey', '--json', '--max', '50');
  const paths = new Set((JSON.parse(found.out) as SearchAnswer).matches.map(({ video_path }) => video_path));
  assert.ok(paths.has(good) && paths.has(odd), found.out);
  assert.deepEqual(openIn(join(home.folder, 'home')), []);
  home.remove();
});

test('ctrl-C ends a long film soon, keeps what is finished, and the next run does the rest', async () => {
  const home = newHome();
  const short = await clip('H.264, GOP 12', home.folder);
  const long = await longFilm.make();
  const running = home.start('analyze', short, long);
  await running.said('h264-gop12.mp4: ');
  const asked = performance.now();
  running.child.kill('SIGINT');
  const { code, err } = await running.ended;
  assert.equal(code, 130, err);
  assert.match(err, /Stopped: 1 analysed, 1 not finished/);
  assert.ok(performance.now() - asked < 10_000, 'a stop that takes this long is no stop');
  const next = await home.run('analyze', short);
  assert.match(next.err, /1 already analysed/);
  home.remove();
});

test('a killed engine loses nothing that was stored, and a file that was running twice is quarantined', {
  skip: untilRelease,
}, async () => {
  const home = newHome();
  const short = await clip('H.264, GOP 12', home.folder);
  const long = await longFilm.make();
  for (let i = 0; i < 2; i++) {
    const running = home.start('analyze', long, short, '--log-level', 'debug');
    const journal = join(home.folder, 'home', 'journal.ndjson');
    // Both films at first, then the long one alone: the short one is stored.
    const lines = () => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : []);
    const begun = () =>
      lines().filter((line) => line.includes('"stage-start"') && line.includes('/visual/')).length;
    const started = () => begun() >= 2 + i;
    await until(started, { within: SLOW_MS });
    if (i === 0) await running.said('h264-gop12.mp4: ');
    running.child.kill('SIGKILL');
    await running.ended;
  }
  const { code, err } = await home.run('analyze', long, short);
  assert.equal(code, 3, err);
  assert.match(err, /QUARANTINED: .*long-film\.mp4/);
  assert.match(err, /1 already analysed/);
  home.remove();
});

test('films that were worked on together when the engine was killed are done last and alone, not quarantined', {
  skip: untilRelease,
}, async (t) => {
  const home = newHome();
  t.after(() => home.remove());
  const long = await longFilm.make();
  // Another content: a box that says nothing, at the end.
  const other = join(home.folder, 'other.mp4');
  copyFileSync(long, other);
  appendFileSync(other, Buffer.from([0, 0, 0, 8, ...Buffer.from('free')]));
  mkdirSync(join(home.folder, 'home'));
  writeFileSync(join(home.folder, 'home', 'config.json'), '{"decoders": 2}');
  const journal = join(home.folder, 'home', 'journal.ndjson');
  const begun = () => {
    const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
    return lines.filter((line) => line.includes('"stage-start"') && line.includes('/visual/')).length;
  };
  for (const killed of [2, 4]) {
    const running = home.start('analyze', long, other);
    await until(() => begun() === killed || (killed === 4 && begun() === 3), { within: SLOW_MS });
    running.child.kill('SIGKILL');
    await running.ended;
  }
  const before = begun();
  const third = home.start('analyze', long, other);
  await until(() => begun() === before + 1, { within: SLOW_MS });
  third.child.kill('SIGINT');
  const { code, err } = await third.ended;
  assert.equal(code, 130, err);
  assert.doesNotMatch(err, /QUARANTINED/);
});

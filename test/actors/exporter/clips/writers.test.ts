import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { NameOrder } from '../../../../actors/exporter/clips/clips.ts';
import type { ClipSpec } from '../../../../actors/exporter/clips/contract.ts';
import {
  isAbandoned,
  ownerOf,
  type PartOwner,
  partName,
  sweepParts,
  thisOwner,
} from '../../../../actors/exporter/clips/writers.ts';
import { createLog, type LogLine } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const folder = temporaryFolder();
const self = thisOwner();
const day = 24 * 3600 * 1000;
/** A process that has ended: its id was certainly in use, and is free again. */
const gone: PartOwner = { ...self, pid: spawnSync(process.execPath, ['-e', '']).pid };
const rebooted = { ...gone, started: 'another-boot/123' };

test('a name tells its owner, and other names have none', () => {
  for (const owner of [self, gone, { ...self, started: '', space: '' }]) {
    const name = partName(owner, '0a1b2c3d');
    assert.ok(name.startsWith('.') && Buffer.byteLength(name) < 200, name);
    assert.deepEqual(ownerOf(name), { ...owner, host: encodeURIComponent(owner.host).slice(0, 80) });
  }
  const odd = partName({ ...self, host: 'Gerät ~/..%'.repeat(30) }, 'a');
  assert.ok(!/[/\\:*?"<>|]/.test(odd) && Buffer.byteLength(odd) < 250 && ownerOf(odd) !== null, odd);
  for (const name of ['a.mp4', '.0a1b2c3d.clip.part', '.framehound~x~1.clip.part', '.film-1-0.part']) {
    assert.equal(ownerOf(name), null, name);
  }
});

test('a part is left only when the process that wrote it has certainly ended', () => {
  const rows: readonly (readonly [string, PartOwner, number, boolean])[] = [
    ['this process', self, 2 * day, false],
    ['one that has ended', gone, 0, true],
    ['our id in another life of the machine', { ...self, started: 'another-boot/1' }, 2 * day, true],
    ['one of before the restart, just written', rebooted, 0, false],
    ['one of before the restart, untouched for a day', rebooted, day + 1, true],
    ['one of another container, just written', { ...gone, space: '1' }, 0, false],
    ['one of another container, untouched for a day', { ...gone, space: '1' }, day + 1, true],
    ['one of another machine', { ...gone, host: 'elsewhere' }, 9 * day, false],
  ];
  for (const [name, owner, age, left] of rows) {
    const read = ownerOf(partName(owner, 'a'))!;
    if (process.platform === 'linux' || !/container|life/.test(name)) {
      assert.equal(isAbandoned(read, self, age), left, name);
    }
  }
});

test('a folder is swept of what is left, and of nothing else', async () => {
  const kept = [
    partName(self, 'a'),
    partName({ ...gone, host: 'elsewhere' }, 'b'),
    'clip.mp4',
    `${partName(gone, 'c')}.mp4`,
    'notes.part',
  ];
  for (const name of [...kept, partName(gone, 'd'), partName(gone, 'e')]) {
    writeFileSync(join(folder, name), 'x');
  }
  const asFolder = partName(gone, 'f');
  mkdirSync(join(folder, asFolder));
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  await sweepParts(folder, log);
  assert.deepEqual(readdirSync(folder).sort(), [...kept, asFolder].sort());
  assert.equal(lines.filter(({ level }) => level === 'info').length, 2);
  assert.ok(statSync(join(folder, asFolder)).isDirectory());
  await sweepParts(join(folder, 'not there'), log);
  await sweepParts(join(folder, 'clip.mp4'), log);
  assert.deepEqual(
    lines.filter(({ level }) => level !== 'info').map(({ message }) => message),
    [],
  );
  assert.equal(hostname(), self.host);
});

const wish = (output_name: string): ClipSpec => ({
  media_path: '/film.mp4',
  start_seconds: 1,
  end_seconds: 2,
  output_name,
});

test('a name is given to the clips that want it in their order, also behind one that fails', async () => {
  const order = new NameOrder();
  const first = Promise.withResolvers<void>();
  const named: string[] = [];
  const clip = (name: string, as: string, cut: Promise<void>) =>
    order.next(wish(name), async (before) => {
      await cut;
      await before;
      named.push(as);
    });
  const failure = Promise.reject(new Error('no media'));
  const work = [
    clip('shot', 'first', first.promise),
    clip('Shot.mov', 'failed', failure),
    clip('SHOT', 'third', Promise.resolve()),
    clip('other', 'other', Promise.resolve()),
  ];
  const ends = Promise.allSettled(work);
  await turn();
  assert.deepEqual(named, ['other']);
  first.resolve();
  assert.deepEqual(
    (await ends).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(named, ['other', 'first', 'third']);
});

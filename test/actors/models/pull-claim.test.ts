import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { claimName, claimPull } from '../../../actors/models/pull-claim.ts';
import { thisProcess } from '../../../runtime/process/identity.ts';

const isBusy = { code: 'MODEL_IN_DOWNLOAD' };

function folderOf(t: { after(run: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'claim-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('of two that download into a folder the second is told which process does, until the first has ended', async (t) => {
  const folder = folderOf(t);
  const claim = await claimPull(folder);
  await assert.rejects(claimPull(folder), {
    ...isBusy,
    details: { folder, pid: process.pid, host: thisProcess().host },
  });
  claim.release();
  assert.deepEqual(readdirSync(folder), []);
  (await claimPull(folder)).release();
});

test('the claim of a process that was killed holds nothing, nor does one that an earlier engine of this process left', async (t) => {
  const folder = folderOf(t);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const left = { ...thisProcess(), pid, started: '', token: 'gone' };
  writeFileSync(join(folder, claimName), JSON.stringify(left));
  (await claimPull(folder)).release();
  writeFileSync(join(folder, claimName), JSON.stringify({ ...thisProcess(), token: 'earlier' }));
  const claim = await claimPull(folder);
  assert.deepEqual(readdirSync(folder), [claimName]);
  claim.release();
});

test('a damaged claim holds nothing', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, claimName), '{"pid":');
  (await claimPull(folder)).release();
});

test('a process of another machine holds its claim as long as it shows signs of life', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, claimName);
  writeFileSync(path, JSON.stringify({ pid: 1, started: 'x', host: 'another', token: 'far' }));
  const at = 1_700_000_000;
  utimesSync(path, at, at);
  await assert.rejects(
    claimPull(folder, () => at * 1000 + 60_000),
    isBusy,
  );
  const claim = await claimPull(folder, () => at * 1000 + 3_600_000);
  assert.ok(existsSync(path));
  claim.release();
});

test('a claim is renewed now and then, and not for every byte', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, claimName);
  let now = Date.now();
  const claim = await claimPull(folder, () => now);
  utimesSync(path, 1, 1);
  claim.renew();
  assert.equal(statSync(path).mtimeMs, 1000);
  now += 60_000;
  claim.renew();
  assert.ok(Math.abs(statSync(path).mtimeMs - now) < 1000);
  claim.release();
});

test('a claim that another machine took over meanwhile stays its own when the first one ends', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, claimName);
  const claim = await claimPull(folder);
  const other = JSON.stringify({ ...thisProcess(), host: 'elsewhere', token: 'other' });
  writeFileSync(path, other);
  claim.release();
  assert.equal(readFileSync(path, 'utf8'), other);
});

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { prove } from '../../../../../actors/decoder/clips/encoders/trial.ts';
import { manualClock } from '../../../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { until } from '../../../../until.ts';
import { fakeCandidate, shapeOf } from './fake-encoder.ts';

const folder = temporaryFolder();
const never = new AbortController().signal;
const request = { candidate: fakeCandidate(), shape: shapeOf() };

/** A program that says which process it is, and then does this. */
function program(name: string, source: string): { readonly program: URL; pid(): number } {
  const path = join(folder, `${name}.mjs`);
  const text = join(folder, `${name}.pid`);
  const writing = `import { renameSync, writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(`${text}.part`)}, String(process.pid));
renameSync(${JSON.stringify(`${text}.part`)}, ${JSON.stringify(text)});`;
  writeFileSync(path, `${writing}\n${source}`);
  const pid = () => (existsSync(text) ? Number(readFileSync(text, 'utf8')) : 0);
  return { program: pathToFileURL(path), pid };
}

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test('an encoder is tried in a process of its own', async () => {
  const { reason, psnr } = await prove(request, never);
  assert.equal(reason, null);
  assert.ok(psnr! > 40, `${psnr}`);
  const bad = { ...request, candidate: fakeCandidate({ options: { crf: '40' } }) };
  const verdict = await prove(bad, never);
  assert.match(verdict.reason!, /^h264_fake: picture \d+ has .* dB, less than/);
  assert.equal(verdict.psnr, null);
});

test('a driver that crashes, or ends the process, takes nothing with it', async () => {
  const crashing = program('crashing', "process.on('message', () => process.kill(process.pid, 'SIGKILL'));");
  const crashed = await prove(request, never, crashing);
  assert.deepEqual(crashed, { reason: 'its trial ended with SIGKILL', psnr: null });
  const leaving = program('leaving', "process.on('message', () => process.exit(7));");
  const left = await prove(request, never, leaving);
  assert.deepEqual(left, { reason: 'its trial ended with 7', psnr: null });
});

test('a trial leaves nothing of what it wrote, however it ends', async (t) => {
  const own = join(folder, 'tmp');
  mkdirSync(own);
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  process.env.TMPDIR = own;
  // Imported by `program`.
  const writes = "process.on('message', ({ folder }) => { writeFileSync(folder + '/trial.mp4', 'x');";
  const isEmpty = () => readdirSync(own).length === 0;

  const crashing = program('writes', `${writes} process.kill(process.pid, 'SIGKILL'); });`);
  const crashed = await prove(request, never, crashing);
  assert.equal(crashed.reason, 'its trial ended with SIGKILL');
  await until(isEmpty);

  const waiting = program('writes-and-waits', `${writes} });`);
  const abort = new AbortController();
  const proving = prove(request, abort.signal, waiting);
  const hasWritten = () => readdirSync(own).some((name) => readdirSync(join(own, name)).length > 0);
  await until(hasWritten);
  abort.abort();
  await assert.rejects(proving, { code: 'CANCELLED' });
  await until(isEmpty);

  const { reason } = await prove(request, never);
  assert.equal(reason, null);
  await until(isEmpty);

  process.env.TMPDIR = join(folder, 'no');
  const verdict = await prove(request, never);
  assert.match(verdict.reason!, /^its trial cannot be started: ENOENT/);
});

test('a program that is not there is a verdict', async () => {
  const verdict = await prove(request, never, {
    program: pathToFileURL(join(folder, 'no.mjs')),
  });
  assert.match(verdict.reason!, /^its trial ended with 1$/);
});

test('a driver that hangs is ended with its process', async () => {
  const hanging = program('hanging', "process.on('message', () => { for (;;); });");
  const hurried = manualClock();
  const proving = prove(request, never, { clock: hurried, limitMs: 1000, ...hanging });
  await until(() => hanging.pid() > 0);
  hurried.advance(1000);
  const { reason } = await proving;
  assert.equal(reason, 'its trial gave no sign of life for 1000 ms');
  await until(() => isGone(hanging.pid()));
});

test('a cancelled trial leaves no process', async () => {
  const waiting = program('waiting', "process.on('message', () => {});");
  const abort = new AbortController();
  const proving = prove(request, abort.signal, waiting);
  await until(() => waiting.pid() > 0);
  abort.abort();
  await assert.rejects(proving, { code: 'CANCELLED' });
  await until(() => isGone(waiting.pid()));
  await assert.rejects(prove(request, abort.signal, waiting), { code: 'CANCELLED' });
});

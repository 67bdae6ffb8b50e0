import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeStill } from '../../../../bench/samples/writer/still.ts';
import { askProbe, turnFor } from '../ask-decoder.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-scan-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a probe that has to read all packets can be cancelled through the event loop', async () => {
  const still = join(folder, 'still.jpg');
  await writeStill({ path: still, width: 64, height: 48, rgb: new Uint8Array(64 * 48 * 3) });
  const raw = join(folder, 'raw.mjpeg');
  await writeFile(raw, Buffer.concat(Array.from({ length: 2000 }, () => readFileSync(still))));
  assert.equal((await askProbe(raw)).duration_seconds, 80);
  const turn = turnFor();
  const ended = assert.rejects(askProbe(raw, turn), { code: 'CANCELLED' });
  let asked = 0;
  const ask = turn.throwIfCancelled.bind(turn);
  turn.throwIfCancelled = () => {
    asked++;
    if (asked === 2) setImmediate(() => turn.cancel());
    ask();
  };
  await ended;
  assert.ok(asked < 1000, `asked ${asked} times`);
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type ProbeOptions, probeDevices } from '../../../actors/models/device-probe.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const none = { any: false, nvidia: false };
const nvidia = { any: true, nvidia: true };
const signal = new AbortController().signal;
const probe = (options: Pick<ProbeOptions, 'available' | 'graphics'> & Partial<ProbeOptions>) =>
  probeDevices({ signal, clock: systemClock, ...options });

/** A program in place of that which opens a graph. */
function program(t: TestContext, source: string): URL {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'program.mjs'), source);
  return pathToFileURL(join(folder, 'program.mjs'));
}

test('a graph runs on the processor, in another process; devices that are not there are not tried', async () => {
  assert.deepEqual(await probe({ available: ['cpu', 'cuda', 'webgpu'], graphics: none }), [
    { device: 'cpu', reason: null, tried: true },
    { device: 'cuda', reason: 'no NVIDIA device found', tried: false },
    { device: 'webgpu', reason: 'no graphics device found', tried: false },
  ]);
});

test('a device that the runtime cannot use says why, and is not taken for the processor', async () => {
  const [probed] = await probe({ available: ['cuda'], graphics: nvidia });
  // With a device, this machine may run it.
  if (probed?.reason !== null) assert.match(probed!.reason, /not (found|installed|offered)|no NVIDIA device/);
});

test('a driver that crashes, ends or hangs is told, and takes nothing with it', async (t) => {
  const ways: [string, string, number?][] = [
    ['process.kill(process.pid, "SIGSEGV");', 'ended with SIGSEGV'],
    ['process.exit(7);', 'ended with 7'],
    ['process.on("message", () => {});', 'gave no sign of life for 1 ms', 1],
  ];
  for (const [source, how, limitMs = 60_000] of ways) {
    const options = { available: ['cuda'], graphics: nvidia, limitMs, program: program(t, source) } as const;
    const reason = `the process that tried it ${how}`;
    assert.deepEqual(await probe(options), [{ device: 'cuda', reason, tried: true }]);
  }
});

test('a probe that is cancelled ends at once', async (t) => {
  const hangs = program(t, 'process.on("message", () => {});');
  const stop = new AbortController();
  const probed = probe({ available: ['cuda'], graphics: nvidia, program: hangs, signal: stop.signal });
  stop.abort();
  await assert.rejects(probed, { code: 'CANCELLED' });
});

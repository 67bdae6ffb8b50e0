// The service as it is started by hand: npx, the launcher, the guardian and the engine, each the parent of
// the next. All of them end when one of the parents does, however that ends.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { untilRelease } from '../shared.ts';
import { until } from '../until.ts';
import { newHome } from './command-line.ts';
import { type GuardedService, isAlive, startGuarded } from './guarded-service.ts';

const launcher = fileURLToPath(new URL('../../runtime/process/launch.mjs', import.meta.url));
// The processes between the first one and the engine are found in /proc.
const linux = { skip: process.platform !== 'linux', timeout: 120_000 };

const ways = {
  launcher: () => [process.execPath, launcher],
  /** npm finds the command in the project of a folder, as after an install. */
  npx: (folder: string) => {
    const bin = join(folder, 'project', 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(folder, 'project', 'package.json'), '{ "private": true }');
    symlinkSync(launcher, join(bin, 'framehound'));
    return ['npm', 'exec', '--offline', '--prefix', join(folder, 'project'), '--', 'framehound'];
  },
};

for (const [way, command] of Object.entries(ways)) {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    // One of each way and each signal in each run, all four for a release.
    const isSecond = (way === 'npx') !== (signal === 'SIGKILL');
    const skip = linux.skip || (isSecond && untilRelease);
    test(`${signal} to ${way} ends the whole chain within 15 s`, { ...linux, skip }, async () => {
      const home = newHome();
      const service = await startGuarded(home, [], command(home.folder));
      const chain = chainOf(service);
      try {
        // The launcher, the guardian, the engine; npm may start a shell.
        assert.ok(chain.length >= (way === 'npx' ? 4 : 3), chain.join());
        const late = AbortSignal.timeout(15_000);
        const tooLate = new Promise<null>((resolve) => late.addEventListener('abort', () => resolve(null)));
        const ending = await Promise.race([service.stop(signal), tooLate]);
        assert.ok(ending, `still running: ${chain.filter(isAlive)}`);
        // Their output has ended; a process whose parent has gone is collected a little later.
        await until(() => chain.every((pid) => !isAlive(pid)), { within: 5_000 });
        await assert.rejects(service.ask('/livez'), { code: 'ECONNREFUSED' });
      } finally {
        for (const pid of chain.filter(isAlive)) process.kill(pid, 'SIGKILL');
        await service.end();
      }
    });
  }
}

/** Process ids from the first process to the engine. */
function chainOf({ first, engine }: GuardedService): number[] {
  const chain = [engine];
  while (chain[0] !== first) {
    const status = readFileSync(`/proc/${chain[0]}/status`, 'utf8');
    const parent = Number(/^PPid:\s*(\d+)$/m.exec(status)![1]);
    assert.ok(parent > 1, `process ${first} is no parent of the engine`);
    chain.unshift(parent);
  }
  return chain;
}

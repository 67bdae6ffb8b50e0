import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Budget } from '../../../runtime/budget.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { leastBusy } from '../../../runtime/least-busy.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { startProcess } from '../../../runtime/process/actor-process.ts';
import { confined } from '../../../runtime/process/confine.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { nodeCommand } from '../../node-command.ts';
import { until } from '../../until.ts';
import { manualClock } from '../manual-clock.ts';
import { apartContract } from './apart.ts';

const lines: LogLine[] = [];
const log = createLog('test', (line) => lines.push(line));
const clock = manualClock();
const pool = createSlotPool(4, 16);
const budget = new Budget(1000);
const fatal: string[] = [];
const supervisor = createSupervisor({ clock, log, pool, budget, onFatal: (name) => fatal.push(name) });
const module = new URL('./apart.ts', import.meta.url);
const mostBytes = 400 * 2 ** 20;
const actor = (name: string) => {
  const options = { name, module, contract: apartContract, settings: undefined, memory: pool.memory, log };
  const start = () => startProcess({ ...options, mostBytes });
  return supervisor.addOnDemand({
    name,
    contract: apartContract,
    start,
    turnLimitMs: 1_000,
  });
};
const one = actor('one');
const path = '/footage/film.mp4';
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
after(() => supervisor.stop());

test('an actor in a process answers, fills slots and reserves memory as one in a thread', async () => {
  assert.notEqual(await one.ask('pid', {}), process.pid);
  const seen: number[][] = [];
  for await (const { slot } of one.feed('count', { to: 9 }, { credit: 2 })) seen.push([...pool.view(slot)]);
  assert.deepEqual(
    seen,
    Array.from({ length: 9 }, (_, n) => new Array(16).fill(n)),
  );
  const holder = pool.holder();
  const slot = await pool.acquire(holder);
  await one.ask('paint', { slot, value: 7 }, { slots: [slot] });
  assert.deepEqual([...pool.view(slot)].slice(0, 8), new Array(8).fill(7));
  pool.releaseAll(holder);
  assert.equal(await one.ask('reserve', { bytes: 1000 }), 'released');
  await assert.rejects(one.ask('reserve', { bytes: 1001 }), engineErrors.OVER_BUDGET.is);
  const stop = new AbortController();
  const waiting = one.ask('wait', { path }, { signal: stop.signal });
  stop.abort();
  await assert.rejects(waiting, engineErrors.CANCELLED.is);
  // Its turn has ended, too, and no other is taken for it.
  assert.equal(await one.ask('reserve', { bytes: 1 }), 'released');
  assert.equal(pool.free, pool.count);
});

test('a crash fails the call on that file by name, any number of times, and no other', async () => {
  const both = leastBusy('both', [one, actor('two')]);
  for (let times = 0; times < 8; times++) {
    const crash = both.ask('crash', { path });
    const other = both.ask('pid', {});
    await assert.rejects(crash, (error: Error) => {
      assert.match(error.message, /ended while working on crash of \/footage\/film\.mp4: ended with SIGSEGV/);
      return engineErrors.ACTOR_CRASHED.is(error) && error.retryable;
    });
    assert.ok(await other);
  }
  assert.ok(supervisor.states().every(({ phase }) => phase !== 'down'));
});

test('a process that hangs is killed, any number of times, and never ends the engine', async () => {
  for (let times = 0; times < 3; times++) {
    const pid = await one.ask('pid', {});
    const hang = one.ask('hang', { path });
    await until(() => supervisor.states()[0]!.running === 1);
    clock.advance(2_500);
    await assert.rejects(hang, (error: Error) => {
      assert.match(error.message, /hang of \/footage\/film\.mp4/);
      return engineErrors.ACTOR_STUCK.is(error);
    });
    await until(() => !isRunning(pid));
  }
  assert.deepEqual(fatal, []);
  assert.ok(await one.ask('pid', {}));
});

test('a process that wants more memory than it may have fails alone', async () => {
  await assert.rejects(one.ask('take', { bytes: 2 * mostBytes }));
  assert.ok(await one.ask('pid', {}));
});

test('an answer that breaks the contract is not believed', async () => {
  await assert.rejects(one.ask('lie', { path }), (error: Error) => {
    assert.match(error.message, /it sent what it should not: Error: lie: .*whole number/);
    return engineErrors.ACTOR_CRASHED.is(error);
  });
});

test('a process that nobody calls for a minute is ended, and started again by the next call', async () => {
  const pid = await one.ask('pid', {});
  clock.advance(59_000);
  assert.equal(one.phase, 'ready');
  clock.advance(3_000);
  assert.equal(one.phase, 'idle');
  await until(() => !isRunning(pid));
  assert.notEqual(await one.ask('pid', {}), pid);
});

async function endsWithEngine(...mode: 'hang'[]): Promise<void> {
  const [program, ...args] = nodeCommand;
  const file = fileURLToPath(new URL('./apart-engine.ts', import.meta.url));
  const engine = spawn(program, [...args, file, ...mode], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [pid] = (await once(engine, 'message')) as [number];
  assert.ok(isRunning(pid));
  engine.kill('SIGKILL');
  await until(() => !isRunning(pid));
}

test('a process ends with the engine that started it', () => endsWithEngine());

const setpriv = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
test('so does one that hangs', { skip: !setpriv && 'setpriv is missing' }, () => endsWithEngine('hang'));

test('the memory of a process has a limit of the system', { skip: process.platform !== 'linux' }, () => {
  const [program, ...args] = confined(['/bin/sh', '-c', 'ulimit -d; echo "$1"', 'sh', 'a b'], 2 ** 30);
  assert.equal(execFileSync(program, args, { encoding: 'utf8' }), `${2 ** 20}\na b\n`);
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLog, type LogLine } from '../../runtime/log.ts';
import { guard } from '../../runtime/process/guardian.ts';
import { Condition } from '../../runtime/sync/locks.ts';
import { nodeCommand } from '../node-command.ts';
import { type ManualClock, manualClock } from '../runtime/manual-clock.ts';
import { until } from '../until.ts';

const engine = fileURLToPath(new URL('../runtime/process/guardian-child.ts', import.meta.url));

/**
 * A guardian over real processes with a clock turned by hand; `acts` says how each life of the engine goes.
 */
class Guarded {
  readonly lines: LogLine[] = [];
  readonly signals = new EventEmitter();
  readonly clock: ManualClock = manualClock();
  readonly ended: Promise<number>;
  readonly #news = new Condition();

  constructor(...acts: string[]) {
    const log = createLog('guardian', (line) => {
      this.lines.push(line);
      this.#news.notifyAll();
    });
    const command = [...nodeCommand, engine, ...acts] as const;
    const { clock, signals } = this;
    this.ended = guard({ command, clock, log, signals });
  }

  /** The `times`th line with this message. */
  async line(message: string, times = 1): Promise<LogLine> {
    const found = () => this.lines.filter((line) => line.message === message)[times - 1];
    return until(found, { next: (signal) => this.#news.wait(signal) });
  }

  /** Lets the delay before the next life pass. */
  async restarted(times = 1): Promise<void> {
    const { fields } = await this.line('engine ended, another is started', times);
    this.clock.advance(fields['after_ms'] as number);
  }

  stop(signal = 'SIGTERM'): void {
    this.signals.emit(signal, signal);
  }

  pids(): number[] {
    return this.lines.flatMap(({ message, fields }) =>
      message === 'engine started' ? [fields['pid'] as number] : [],
    );
  }
}

/** Every engine of the test has gone. */
function assertGone(pids: readonly number[]): void {
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `${pid} lives`);
}

test('an engine that is killed, throws or asks for it is started again and told how often', async () => {
  const guarded = new Guarded('crash', 'fault', 'restart', 'serve');
  for (const times of [1, 2, 3]) await guarded.restarted(times);
  const ready = await guarded.line('engine is ready');
  const ends = guarded.lines.filter(({ message }) => message === 'engine ended, another is started');
  assert.deepEqual(
    ends.map(({ fields }) => [fields['code'], fields['signal'], fields['why'], fields['after_ms']]),
    [
      [null, 'SIGKILL', '', 50],
      [1, null, '', 100],
      [75, null, 'an actor is stuck', 200],
    ],
  );
  assert.equal(ready.fields['restarts'], 3);
  guarded.stop();
  assert.equal(await guarded.ended, 0);
  assertGone(guarded.pids());
});

test('an engine that crashes again and again is given up with code 1 and the reason', async () => {
  const guarded = new Guarded(
    'fault',
    'fault',
    'fault',
    'fault',
    'fault',
    'fault',
    'fault',
    'fault',
    'fault',
  );
  for (let times = 1; times <= 8; times++) await guarded.restarted(times);
  assert.equal(await guarded.ended, 1);
  const { level, fields } = await guarded.line('engine ended');
  assert.deepEqual([level, fields['reason']], ['error', '9 crashes within 120 s']);
});

test('a usage error and a port that is taken end the guardian with the same code', async () => {
  const [usage, port] = [new Guarded('usage', 'serve'), new Guarded('port', 'serve')];
  assert.deepEqual([await usage.ended, await port.ended], [2, 69]);
  assert.deepEqual([usage.pids().length, port.pids().length], [1, 1]);
});

test('an engine whose event loop stands still for 30 s is killed and started again', async () => {
  const guarded = new Guarded('hang', 'serve');
  await guarded.line('engine is ready');
  guarded.clock.advance(29_999);
  assert.ok(!guarded.lines.some(({ message }) => message === 'engine is killed'));
  guarded.clock.advance(1);
  const killed = await guarded.line('engine is killed');
  assert.equal(killed.fields['why'], 'it showed no sign of life for 30000 ms');
  await guarded.restarted();
  await guarded.line('engine is ready', 2);
  guarded.stop('SIGHUP');
  assert.equal(await guarded.ended, 0);
  assertGone(guarded.pids());
});

test('an engine that gives signs of life is left alone', async () => {
  const guarded = new Guarded('chatty');
  for (let round = 0; round < 4; round++) {
    // A line that comes after the clock was turned is a sign of life given since.
    const said = guarded.lines.length;
    await guarded.line('engine is ready', Math.max(1, said));
    guarded.clock.advance(20_000);
  }
  guarded.stop();
  assert.equal(await guarded.ended, 0);
  assert.equal(guarded.pids().length, 1);
});

test('an engine that does not stop is killed after 9.5 s, stuck or asked', async () => {
  const asked = new Guarded('deaf');
  await asked.line('engine is ready');
  asked.stop();
  asked.clock.advance(9_500);
  assert.equal(await asked.ended, 1);
  assert.equal((await asked.line('engine ended')).fields['why'], 'it did not stop within 9500 ms');

  const stuck = new Guarded('stuck', 'serve');
  await stuck.line('engine asks for a restart');
  stuck.clock.advance(9_500);
  await stuck.restarted();
  await stuck.line('engine is ready');
  stuck.stop();
  assert.equal(await stuck.ended, 0);
  assertGone([...asked.pids(), ...stuck.pids()]);
});

test('one ctrl-C that arrives twice is one; a second ctrl-C ends at once', async () => {
  const guarded = new Guarded('deaf');
  await guarded.line('engine is ready');
  guarded.stop('SIGINT');
  guarded.clock.advance(100);
  guarded.stop('SIGINT');
  guarded.clock.advance(1_000);
  guarded.stop('SIGTERM');
  assert.ok(!guarded.lines.some(({ message }) => message === 'engine is killed'));
  guarded.stop('SIGINT');
  assert.equal(await guarded.ended, 130);
  assertGone(guarded.pids());
});

test('a stop while the next start is waited for starts nothing', async () => {
  const guarded = new Guarded('crash', 'serve');
  await guarded.line('engine ended, another is started');
  guarded.stop();
  assert.equal(await guarded.ended, 0);
  assert.equal(guarded.pids().length, 1);
});

test('a stop that comes while the engine is still starting is obeyed', async () => {
  const guarded = new Guarded('serve');
  await guarded.line('engine started');
  guarded.stop();
  assert.equal(await guarded.ended, 0);
  assertGone(guarded.pids());
});

test('an abort signal is a stop too, also before the first engine', async () => {
  const lines: LogLine[] = [];
  const log = createLog('guardian', (line) => lines.push(line));
  const command = [...nodeCommand, engine, 'serve'] as const;
  const stop = AbortSignal.abort();
  assert.equal(await guard({ command, clock: manualClock(), log, signals: new EventEmitter(), stop }), 0);
  assert.deepEqual(lines, []);
});

test('a program that cannot be started is a crash with its reason', async () => {
  const lines: LogLine[] = [];
  const ended = guard({
    command: ['/nonexistent/node'],
    clock: manualClock(),
    log: createLog('guardian', (line) => lines.push(line)),
    signals: new EventEmitter(),
    policy: { most: 0, windowMs: 1_000, firstDelayMs: 1, longestDelayMs: 1 },
  });
  assert.equal(await ended, 1);
  assert.match(String(lines.at(-1)?.fields['why']), /ENOENT/);
});

test('an engine whose guardian was killed stops by itself', { timeout: 20_000 }, async () => {
  const [node, ...flags] = nodeCommand;
  const guardian = spawn(
    node,
    [
      ...flags,
      fileURLToPath(new URL('../runtime/process/guardian-process.ts', import.meta.url)),
      engine,
      'serve',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let pid = 0;
  for await (const text of createInterface(guardian.stderr)) {
    const line = JSON.parse(text) as { message: string; pid: number };
    if (line.message !== 'engine is ready') continue;
    pid = line.pid;
    guardian.kill('SIGKILL');
  }
  // The engine writes to the same pipe: that the pipe has ended says that the engine has gone too, within the
  // limit of this test.
  assert.notEqual(pid, 0);
});

test('what an engine kept is given to the next one, once, and nothing too large', async () => {
  const guarded = new Guarded('keep', 'keep', 'tell', 'tell', 'serve');
  for (const times of [1, 2, 3, 4]) await guarded.restarted(times);
  await guarded.line('engine is ready', 3);
  const refused = await guarded.line('too much to be kept for the next engine');
  assert.equal(refused.fields['name'], 'large');
  guarded.stop();
  assert.equal(await guarded.ended, 0);
  const told = guarded.lines.filter(({ message }) => message === 'engine asks for a restart');
  // The delay before the third start has passed since it was kept.
  assert.deepEqual(
    told.map(({ fields }) => JSON.parse(fields['why'] as string)),
    [
      [{ value: 'ii', ageMs: 100 }, null],
      [null, null],
    ],
  );
  assertGone(guarded.pids());
});

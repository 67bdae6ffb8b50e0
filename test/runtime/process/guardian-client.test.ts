import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import test from 'node:test';
import {
  type EngineMessage,
  GuardianClient,
  HEARTBEAT_MS,
  PREVIOUS_VARIABLE,
  RESTARTS_VARIABLE,
} from '../../../runtime/process/guardian-client.ts';
import { manualClock } from '../manual-clock.ts';

/** The part of `process` a guardian client uses; `taken()` lets the guardian take the last message. */
class FakeProcess extends EventEmitter {
  readonly pid = 7;
  readonly env: Record<string, string | undefined>;
  readonly sent: string[] = [];
  readonly killed: string[] = [];
  connected = true;
  taken: () => void = () => {};

  constructor(restarts?: number) {
    super();
    this.env = restarts === undefined ? {} : { [RESTARTS_VARIABLE]: String(restarts) };
  }

  send(message: EngineMessage, done: (error: Error | null) => void): boolean {
    this.sent.push(message.type);
    this.taken = () => done(null);
    return true;
  }

  kill(pid: number, signal: string): void {
    this.killed.push(`${pid} ${signal}`);
  }
}

function attach(process: FakeProcess, stop = new AbortController()) {
  const clock = manualClock();
  const client = new GuardianClient({ stop: stop.signal, clock, process, stopLimitMs: 5_000 });
  return { clock, client, stop, process };
}

test('a heartbeat is sent once a second, and not before the guardian took the last one', () => {
  const { clock, process } = attach(new FakeProcess(0));
  clock.advance(10 * HEARTBEAT_MS);
  assert.deepEqual(process.sent, ['heartbeat']);
  process.taken();
  clock.advance(HEARTBEAT_MS - 1);
  assert.deepEqual(process.sent, ['heartbeat']);
  clock.advance(1);
  assert.deepEqual(process.sent, ['heartbeat', 'heartbeat']);
});

test('the request to stop, the end of the guardian and a signal each abort once, and an engine that hangs is killed', () => {
  const ways: [string, (made: ReturnType<typeof attach>) => void][] = [
    ['SIGTERM', ({ process }) => process.emit('message', { type: 'stop', reason: 'SIGTERM' })],
    ['the guardian has ended', ({ process }) => process.emit('disconnect')],
    ['ctrl-C', ({ stop }) => stop.abort(new Error('ctrl-C'))],
  ];
  for (const [reason, way] of ways) {
    const made = attach(new FakeProcess(0));
    let aborts = 0;
    made.client.signal.addEventListener('abort', () => aborts++);
    way(made);
    for (const [, again] of ways) again(made);
    assert.deepEqual([aborts, (made.client.signal.reason as Error).message], [1, reason]);
    made.clock.advance(4_999);
    assert.deepEqual(made.process.killed, []);
    made.clock.advance(1);
    assert.deepEqual(made.process.killed, ['7 SIGKILL']);
  }
});

test('a closed client sends no heartbeat and kills nothing', () => {
  const { clock, client, process, stop } = attach(new FakeProcess(0));
  stop.abort();
  client.close();
  process.taken();
  clock.advance(60_000);
  assert.deepEqual([process.sent, process.killed, clock.waiting], [['heartbeat'], [], 0]);
});

test('a restart is requested once, with its reason, and aborts', () => {
  const { client, process } = attach(new FakeProcess(3));
  client.ready();
  client.requestRestart('decoder-1 is stuck');
  client.requestRestart('decoder-2 is stuck');
  assert.deepEqual(process.sent, ['heartbeat', 'ready', 'restart']);
  assert.equal((client.signal.reason as Error).message, 'decoder-1 is stuck');
  assert.deepEqual([client.restartRequested, client.restarts, client.guarded], [true, 3, true]);
});

test('an engine whose guardian has ended is guarded no more: the process above it is another one', () => {
  const { client, process } = attach(new FakeProcess(0));
  assert.equal(client.guarded, true);
  process.connected = false;
  assert.equal(client.guarded, false);
  const late = new FakeProcess(0);
  late.connected = false;
  assert.equal(attach(late).client.signal.aborted, true);
});

test('programs that the engine starts have no guardian', () => {
  const { process } = attach(new FakeProcess(2));
  assert.deepEqual(Object.keys(process.env), []);
});

test('without a guardian nothing is sent and signals still stop', () => {
  const { client, process, stop } = attach(new FakeProcess());
  client.ready();
  stop.abort();
  assert.deepEqual(
    [process.sent, client.signal.aborted, client.guarded, client.restarts],
    [[], true, false, 0],
  );
});

test('an engine knows how the one before it ended, and takes no other text for it', () => {
  const told = (value?: string) => {
    const process = new FakeProcess(1);
    process.env[PREVIOUS_VARIABLE] = value;
    const { previous } = attach(process).client;
    assert.equal(PREVIOUS_VARIABLE in process.env, false, 'programs that the engine starts follow no engine');
    return previous;
  };
  assert.deepEqual(told('{"pid":7,"how":"SIGKILL"}'), { pid: 7, how: 'SIGKILL' });
  for (const value of [undefined, '', 'SIGKILL', 'null', '{"pid":"7","how":"x"}'])
    assert.equal(told(value), null);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { createLogSink, type LineStream, openLog } from '../../../runtime/process/log-sink.ts';
import { manualClock } from '../manual-clock.ts';
import { program, run } from './log-program.ts';

/** A stream that passes nothing on before it is told to. */
function slowStream(isTTY: boolean) {
  const written: string[] = [];
  let waiting: (() => void)[] = [];
  const stream: LineStream & { writableLength: number } = {
    isTTY,
    writableLength: 0,
    write: (chunk, done) => {
      written.push(chunk);
      stream.writableLength += chunk.length;
      if (done) waiting.push(done);
      return true;
    },
  };
  const drain = () => {
    stream.writableLength = 0;
    for (const done of waiting) done();
    waiting = [];
  };
  return { stream, written, drain };
}

test('a terminal is given text and everything else JSON, unless the format is set', () => {
  const table = [
    ['auto', true, false],
    ['auto', false, true],
    ['json', true, true],
    ['text', false, false],
  ] as const;
  for (const [format, isTTY, json] of table) {
    const { stream, written } = slowStream(isTTY);
    const { log } = openLog('t', stream, { level: 'info', format, colour: true, clock: manualClock() });
    log.info('said');
    assert.equal(written[0]!.startsWith('{'), json, `${format} ${isTTY}`);
    assert.equal(written[0]!.includes('\u001b['), !json && isTTY);
  }
});

test('a reader that does not read costs bounded memory, and the lines it lost are counted', async () => {
  const { stream, written, drain } = slowStream(false);
  const sink = createLogSink(stream, manualClock(), (lines) => `lost ${lines}\n`, 10);
  for (let i = 0; i < 100; i++) sink.write('12345\n');
  assert.equal(written.length, 2);
  drain();
  sink.write('next\n');
  assert.deepEqual(written.slice(2), ['lost 98\n', 'next\n']);
});

test('a flush ends when the stream has passed everything on, and after a second at the latest', async () => {
  const clock = manualClock();
  const { stream, drain } = slowStream(false);
  const sink = createLogSink(stream, clock, String);
  const first = sink.flush();
  drain();
  await first;
  assert.equal(clock.waiting, 0);
  const second = sink.flush();
  clock.advance(1_000);
  await second;
});

test('the last of many lines arrives when a process ends, and when it is flushed and killed', async () => {
  for (const end of ['process.exitCode = 0;', "await flush(); process.kill(process.pid, 'SIGKILL');"]) {
    const { lines } = await run(program(end));
    assert.equal(lines.length, 10_000, end);
    assert.equal(lines.at(-1)!['i'], 10_000);
  }
});

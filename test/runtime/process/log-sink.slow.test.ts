import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineErrors } from '../../../runtime/errors.ts';
import type { LogLine } from '../../../runtime/log.ts';
import {
  createLogSink,
  formatLine,
  formatReadable,
  type LineStream,
  openLog,
} from '../../../runtime/process/log-sink.ts';
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

function lineOf(fields: Record<string, unknown>, message = 'said'): LogLine {
  return { time: Date.UTC(2026, 0, 2, 3, 4, 5, 6), level: 'warn', name: 'test', message, fields };
}

test('a field cannot take the place of the head of a line', () => {
  const plain = JSON.parse(formatLine(lineOf({ level: 'x', name: 'y', time: 1, message: 'z' }))) as object;
  assert.deepEqual(plain, {
    time: '2026-01-02T03:04:05.006Z',
    level: 'warn',
    name: 'test',
    message: 'said',
    level_: 'x',
    name_: 'y',
    time_: 1,
    message_: 'z',
  });
});

test('an error is logged with its code, its details and everything that caused it', () => {
  const root = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  const error = engineErrors.INVALID_CONFIG('config.json: cannot be read', { file: 'config.json' }, root);
  type Plain = Record<string, unknown> & { cause: Record<string, unknown> };
  const plain = (JSON.parse(formatLine(lineOf({ error }))) as { error: Plain }).error;
  assert.deepEqual(
    [plain['code'], plain['message'], plain['details'], plain.cause['code']],
    ['INVALID_CONFIG', 'config.json: cannot be read', { file: 'config.json' }, 'EACCES'],
  );
  assert.match(String(plain.cause['stack']), /log-sink\.slow\.test\.ts/);
  const lines = formatReadable(lineOf({ error }), false).split('\n');
  assert.match(lines[0]!, / error="config.json: cannot be read"$/);
  assert.match(lines[1]!, /^ {4}EngineError: config.json: cannot be read$/);
  assert.ok(lines.includes('    caused by: Error: EACCES: permission denied'));
});

test('a line for a person has time, level, name, message and fields, coloured when asked', () => {
  const line = lineOf({ a: 1, text: 'two words', word: 'one', deep: { b: [true] }, empty: '' });
  const clock = new Date(line.time).toTimeString().slice(0, 8);
  assert.equal(
    formatReadable(line, false),
    `${clock}.006 WARN  test said a=1 text="two words" word=one deep={"b":[true]} empty=""\n`,
  );
  const coloured = formatReadable(line, true);
  assert.ok(coloured.includes('\u001b[33mWARN \u001b[0m'));
});

test('no file name moves the cursor, starts a line or turns the text around', () => {
  const name = 'a\u001b[2J\rb\nc\u009b1A\u202ed\u2028e\u0000\ud800.mp4';
  for (const line of [
    lineOf({ path: name }),
    lineOf({ [name]: 1 }),
    lineOf({}, name),
    lineOf({ a: { b: name } }),
  ]) {
    for (const shown of [formatLine(line), formatReadable(line, false)]) {
      const inside = shown.slice(0, -1);
      assert.doesNotMatch(inside, /[\p{Cc}\p{Zl}\p{Cs}\p{Bidi_Control}]/u);
      assert.match(inside, /\\u001b\[2J/);
    }
  }
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { formatLine, formatReadable } from '../../../runtime/process/log-line.ts';
import { createLogSink, type LineStream, openLog } from '../../../runtime/process/log-sink.ts';
import { redactFields, redactText } from '../../../runtime/redact.ts';

const key = `fh_${'Ab0-_'.repeat(8)}`;

function lineOf(fields: Record<string, unknown>, message = 'said'): LogLine {
  return { time: Date.UTC(2026, 0, 2, 3, 4, 5, 6), level: 'warn', name: 'test', message, fields };
}

test('a field that is called like a secret is redacted at any depth, and nothing else is', () => {
  const secrets = {
    license_key: 'abc',
    'X-License-Key': 'abc',
    Authorization: 'Basic abc',
    cookie: 'abc',
    'Set-Cookie': ['abc'],
    clientSecret: 'abc',
    user: { passwords: ['abc'], deeper: [{ access_token: 'abc', refreshToken: { abc: 'abc' } }] },
    tokens: ['abc'],
    api_key: 'abc',
    map: new Map([['password', 'abc']]),
  };
  assert.ok(!formatLine(lineOf(secrets)).includes('abc'));
  assert.ok(!formatReadable(lineOf(secrets), false).includes('abc'));
  const harmless = {
    model_key: 'siglip',
    key: 'k',
    tokens: 77,
    token_count: 3,
    password: null,
    hash: 'fh_1',
  };
  assert.deepEqual(redactFields(harmless), harmless);
});

test('a secret inside a text is redacted where it can be recognised', () => {
  const table: [string, string][] = [
    [`no key ${key} here`, 'no key [redacted] here'],
    [`"${key}"`, '"[redacted]"'],
    ['{"license_key": "abc", "query": "cat"}', '{"license_key": "[redacted]", "query": "cat"}'],
    ['GET /x?license_key=abc&max=3', 'GET /x?license_key=[redacted]&max=3'],
    ['Authorization: Bearer abc', 'Authorization: Bearer [redacted]'],
    ['proxy http://me:abc@host:80/', 'proxy http://me:[redacted]@host:80/'],
    ['/?access_token=abc', '/?access_token=[redacted]'],
    ['Unexpected token: x in JSON', 'Unexpected token: x in JSON'],
    ['12:30:45 /films/a: b.mp4', '12:30:45 /films/a: b.mp4'],
  ];
  for (const [given, expected] of table) {
    assert.equal(redactText(given), expected);
    assert.equal(redactText(expected), expected, 'twice changes nothing');
  }
  const where = [
    key,
    { a: key },
    [key],
    new Error(key),
    new Error('x', { cause: key }),
    new Map([[key, key]]),
  ];
  for (const value of where) {
    for (const line of [lineOf({ value }), lineOf({ [key]: value }), lineOf({}, key)]) {
      assert.ok(!formatLine(line).includes(key) && !formatReadable(line, true).includes(key));
    }
  }
});

test('a key at the place where a long text is cut is not left in halves', () => {
  for (let before = 8_140; before < 8_200; before++) {
    const cut = redactText(`${'.'.repeat(before)}${key}${'.'.repeat(9_000)}`);
    assert.ok(!cut.includes('fh_'), `after ${before}`);
    assert.ok(cut.length < 8_300);
  }
});

test('whatever is logged becomes one line of JSON, the same when it is done twice', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true })), (fields) => {
      const line = formatLine(lineOf(fields));
      assert.equal(line.split(/[\n\r\u2028\u2029]/).length, 2);
      assert.equal((JSON.parse(line) as { message: string }).message, 'said');
      const once = redactFields(fields);
      assert.deepEqual(redactFields(once), once);
      formatReadable(lineOf(fields), true);
    }),
    { numRuns: 300 },
  );
});

test('values that JSON has no form for are named, not thrown on', () => {
  const circle: Record<string, unknown> = { name: 'circle' };
  circle['self'] = { circle };
  const odd = {
    circle,
    big: 2n ** 64n,
    bytes: new Uint8Array(1_000),
    shared: new SharedArrayBuffer(8),
    none: Number.NaN,
    run: function run() {},
    sign: Symbol('sign'),
    date: new Date(Number.NaN),
    set: new Set([1]),
    url: new URL('http://a:b@c/'),
    long: 'x'.repeat(10_000),
    many: new Array(1_000).fill(0),
    get broken() {
      throw new Error('no');
    },
    proxy: new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('closed');
        },
      },
    ),
    absent: undefined,
  };
  const plain = JSON.parse(formatLine(lineOf(odd))) as Record<string, unknown>;
  const { long, many, time, level, name, message, ...rest } = plain;
  assert.deepEqual(rest, {
    circle: { name: 'circle', self: { circle: '[circular]' } },
    big: '18446744073709551616',
    bytes: '[Uint8Array of 1000 bytes]',
    shared: '[SharedArrayBuffer of 8 bytes]',
    none: 'NaN',
    run: '[function run]',
    sign: 'Symbol(sign)',
    date: 'Invalid Date',
    set: [1],
    url: 'http://a:[redacted]@c/',
    broken: '[unreadable]',
    proxy: '[unreadable: closed]',
  });
  assert.match(String(long), /^x{8192}… \(10000 characters\)$/);
  assert.deepEqual([(many as unknown[]).length, (many as unknown[])[100]], [101, '… 900 more']);
  assert.deepEqual([time, level, name, message], ['2026-01-02T03:04:05.006Z', 'warn', 'test', 'said']);
});

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
  assert.match(String(plain.cause['stack']), /log\.test\.ts/);
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

test('lines carry the fields and the name of the log they were written to', () => {
  const lines: LogLine[] = [];
  const log = createLog('http', (line) => lines.push(line), { level: 'info', now: () => 5 });
  const request = log.with({ request_id: 'r1' }).with({ route: '/x' }).named('search');
  request.info('began');
  request.error('failed', { route: '/y' });
  request.debug('not written');
  log.info('other');
  assert.deepEqual(lines, [
    { time: 5, level: 'info', name: 'search', message: 'began', fields: { request_id: 'r1', route: '/x' } },
    { time: 5, level: 'error', name: 'search', message: 'failed', fields: { request_id: 'r1', route: '/y' } },
    { time: 5, level: 'info', name: 'http', message: 'other', fields: {} },
  ]);
  assert.equal(request.level, 'info');
});

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

const program = (end: string, lines = 10_000) => `
  import { endOnFault } from ${JSON.stringify(new URL('../../../runtime/process/fault.ts', import.meta.url).href)};
  import { openLog } from ${JSON.stringify(new URL('../../../runtime/process/log-sink.ts', import.meta.url).href)};
  import { systemClock } from ${JSON.stringify(new URL('../../../runtime/clock.ts', import.meta.url).href)};
  const { log, flush } = openLog('t', process.stderr, { level: 'info', format: 'json', colour: false, clock: systemClock });
  for (let i = 1; i <= ${lines}; i++) log.info('line', { i });
  ${end}`;

test('the last of many lines arrives when a process ends, and when it is flushed and killed', async () => {
  for (const end of ['process.exitCode = 0;', "await flush(); process.kill(process.pid, 'SIGKILL');"]) {
    const { lines } = await run(program(end));
    assert.equal(lines.length, 10_000, end);
    assert.equal(lines.at(-1)!['i'], 10_000);
  }
});

test('an error nobody caught is the last line of the log, and the process is gone', async () => {
  for (const fault of [`Promise.reject(new Error('${key}'))`, `throw new Error('${key}')`]) {
    const end = `endOnFault(log, flush); setInterval(() => {}, 1e9); setImmediate(() => { ${fault}; });`;
    const { lines, signal } = await run(program(end, 100));
    const last = lines.at(-1)!;
    assert.deepEqual([last['message'], lines.length, signal], ['engine met a fault', 101, 'SIGKILL']);
    assert.equal((last['error'] as { message: string }).message, '[redacted]');
  }
});

/** Runs a program to its end; its log is one JSON object a line. */
async function run(source: string) {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', source], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[, signal], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  const lines = said.trimEnd().split('\n');
  return {
    signal: signal as string | null,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

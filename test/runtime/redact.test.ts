import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog, type LogLine } from '../../runtime/log.ts';
import { formatLine, formatReadable } from '../../runtime/process/log-sink.ts';
import { redactFields, redactText } from '../../runtime/redact.ts';
import { draws } from '../shared.ts';

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
    { numRuns: draws(300) },
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { engineErrors } from '../../runtime/errors.ts';
import { hostRule, localOrigin, pageAddress } from '../../runtime/origin.ts';

const local = { host: '127.0.0.1' };

test('loopback names pass, in every form a client sends them', () => {
  const rule = hostRule([], local);
  const names = [
    'localhost',
    'LocalHost',
    'localhost.',
    'films.localhost',
    'a.b.localhost.',
    '127.0.0.1',
    '127.0.0.1.',
  ];
  for (const name of [...names, '127.255.3.4', '[::1]', '[0:0:0:0:0:0:0:1]']) {
    for (const header of [name, `${name}:6699`, `${name}:80`]) assert.equal(rule(header), true, header);
  }
});

const tricks = [
  undefined,
  '',
  ' ',
  '.',
  ':6699',
  'localhost:',
  'localhost:port',
  'localhost:65536',
  'localhost:123456',
  'evil.example',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'evil-localhost',
  'notlocalhost',
  '.localhost',
  'a..localhost',
  'localhost..',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '127.0.0.01',
  '127.0.0.256',
  '128.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '::1',
  '[::1',
  '::1]',
  '[::1%lo]',
  '[localhost]',
  'user@localhost',
  'localhost@evil.example',
  'localhost#',
  'localhost/',
  'localhost\\',
  'localhost?',
  'http://localhost',
  'localhost, evil.example',
  'localhost evil.example',
  'localhost\t',
  ' localhost',
  'localhost\0',
  'locаlhost',
  'ⓛocalhost',
  '１27.0.0.1',
  'localhost。',
  `${'a'.repeat(64)}.localhost`,
  `${'a.'.repeat(200)}localhost`,
];

test('a name that only looks like loopback does not pass', () => {
  const rule = hostRule([], local);
  for (const header of tricks) assert.equal(rule(header), false, String(header));
});

test('a configured name passes: any port without one, that port with one', () => {
  const rule = hostRule(
    ['Studio.Example', 'nas:8080', '10.0.0.7', 'bücher.example', '[fd00::0:7]:81', 'fd00::8'],
    local,
  );
  const table = [
    ['studio.example', true],
    ['STUDIO.example.:99', true],
    ['a.studio.example', false],
    ['studio.example.evil', false],
    ['nas', false],
    ['nas:8080', true],
    ['nas:8081', false],
    ['10.0.0.7:6699', true],
    ['10.0.0.8', false],
    ['xn--bcher-kva.example', true],
    ['[fd00::7]:81', true],
    ['[fd00::7]', false],
    ['[fd00:0::8]', true],
    ['localhost', true],
  ] as const;
  for (const [header, passes] of table) assert.equal(rule(header), passes, header);
});

test('an entry that is no host name is an error of the settings', () => {
  for (const name of [
    '*',
    '*.example',
    'http://a.example',
    'a b',
    'a:port',
    'a/b',
    '',
    'a..b',
    '[::1',
    'a:99999',
  ]) {
    assert.throws(() => hostRule([name], local), engineErrors.INVALID_CONFIG.is, name);
  }
});

test('the configured listen address passes; 0.0.0.0 and :: allow nothing', () => {
  const table = [
    ['192.168.1.5', '192.168.1.5:6699', true],
    ['192.168.1.5', '192.168.1.6', false],
    ['studio.lan', 'studio.lan:6699', true],
    ['fe80::5%eth0', '[fe80::5]:6699', true],
    ['0.0.0.0', '0.0.0.0:6699', false],
    ['0.0.0.0', '192.168.1.5', false],
    ['::', '[::]:6699', false],
    ['0.0.0.0', 'localhost', true],
  ] as const;
  for (const [host, header, passes] of table) {
    assert.equal(hostRule([], { host })(header), passes, `${host}: ${header}`);
  }
});

test('the cache of hosts that passed changes no later decision', () => {
  const parts = fc.constantFrom('localhost', 'evil.example', '127.0.0.1', '[::1]', 'nas', ':1', ':2', '.');
  const headers = fc.array(fc.array(parts, { maxLength: 3 }).map((all) => all.join('')));
  const fresh = () => hostRule(['nas:1'], local);
  fc.assert(
    fc.property(headers, (texts) => {
      const seasoned = fresh();
      for (const text of [...texts, ...texts, 'nas', 'nas:1', 'nas', 'nas:2']) {
        assert.equal(seasoned(text), fresh()(text), text);
      }
    }),
  );
});

test('the page is opened as localhost where that reaches the service, and a program reaches it by an address', () => {
  for (const [host, page, origin] of [
    ['127.0.0.1', 'http://localhost:1/', 'http://127.0.0.1:1'],
    ['localhost', 'http://localhost:1/', 'http://127.0.0.1:1'],
    ['0.0.0.0', 'http://localhost:1/', 'http://127.0.0.1:1'],
    ['::', 'http://localhost:1/', 'http://[::1]:1'],
    ['::1', 'http://localhost:1/', 'http://[::1]:1'],
    ['127.0.0.2', 'http://127.0.0.2:1/', 'http://127.0.0.2:1'],
    ['fe80::1%eth0', 'http://[fe80::1]:1/', 'http://[fe80::1]:1'],
    ['nas', 'http://nas:1/', 'http://nas:1'],
  ] as const) {
    assert.deepEqual([pageAddress(host, 1), localOrigin(host, 1)], [page, origin], host);
  }
});

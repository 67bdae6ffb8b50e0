import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createBounded } from '../../../../http/page/app/pictures.ts';
import {
  momentArgument,
  parseMoment,
  parseRoute,
  routeHash,
  ticketIn,
  viewNames,
} from '../../../../http/page/app/route.ts';
import { clock, fullClock, nameOf, secondsOf } from '../../../../http/page/app/times.ts';

test('an address says where one is, and back', () => {
  fc.assert(
    fc.property(fc.constantFrom(...viewNames), fc.string(), fc.webQueryParameters(), (...parts) => {
      const [view, argument, params] = parts;
      assert.deepEqual(parseRoute(routeHash({ view, argument, params })), { view, argument, params });
    }),
  );
  assert.equal(routeHash({ view: 'player', argument: 'ab12@12.5' }), '#/player/ab12@12.5');
  assert.equal(routeHash({ view: 'search', argument: '', params: 'q=red+car' }), '#/search?q=red+car');
});

test('what is no address of a view is none', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#search', '#/Search', '#/../search', 'x'])
    assert.equal(parseRoute(hash), null, hash);
  assert.deepEqual(parseRoute('#/lists/%E0%A4%A'), { view: 'lists', argument: '', params: '' });
});

test('a ticket is what stands alone after the #', () => {
  assert.equal(ticketIn('#a-ticket_1'), 'a-ticket_1');
  for (const hash of ['', '#', '#/search', '#/player/ab@1']) assert.equal(ticketIn(hash), null, hash);
});

test('a moment is a hash and a second; a path is none', () => {
  assert.deepEqual(parseMoment('ab12@12.5'), { hash_str: 'ab12', seconds: 12.5 });
  assert.deepEqual(parseMoment('ab12'), { hash_str: 'ab12', seconds: 0 });
  for (const argument of ['', '@3', '/films/a.mp4@3', 'ab@x', 'ab@-1', 'C:\\a'])
    assert.equal(parseMoment(argument), null, argument);
  assert.equal(momentArgument({ hash_str: 'ab', seconds: 1 / 3 }), 'ab@0.333');
});

test('times are written as a person reads them, and read back', () => {
  assert.deepEqual([clock(0), clock(65.9), clock(3661)], ['0:00', '1:05', '1:01:01']);
  assert.deepEqual([clock(59.96, { decimals: 1 }), clock(1.23, { decimals: 1 })], ['1:00.0', '0:01.2']);
  assert.deepEqual(
    [clock(59.9996, { decimals: 3 }), clock(3601.0405, { decimals: 3 })],
    ['1:00.000', '1:00:01.041'],
  );
  assert.equal(fullClock(3661.9), '01:01:01');
  assert.deepEqual(['90', '1:30', '1:00:00', '1:03,5', ' 2:00 '].map(secondsOf), [90, 90, 3600, 63.5, 120]);
  for (const text of ['', 'x', '1:2:3:4', '-1', '1:']) assert.equal(secondsOf(text), null, text);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), (seconds) => {
      assert.equal(secondsOf(clock(seconds)), seconds);
      assert.equal(secondsOf(fullClock(seconds)), seconds);
    }),
  );
});

test('the name of a file is the last part of its path, of any system', () => {
  assert.deepEqual(['/a/b.mp4', 'C:\\a\\b.mp4', 'b', '/'].map(nameOf), ['b.mp4', 'b.mp4', 'b', '/']);
});

test('of too many entries the one goes that was not asked for for the longest time', () => {
  const kept = createBounded<number>(2);
  kept.set('a', 1);
  kept.set('b', 2);
  assert.equal(kept.get('a'), 1);
  kept.set('c', 3);
  assert.deepEqual([kept.get('a'), kept.get('b'), kept.get('c'), kept.size], [1, undefined, 3, 2]);
});

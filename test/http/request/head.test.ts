import assert from 'node:assert/strict';
import test from 'node:test';
import { bearerOf } from '../../../http/request/head.ts';

test('a key is taken from a bearer token only, whatever its case and the spaces around', () => {
  const cases: [string, string][] = [
    ['Bearer abc', 'abc'],
    ['bearer   ABC-1.2 ', 'ABC-1.2'],
    ['', ''],
    ['Bearer', ''],
    ['Bearer ', ''],
    ['Bearer a b', ''],
    ['Bearer ä', ''],
    ['Basic YTpi', ''],
    ['XBearer abc', ''],
  ];
  for (const [header, key] of cases) assert.equal(bearerOf(header), key, header);
});

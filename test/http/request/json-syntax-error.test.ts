import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { BodyRefusal, jsonErrorAt, parseBody } from '../../../http/request/body.ts';
import { draws } from '../../shared.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('what is JSON and what is not is decided as JSON.parse does', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '"\\x"',
    '"',
    '\\',
    '1',
    '-0.5e+3',
    '01',
    '-',
    '.',
  ].concat(['true', 'null', 'nul', ' ', '\n', '\u00a0', '\u0001', 'é', '{"a":1}', '[1, 2]']);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      assert.equal(jsonErrorAt(text) === null, isJson(text), text);
    }),
    { numRuns: draws(3000) },
  );
});

test('JSON with one changed character has its syntax error at that character or behind it', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom('}', ']', ':', ',', '"', 'x', '\n'),
      (json, at, letter) => {
        const place = at % json.length;
        const text = json.slice(0, place) + letter + json.slice(place + 1);
        const fault = jsonErrorAt(text);
        assert.equal(fault === null, isJson(text), text);
        // A token is told by its start, which may lie before the letter.
        if (fault !== null && fault < text.length) assert.ok(isBegun(text.slice(0, fault)), text);
      },
    ),
    { numRuns: draws(2000) },
  );
});

/**
 * Whether something can be written behind the text that makes it JSON: what stands before a fault is sound.
 */
function isBegun(text: string): boolean {
  const fault = jsonErrorAt(text);
  return fault === null || fault === text.length;
}

/** The reason of a 400. */
function refusedBy(bytes: Uint8Array): string {
  const refusal = parseBody(bytes);
  assert.ok(refusal instanceof BodyRefusal && refusal.status === 400);
  return refusal.refused;
}

test('a syntax error is reported by line and column, without the text', () => {
  const said = (text: string) => refusedBy(Buffer.from(text));
  assert.equal(
    said('{\n  "license_key": "fh-secret" "q": 1\n}'),
    'The body is not valid JSON at line 2, column 30',
  );
  assert.equal(said('fh-secret'), 'The body is not valid JSON at line 1, column 1');
  assert.equal(said('{"license_key": "fh-secret"'), 'The body is not valid JSON: it ends too early');
  assert.equal(said('"fh-secret"'), 'The body must be a JSON object');
});

test('a body may nest deeper than the call stack', () => {
  const deep = '['.repeat(900_000);
  assert.equal(
    refusedBy(Buffer.from(`{"a":${deep}}`)),
    'The body is not valid JSON at line 1, column 900006',
  );
});

test('a body with too many values is not parsed, a large one with few values is', () => {
  // Each of these keeps the parser for seconds, one of 80 MiB longer than the guardian waits for a sign of
  // life.
  for (const part of ['[', '{"a":', '{},']) {
    const bytes = Buffer.from(part.repeat(1_000_001));
    assert.deepEqual(parseBody(bytes), new BodyRefusal('The body contains more than 1000000 values', 413));
  }
  const face_images = ['A'.repeat(4 * 1024 * 1024)];
  assert.deepEqual(parseBody(Buffer.from(JSON.stringify({ face_images }))), { face_images });
  assert.equal(
    refusedBy(Buffer.from('\n'.repeat(4 * 1024 * 1024))),
    'The body is not valid JSON: it ends too early',
  );
});

test('a body has at most 250,000 keys, wherever they are', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `"/media/${i}": [0, 1]`).join(',');
  const body = (count: number) => parseBody(Buffer.from(`{"segments_to_frame_indices":{${keys(count)}}}`));
  assert.ok(!(body(249_999) instanceof BodyRefusal));
  const refusal = new BodyRefusal('The body contains more than 250000 keys', 413);
  assert.deepEqual(body(250_000), refusal);
  assert.deepEqual(parseBody(Buffer.from(`[${'{"a" : 1},'.repeat(250_001)}{}]`)), refusal);
});

test('a body that is not UTF-8 is refused, not repaired', () => {
  const bytes = Buffer.concat([Buffer.from('{"q":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  assert.equal(refusedBy(bytes), 'The body is not UTF-8');
});

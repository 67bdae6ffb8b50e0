import assert from 'node:assert/strict';
import test from 'node:test';
import { inlineImage } from '../../../actors/decoder/inline-image.ts';

test('the head of a data URL may have parameters, and is refused when it is longer than any', () => {
  const wrong = 'must be a data URL of the form data:image/...;base64,...';
  assert.deepEqual(inlineImage('data:image/png;name=a;base64,AAAA', 100), { bytes: 3 });
  assert.equal(inlineImage(`data:image/png${';a=b'.repeat(6_000_000)};base64,AAAA`, 100), wrong);
});

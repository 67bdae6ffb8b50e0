import assert from 'node:assert/strict';
import test from 'node:test';
import { missingWarning } from '../../../actors/exporter/fonts.ts';

test('the warning names packages with the missing glyphs', () => {
  assert.equal(missingWarning([]), null);
  assert.match(missingWarning(['語'])!, /a character.*語.*fonts-noto-cjk/);
  assert.match(missingWarning(['ส', '🎬'])!, /2 characters.*fonts-noto-core.*symbola/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';

const folder = new URL('../../../actors/faces/', import.meta.url);

test('planes.wasm is planes.wat assembled', async () => {
  const wabt = await (createRequire(import.meta.url)('wabt') as typeof import('wabt'))();
  const text = readFileSync(new URL('planes.wat', folder), 'utf8');
  const parsed = wabt.parseWat('planes.wat', text, { simd: true });
  parsed.resolveNames();
  parsed.validate();
  assert.deepEqual(Buffer.from(parsed.toBinary({}).buffer), readFileSync(new URL('planes.wasm', folder)));
});

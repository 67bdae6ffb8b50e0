import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode, hlgLinear, pqLinear, toneMap } from '../../../../actors/decoder/pixels/hdr.ts';

test('PQ and HLG signals have the luminance of their standards', () => {
  // ITU-R BT.2408, table 1: reference white of 203 cd/m² is a signal of 58 % PQ and 75 % HLG.
  assert.ok(Math.abs(pqLinear(0.58) - 1) < 0.02);
  assert.ok(Math.abs(hlgLinear(0.75) - 1) < 0.02);
  assert.equal(pqLinear(0), 0);
  assert.ok(Math.abs(pqLinear(1) - 10000 / 203) < 1e-6);
});

test('brighter light never gets darker, and grey stays grey', () => {
  for (let light = 0; light < 20; light += 0.01) assert.ok(encode(light) <= encode(light + 0.01));
  for (const transfer of [16, 18]) {
    const ramp = Uint8Array.from({ length: 256 * 3 }, (_, i) => Math.floor(i / 3));
    toneMap(transfer)!(ramp);
    for (let at = 0; at < ramp.length; at += 3) {
      assert.ok(Math.abs(ramp[at]! - ramp[at + 1]!) <= 2 && Math.abs(ramp[at]! - ramp[at + 2]!) <= 2);
      if (at > 0) assert.ok(ramp[at]! >= ramp[at - 3]!);
    }
    assert.deepEqual([ramp[0], ramp.at(-1)], [0, 255]);
  }
});

test('other transfer functions are not tone mapped', () => {
  for (const transfer of [1, 2, 6, 13]) assert.equal(toneMap(transfer), null);
});

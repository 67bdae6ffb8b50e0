import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelErrors } from '../../../actors/models/contract.ts';
import { Float16Table, float16 } from '../../../actors/transcriber/float16-table.ts';

test('16 bits are the number of IEEE 754', () => {
  const table: [number, number][] = [
    [0x0000, 0],
    [0x8000, -0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x7bff, 65_504],
    [0xfbff, -65_504],
    [0x0400, 2 ** -14],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0xfc00, Number.NEGATIVE_INFINITY],
    [0x7e00, Number.NaN],
  ];
  for (const [bits, number] of table) assert(Object.is(float16(bits), number), bits.toString(16));
});

test('rows are read from the file, and a row that is not there is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'half-'));
  try {
    const path = join(folder, 'rows.bin');
    await writeFile(path, new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x4200, 0x0000).buffer));
    const rows = await Float16Table.open(path, 2);
    const into = new Float32Array(2);
    assert.deepEqual([rows.rows, rows.width], [2, 2]);
    await rows.read(1, into);
    assert.deepEqual([...into], [3, 0]);
    await rows.read(0, into);
    assert.deepEqual([...into], [1, -2]);
    for (const row of [-1, 2]) await assert.rejects(rows.read(row, into), modelErrors.MODEL_RUN_FAILED.is);
    await rows.close();
    await assert.rejects(Float16Table.open(path, 3), modelErrors.MODEL_LOAD_FAILED.is);
    await assert.rejects(Float16Table.open(join(folder, 'none.bin'), 3), modelErrors.MODEL_LOAD_FAILED.is);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

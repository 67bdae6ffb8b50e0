import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { familyOf } from '../../../actors/embedder/actor.ts';
import type { VisualFamily } from '../../../actors/embedder/family.ts';
import { normalizeRows } from '../../../actors/embedder/towers.ts';
import { type ModelRow, modelErrors, type VisualRow } from '../../../actors/models/contract.ts';
import { fileOf } from '../../../actors/models/registry.ts';
import { takingBytes } from '../../../actors/models/rewriting/picture-bytes.ts';
import { openSession } from '../../../actors/models/session.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { createLog } from '../../../runtime/log.ts';
import { cosine, DIMENSIONS, expectedPicture, expectedText, SIDE, textGraph, visionGraph } from './graphs.ts';
import { clipFiles, clipRow, siglipFiles, siglipRow, type TinyFiles, writeModel } from './tiny.ts';
import { clipLike, gemmaLike, vocabularyOf } from './tokenizers.ts';

let folder = '';
const opened: VisualFamily[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'towers-'));
});
after(async () => {
  for (const family of opened) await family.close();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
async function open(row: ModelRow, files: TinyFiles): Promise<VisualFamily> {
  const own = { ...row, key: `${row.key}-${count++}` } as VisualRow;
  await writeModel(folder, own, files);
  const log = createLog('test', () => {});
  const family = await familyOf(own).open(
    own,
    (role) => fileOf(folder, own, role),
    (source) => openSession(source, { device: 'cpu', threads: 1, log }),
  );
  opened.push(family);
  return family;
}

const picture = (seed: number) =>
  Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, at) => (at * seed * 13 + (at >> 3)) & 255);
const close = (found: ArrayLike<number>, expected: readonly number[]) => {
  for (const [at, value] of expected.entries()) {
    assert(Math.abs(found[at]! - value) < 1e-4, `${at}: ${found[at]} for ${value}`);
  }
};
const part = (vectors: Float32Array, at: number) => vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);

const cases = [
  ['siglip', siglipRow, siglipFiles, [0.5, 0.5, 0.5], [0.5, 0.5, 0.5]],
  ['clip', clipRow, clipFiles, [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]],
] as const;
for (const [name, row, files, mean, std] of cases) {
  test(`${name}: the vectors of pictures are those of a slow reference, in order`, async () => {
    const family = await open(row(name), files);
    const pictures = [picture(1), picture(2), picture(3)];
    const vectors = await family.pictures(pictures);
    assert.equal(vectors.length, 3 * DIMENSIONS);
    for (const [at, pixels] of pictures.entries()) {
      const value = (channel: number, y: number, x: number) =>
        (pixels[(y * SIDE + x) * 3 + channel]! / 255 - mean[channel]!) / std[channel]!;
      close(part(vectors, at), expectedPicture(value));
    }
  });

  test(`${name}: a picture alone has the vector it has among others, also after a larger batch`, async () => {
    const family = await open(row(name), files);
    const among = await family.pictures([picture(5), picture(6), picture(7), picture(8)]);
    close(await family.pictures([picture(7)]), [...part(among, 2)]);
  });

  test(`${name}: a picture of swapped red and blue is another picture`, async () => {
    const family = await open(row(name), files);
    const swapped = picture(3);
    for (let at = 0; at < swapped.length; at += 3) {
      [swapped[at], swapped[at + 2]] = [swapped[at + 2]!, swapped[at]!];
    }
    const vectors = await family.pictures([picture(3), swapped]);
    assert(cosine(part(vectors, 0), part(vectors, 1)) < 0.999);
  });
}

/** The processor in the place of a device whose memory holds `most` pictures; counts them by run. */
async function onDevice(most: number, changes: Partial<VisualRow['visual']> = {}) {
  const own = { ...siglipRow('device', changes), key: `device-${count++}` } as VisualRow;
  await writeModel(folder, own, siglipFiles);
  const log = createLog('test', () => {});
  const runs: number[] = [];
  const family = await familyOf(own).open(
    own,
    (role) => fileOf(folder, own, role),
    async (source, { pictures } = {}) => {
      const graph = pictures ? takingBytes(await readFile(String(source)), pictures) : source;
      const session = await openSession(graph, { device: 'cpu', threads: 1, log });
      const run: typeof session.run = (feeds, fetch) => {
        const taken = feeds['picture_bytes']?.dims[0];
        if (taken !== undefined) runs.push(taken);
        if ((taken ?? 0) > most) throw modelErrors.MODEL_RUN_FAILED('out of memory', { file: 'vision' });
        return session.run(feeds, fetch);
      };
      return { ...session, device: 'cuda', run };
    },
  );
  opened.push(family);
  return { family, runs };
}

test('a device is given bytes, and answers the vectors of the processor', async () => {
  const { family } = await onDevice(32);
  assert.equal(family.batch, 32);
  const processor = await open(siglipRow('siglip'), siglipFiles);
  const pictures = [picture(1), picture(2), picture(3)];
  const [there, here] = [await family.pictures(pictures), await processor.pictures(pictures)];
  close(there, [...here]);
});

test('a device runs as many pictures as its memory holds, at least those of the row', async () => {
  const small = await onDevice(9);
  assert.deepEqual([small.family.batch, small.runs], [8, [32, 16, 8]]);
  const least = await onDevice(4);
  assert.deepEqual([least.family.batch, least.runs], [4, [32, 16, 8, 4]]);
  await assert.rejects(onDevice(3), modelErrors.MODEL_RUN_FAILED.is);
  // Vectors of this graph depend on the batch.
  assert.equal((await onDevice(32, { batch: 1 })).family.batch, 1);
});

test('siglip: the vector of a text is that of its tokens padded with the pad id to 64', async () => {
  const gemma = vocabularyOf(gemmaLike());
  const tokens = [gemma.red!, gemma['▁car']!, 1];
  const padded = [...tokens, ...Array.from({ length: 61 }, () => 0)];
  const family = await open(siglipRow('siglip'), siglipFiles);
  const { vectors, unknownWords } = await family.texts(['Red car']);
  close(vectors, expectedText(padded, 64));
  assert.deepEqual(unknownWords, [[]]);
});

test('clip: the vector of a text is that of its tokens alone, where the graph takes a mask', async () => {
  const clip = vocabularyOf(clipLike());
  const tokens = [300, clip['red</w>']!, clip['car</w>']!, 301];
  close(
    (await (await open(clipRow('clip'), clipFiles)).texts(['red car'])).vectors,
    expectedText(tokens, 77, true),
  );
  const unmasked = { ...clipFiles, text: textGraph('text_embeds', 77) };
  const padded = [...tokens, ...Array.from({ length: 73 }, () => 301)];
  close((await (await open(clipRow('clip'), unmasked)).texts(['red car'])).vectors, expectedText(padded, 77));
});

// What a wrong row would do: no error anywhere, only another vector. Each of these is stated by the row for
// that reason.
const side = siglipRow('x').visual!.text!;
const silent = [
  ['the wrong pad id', { pad_id: 1 }],
  ['no lower-casing', { lower_case: false }],
  ['the wrong end token', { end_id: 2 }],
] as const;
for (const [what, change] of silent) {
  test(`${what} changes the vector of a text without an error`, async () => {
    const right = await open(siglipRow('siglip'), siglipFiles);
    const wrong = await open(siglipRow('siglip', { text: { ...side, ...change } }), siglipFiles);
    const [a, b] = [await right.texts(['Red Car']), await wrong.texts(['Red Car'])];
    assert(cosine(a.vectors, b.vectors) < 0.999, String(cosine(a.vectors, b.vectors)));
  });
}

test('the wrong mean changes the vector of a picture without an error', async () => {
  const right = await open(siglipRow('siglip'), siglipFiles);
  const wrong = await open(siglipRow('siglip', { mean: [0, 0, 0], std: [1, 1, 1] }), siglipFiles);
  assert(cosine(await right.pictures([picture(1)]), await wrong.pictures([picture(1)])) < 0.999);
});

test('an 8-bit graph answers otherwise among other pictures, which is why its row has batch 1', async () => {
  const files = { ...clipFiles, vision: visionGraph({ output: 'image_embeds', dynamic8: true }) };
  const family = await open(clipRow('clip'), files);
  const pale = picture(1).map((byte) => 120 + (byte >> 4));
  const alone = await family.pictures([pale]);
  const among = part(await family.pictures([pale, picture(2)]), 0);
  const apart = (other: Float32Array) => Math.max(...alone.map((value, at) => Math.abs(value - other[at]!)));
  assert.equal(apart(await family.pictures([pale])), 0);
  assert(apart(among) > 0.001, String(apart(among)));
});

const refused: [string, TinyFiles, RegExp][] = [
  [
    'without its output',
    { ...siglipFiles, vision: visionGraph({ output: 'logits' }) },
    /vision.onnx: has the outputs last_hidden_state, logits, none of pooler_output/,
  ],
  [
    'without its input',
    { ...siglipFiles, vision: visionGraph({ output: 'pooler_output', input: 'image' }) },
    /vision.onnx: has no input pixel_values, only image/,
  ],
  [
    'of another size',
    { ...siglipFiles, vision: visionGraph({ output: 'pooler_output', side: 8 }) },
    /vision.onnx: input pixel_values has the shape batch_size×3×8×8, expected 4×3×16×16/,
  ],
  [
    'of another element type',
    { ...siglipFiles, vision: visionGraph({ output: 'pooler_output', type: 'uint8' }) },
    /pixel_values is uint8, expected float32/,
  ],
  [
    'that answers nothing',
    { ...siglipFiles, vision: visionGraph({ output: 'pooler_output', dead: true }) },
    /vision.onnx.*row 0 has no direction/,
  ],
  [
    'of another text length',
    { ...siglipFiles, text: textGraph('pooler_output', 77) },
    /text.onnx: input input_ids has the shape batch_size×77, expected 4×64/,
  ],
  [
    'with a fixed batch',
    { ...siglipFiles, vision: visionGraph({ output: 'pooler_output', batch: 1 }) },
    /1×3×16×16, expected 4×3/,
  ],
  [
    'that wants a mask the family does not give',
    { ...siglipFiles, text: textGraph('pooler_output', 64, true) },
    /text.onnx.*attention_mask/,
  ],
  ['with a tokenizer of another model', { ...siglipFiles, tokenizer: {} }, /tokenizer.json/],
];
for (const [what, files, message] of refused) {
  test(`a model ${what} is refused while it loads, naming the file`, async () => {
    await assert.rejects(open(siglipRow('siglip'), files), { message });
  });
}

test('vectors of another length than the row says are refused', async () => {
  await assert.rejects(open(siglipRow('siglip', { dimensions: 7 }), siglipFiles), {
    message: /1×8, expected 1×7/,
  });
});

test('loading that is ended at any step releases every graph it opened', async () => {
  const row = { ...siglipRow('ended'), key: 'ended' } as VisualRow;
  await writeModel(folder, row, siglipFiles);
  const log = createLog('test', () => {});
  for (let steps = 0; steps < 100; steps++) {
    const graphs: { released: boolean }[] = [];
    let left = steps;
    const checkpoint = async () => {
      if (left-- === 0) throw engineErrors.CANCELLED();
    };
    const opening = familyOf(row).open(
      row,
      (role) => fileOf(folder, row, role),
      async (source) => {
        const session = await openSession(source, { device: 'cpu', threads: 1, log, checkpoint });
        const graph = { released: false };
        graphs.push(graph);
        const release = () => {
          graph.released = true;
          return session.release();
        };
        return { ...session, release };
      },
      checkpoint,
    );
    const family: VisualFamily | null = await opening.catch((error: unknown) => {
      assert(engineErrors.CANCELLED.is(error));
      return null;
    });
    if (family) {
      opened.push(family);
      assert(steps >= 6, `${steps} steps`);
      return;
    }
    assert(graphs.every(({ released }) => released));
  }
  assert.fail('100 steps are not enough');
});

test('a normalised row has length 1 and keeps its direction', () => {
  const number = fc.float({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number), { minLength: 1 }), (rows) => {
      fc.pre(rows.every((row) => Math.hypot(...row) > 1e-6));
      const vectors = normalizeRows(Float32Array.from(rows.flat()), 3, 'graph');
      for (const [at, row] of rows.entries()) {
        const unit = [...vectors.subarray(at * 3, at * 3 + 3)];
        assert(Math.abs(Math.hypot(...unit) - 1) < 1e-5);
        for (const [d, value] of unit.entries())
          assert(Math.abs(value - row[d]! / Math.hypot(...row)) < 1e-5);
      }
    }),
  );
});

for (const bad of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`a row of ${bad} has no direction and is refused by its number`, () => {
    const vectors = Float32Array.of(1, 0, bad, bad);
    assert.throws(() => normalizeRows(vectors, 2, 'the graph'), {
      code: 'MODEL_RUN_FAILED',
      message: /row 1/,
    });
  });
}

test('a family that no code runs is named', () => {
  const row = { ...siglipRow('siglip'), family: 'dino' } as VisualRow;
  assert.throws(() => familyOf(row), { code: 'MODEL_INVALID', message: /"dino"; there is .*siglip/ });
});

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { writeFilm } from '../../../../../actors/decoder/clips/precise.ts';
import { avcSets } from '../../../../../actors/decoder/clips/smart/end-encoder.ts';
import { planOf } from '../../../../../actors/decoder/clips/smart/plan.ts';
import { type Proof, prove } from '../../../../../actors/decoder/clips/smart/proof.ts';
import { scan } from '../../../../../actors/decoder/clips/smart/scan.ts';
import { SmartCut } from '../../../../../actors/decoder/clips/smart/smart-cut.ts';
import { readHead } from '../../../../../actors/decoder/packets/head.ts';
import { openSource } from '../../../../../actors/decoder/source/source.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import { turnFor } from '../../ask-decoder.ts';
import { cut, folder, newOutput } from '../cut.ts';
import { groupFilms } from './films.ts';

const span = [0.9, 3.7] as const;
const [start, end] = span;

/** A smart clip that was written and is to be proved; `work` may change it, or what is said of it, before. */
async function proved(work: (proof: Proof) => Partial<Proof> | Promise<Partial<Proof>>): Promise<void> {
  const path = await groupFilms[0]!.make();
  const turn = turnFor();
  const source = await openSource(path, { turn });
  try {
    const sets = avcSets(source.video!.codecpar.extradata)!;
    const head = await readHead(source, turn);
    const options = { source, head, start, end, turn };
    const scanned = await scan(options, sets);
    const plan = planOf(scanned);
    assert.ok(typeof plan === 'object' && plan.head.length > 0 && plan.tail.length > 0);
    const pictures = new SmartCut({ ...options, sets, scanned, plan, canEncode: true });
    const output = newOutput();
    const request = { path, output, start_seconds: start, end_seconds: end, mode: 'smart' as const };
    await writeFilm(request, pictures, turn);
    const shown = (at: number) => pictures.shown(at);
    const proof = { output, source, head, plan, shown, tick: pictures.tick, turn };
    await prove({ ...proof, ...(await work(proof)) });
  } finally {
    source.close();
  }
}

const refused = (work: Parameters<typeof proved>[0], message: RegExp) =>
  assert.rejects(proved(work), { code: 'CLIP_NOT_SMART', message });

test('a clip that is as it was meant is taken', async () => {
  await proved(() => ({}));
});

test('a clip with fewer pictures, or with pictures at other times, is not', async () => {
  const path = await groupFilms[0]!.make();
  const { path: shorter } = await cut(path, [start, end - 0.2]);
  await refused(() => ({ output: shorter }), /pictures, not/);
  await refused(({ shown, plan }) => {
    const odd = plan.copied[5]!.at;
    return { shown: (at) => shown(at) + (at === odd ? 300 : 0) };
  }, /another time/);
});

test('a clip whose copied pictures are encoded anew is not, nor one of another film', async () => {
  const path = await groupFilms[0]!.make();
  const { path: precise } = await cut(path, span);
  await refused(() => ({ output: precise }), /another picture at a seam/);
  // One picture later: the same number of them, at the same times.
  const { path: later } = await cut(path, [start + 1 / 30, end + 1 / 30]);
  await refused(() => ({ output: later }), /another picture at a seam/);
});

test('a clip that cannot be read is not', async () => {
  await refused(({ output }) => {
    truncateSync(output, readFileSync(output).length / 2);
    return {};
  }, /cannot be read/);
  await refused(({ output }) => {
    const away = join(folder, 'away.mp4');
    copyFileSync(output, away);
    return { output: `${away}.gone` };
  }, /cannot be read/);
});

test('a turn that is cancelled ends the proof as such', async () => {
  const throwIfCancelled = () => {
    throw engineErrors.CANCELLED();
  };
  await assert.rejects(
    proved(({ turn }) => ({ turn: { ...turn, throwIfCancelled } })),
    { code: 'CANCELLED' },
  );
});

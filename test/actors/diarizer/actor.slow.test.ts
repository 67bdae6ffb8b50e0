import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { definition } from '../../../actors/diarizer/actor.ts';
import {
  type ComputedVoices,
  diarizerContract,
  type SpeakerCount,
} from '../../../actors/diarizer/contract.ts';
import { modelErrors } from '../../../actors/models/contract.ts';
import { EngineError } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import {
  rate,
  type Said,
  segmentationGraph,
  segmentationRow,
  speakerRow,
  sphericalPlda,
  talk,
  voiceGraph,
  writeModel,
} from './tiny-models.ts';

let modelsDir = '';
let both = '';
let together = '';
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'diarizer-'));
  both = await mkdtemp(join(tmpdir(), 'diarizer-'));
  const starter = voiceGraph({ input: 'feats', output: 'embs', of: 'level' });
  await writeModel(modelsDir, speakerRow('tiny', 'wespeaker-resnet34', { mean_removed: false }), starter);
  const wespeaker = voiceGraph({ input: 'feats', output: 'embs', of: 'swing' });
  await writeModel(
    both,
    speakerRow('rough', 'campplus-zh-en', { features: 'wespeaker', input: 'feats', output: 'embs' }),
    wespeaker,
  );
  together = await mkdtemp(join(tmpdir(), 'diarizer-'));
  const large = { clustering: { linkage: 'centroid', similarity: 0.752 }, mean_removed: false } as const;
  await writeModel(together, speakerRow('tiny', 'wespeaker-resnet34', large), starter);
  await writeModel(together, segmentationRow('tiny-turns'), segmentationGraph(400, 1500));
  const campplus = voiceGraph({ input: 'x', output: 'embedding', of: 'swing' });
  await writeModel(both, { ...speakerRow('better', 'campplus-zh-en'), accuracy: 5 }, campplus);
});
after(async () => {
  await rm(modelsDir, { recursive: true, force: true });
  await rm(together, { recursive: true, force: true });
  await rm(both, { recursive: true, force: true });
});

const BLOCK = rate * 2;

async function start(folder = modelsDir, speakerModel = 'auto') {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const pool = createSlotPool(4, BLOCK * 4);
  const supervisor = createSupervisor({ clock: manualClock(), log, pool });
  const settings = { modelsDir: folder, device: 'cpu', threads: 1, speakerModel };
  const diarizer = await supervisor.add({
    name: 'diarizer',
    contract: diarizerContract,
    capacity: 16,
    turnLimitMs: 60_000,
    start: () => startInMemory(definition, { settings, log, memory: pool.memory }),
  });
  const holder = pool.holder();
  /** Sends a channel in blocks; speech is settled one block late, as by the voice detector. */
  const play = async (session: number, channel: number, samples: Float32Array, said: readonly Said[]) => {
    let told = 0;
    const regions = (until: number): [number, number][] =>
      said.flatMap(({ start, end }): [number, number][] => {
        const from = Math.max(told, Math.round(start * rate));
        const to = Math.min(until, Math.round(end * rate));
        return to > from ? [[from, to]] : [];
      });
    for (let first = 0; first < samples.length; first += BLOCK) {
      const block = samples.subarray(first, first + BLOCK);
      const handle = await pool.acquire(holder);
      const view = pool.view(handle);
      new Float32Array(view.buffer, view.byteOffset, block.length).set(block);
      const settled = Math.max(0, first - 4000);
      const count = block.length;
      const speech = regions(settled);
      await diarizer.ask('append', {
        session,
        channel,
        first_sample: first,
        count,
        samples: handle,
        speech,
        settled,
      });
      told = settled;
      pool.release(handle, holder);
    }
    const speech = regions(samples.length);
    const end = { first_sample: samples.length, count: 0, samples: null, settled: samples.length };
    await diarizer.ask('append', { session, channel, speech, ...end });
  };
  const diarize = async (said: readonly Said[], count: SpeakerCount, spans: [number, number][] = []) => {
    await diarizer.ask('load', {});
    const { session } = await diarizer.ask('open', { channels: 1, speaker_count: count });
    const seconds = Math.max(1, ...said.map(({ end }) => end)) + 0.5;
    await play(session, 0, talk(said, seconds), said);
    return diarizer.ask('finish', { session, spans });
  };
  return { diarizer, play, diarize, lines, stop: () => supervisor.stop() };
}

const withCode = (code: string) => (error: unknown) => error instanceof EngineError && error.code === code;

const dialogue: Said[] = [
  { start: 1, end: 4, voice: 1500 },
  { start: 4.5, end: 8.2, voice: 400 },
  { start: 9, end: 10, voice: 1500 },
  { start: 11, end: 15, voice: 400 },
];

test('two voices are two speakers, numbered as they appear, and each span gets its speaker', async () => {
  const { diarize, stop } = await start();
  const spans: [number, number][] = [
    [12, 13],
    [1, 3],
    [3, 6],
    [16, 17],
    [0, 0.2],
  ];
  const answer = await diarize(dialogue, 'auto', spans);
  assert.equal(answer.speaker_count, 2);
  assert.deepEqual(
    answer.turns.map(({ start_seconds, end_seconds, speaker }) => [start_seconds, end_seconds, speaker]),
    dialogue.map(({ start, end, voice }) => [start, end, voice === 1500 ? 'SPEAKER_00' : 'SPEAKER_01']),
  );
  assert.deepEqual(answer.speakers, ['SPEAKER_01', 'SPEAKER_00', 'SPEAKER_01', 'SPEAKER_01', 'SPEAKER_00']);
  const { model, speakers, vectors } = answer.voices;
  assert.match(model, /^[\w-]+@[0-9a-f]{12}$/);
  assert.deepEqual(
    speakers.map(({ speaker, seconds }) => [speaker, seconds]),
    ['SPEAKER_00', 'SPEAKER_01'].map((id) => {
      const own = answer.turns.filter(({ speaker }) => speaker === id);
      return [id, own.reduce((sum, { start_seconds, end_seconds }) => sum + end_seconds - start_seconds, 0)];
    }),
  );
  for (const half of [vectors.subarray(0, vectors.length / 2), vectors.subarray(vectors.length / 2)]) {
    assert.ok(Math.abs(Math.hypot(...half) - 1) < 1e-4);
  }
  await stop();
});

test('a change of speaker within a region of speech is found to half a second', async () => {
  const { diarize, stop } = await start();
  const said = [
    { start: 0.5, end: 4, voice: 700 },
    { start: 4, end: 9, voice: 2500 },
  ];
  const { turns } = await diarize(said, 2);
  assert.deepEqual(
    turns.map(({ speaker }) => speaker),
    ['SPEAKER_00', 'SPEAKER_01'],
  );
  assert.ok(Math.abs(turns[1]!.start_seconds - 4) <= 0.5, `${turns[1]!.start_seconds}`);
  assert.equal(turns[1]!.end_seconds, 9);
  await stop();
});

test('the speaker count asked for is kept, but there are never more speakers than subsegments', async () => {
  const { diarize, stop } = await start();
  const three = [...dialogue, { start: 16, end: 19, voice: 3300 }];
  assert.equal((await diarize(three, 1)).speaker_count, 1);
  assert.equal((await diarize(three, 2)).speaker_count, 2);
  assert.equal((await diarize(three, 3)).speaker_count, 3);
  assert.equal((await diarize([{ start: 1, end: 1.6, voice: 400 }], 4)).speaker_count, 1);
  await stop();
});

test('nobody speaks: no turns, and spans have no speaker', async () => {
  const { diarize, stop } = await start();
  const { voices, ...answer } = await diarize([], 'auto', [[0, 1]]);
  const speaker_range = { least: 0, most: 2 };
  assert.deepEqual(answer, { turns: [], speakers: [null], speaker_count: 0, speaker_range });
  assert.deepEqual([voices.speakers, voices.vectors.length], [[], 0]);
  await stop();
});

test('a voice in two channels is one speaker', async () => {
  const { diarizer, play, stop } = await start();
  await diarizer.ask('load', {});
  const { session } = await diarizer.ask('open', { channels: 2, speaker_count: 'auto' });
  const first = [
    { start: 1, end: 4, voice: 400 },
    { start: 6, end: 9, voice: 1500 },
  ];
  const second = [{ start: 10, end: 13, voice: 400 }];
  await play(session, 0, talk(first, 14), first);
  await play(session, 1, talk(second, 14), second);
  const { turns, speaker_count } = await diarizer.ask('finish', { session, spans: [] });
  assert.equal(speaker_count, 2);
  assert.deepEqual(
    turns.map(({ speaker }) => speaker),
    ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_00'],
  );
  await stop();
});

test('the most accurate model that is downloaded is loaded', async () => {
  const one = await start();
  assert.equal((await one.diarizer.ask('load', {})).model_key, 'tiny');
  await one.stop();
  const two = await start(both);
  const { model_key, state } = await two.diarizer.ask('load', {});
  assert.equal(model_key, 'better');
  assert.equal(state.load_status, 'ready');
  assert.equal((await two.diarize(dialogue, 'auto')).speaker_count, 2);
  await two.stop();
});

test('a speaker model that is named is loaded, and one that is not there is an error', async () => {
  const rough = await start(both, 'rough');
  assert.equal((await rough.diarizer.ask('load', {})).model_key, 'rough');
  await rough.stop();
  const included = await start(together, 'starter-speaker');
  assert.equal((await included.diarizer.ask('load', {})).model_key, 'starter-speaker');
  // Its number is never sure.
  const { speaker_range } = await included.diarize(dialogue, 'auto');
  assert.ok(speaker_range !== null && speaker_range.most > speaker_range.least);
  await included.stop();
  const missing = await start(both, 'campplus-zh-en');
  await assert.rejects(missing.diarizer.ask('load', {}), withCode('MODEL_NOT_DOWNLOADED'));
  await missing.stop();
});

test('with a segmentation model a number is sure where every count agrees, and a given one is kept', async () => {
  const { diarize, stop } = await start(together);
  const said = [0, 5, 10, 15].map((at, i) => ({ start: at + 1, end: at + 5, voice: i % 2 ? 400 : 1500 }));
  const sure = await diarize(said, 'auto');
  assert.deepEqual([sure.speaker_count, sure.speaker_range], [2, null]);
  const spans = said.flatMap(({ start }) =>
    [0, 1, 2, 3].map((at): [number, number] => [start + at, start + at + 1]),
  );
  for (const count of [1, 3, 4] as const) {
    const { speaker_count, speaker_range, speakers } = await diarize(said, count, spans);
    assert.deepEqual([speaker_count, speaker_range], [count, null]);
    assert.equal(new Set(speakers).size, count);
  }
  // Heard alone for less than 3 s, a voice is not kept.
  const short = [...said, { start: 21, end: 23, voice: 400 }].slice(2).filter(({ voice }) => voice === 1500);
  const { voices } = await diarize([...short, { start: 21, end: 23.5, voice: 400 }], 'auto');
  assert.deepEqual(
    voices.speakers.map(({ speaker }) => speaker),
    ['SPEAKER_00'],
  );
  await stop();
});

for (const [name, folder] of [
  ['a segmentation model', () => together],
  ['no segmentation model', () => modelsDir],
] as const) {
  test(`with ${name} an interrupted session asks no model again`, async () => {
    const { diarizer, play, stop } = await start(folder());
    await diarizer.ask('load', {});
    const sound = talk(dialogue, 16);
    const run = async (computed: ComputedVoices) => {
      const { session } = await diarizer.ask('open', { channels: 1, speaker_count: 'auto', computed });
      await play(session, 0, sound, dialogue);
      const made = await diarizer.ask('computed', { session });
      return { made, answer: await diarizer.ask('finish', { session, spans: [] }) };
    };
    const first = await run({ model: '', numbers: new Float32Array(0) });
    assert.ok(first.made.numbers.length > 0);
    const again = await run(first.made);
    assert.deepEqual([again.made.numbers.length, again.answer], [0, first.answer]);
    // Answers of another model are of no use.
    const other = await run({ ...first.made, model: 'other@1' });
    assert.deepEqual(other.made, first.made);
    await stop();
  });
}

test('blocks with a gap, channels that are not there and sessions that are over are refused', async () => {
  const { diarizer, play, stop } = await start();
  await assert.rejects(diarizer.ask('open', { channels: 1, speaker_count: 2 }), withCode('MODEL_NOT_LOADED'));
  await diarizer.ask('load', {});
  const { session } = await diarizer.ask('open', { channels: 1, speaker_count: 2 });
  await play(session, 0, talk([], 1), []);
  await assert.rejects(play(session, 0, talk([], 1), []), withCode('INVALID_MESSAGE'));
  await assert.rejects(play(session, 1, talk([], 1), []), withCode('INVALID_MESSAGE'));
  await diarizer.ask('drop', { session });
  await diarizer.ask('drop', { session });
  await assert.rejects(diarizer.ask('finish', { session, spans: [] }), withCode('SESSION_LOST'));
  await stop();
});

test('a session whose model is unloaded fails with MODEL_NOT_LOADED', async () => {
  const { diarizer, play, stop } = await start();
  await diarizer.ask('load', {});
  const { session } = await diarizer.ask('open', { channels: 1, speaker_count: 'auto' });
  await diarizer.ask('unload', {});
  await assert.rejects(
    play(session, 0, talk(dialogue, 16), dialogue).then(() => diarizer.ask('finish', { session, spans: [] })),
    withCode('MODEL_NOT_LOADED'),
  );
  await stop();
});

test('with a segmentation model, both of two who speak at once have a turn', async () => {
  const { diarize, stop } = await start(together);
  const said = [
    { start: 2, end: 7, voice: 1500 },
    { start: 5.5, end: 11, voice: 400 },
    { start: 13, end: 16, voice: 1500 },
    { start: 17, end: 21, voice: 400 },
  ];
  const { turns, speaker_count, speakers } = await diarize(said, 'auto', [
    [8, 10],
    [2, 5],
  ]);
  assert.equal(speaker_count, 2);
  assert.deepEqual(speakers, ['SPEAKER_01', 'SPEAKER_00']);
  assert.equal(turns.length, said.length);
  for (const [at, { start_seconds, end_seconds, speaker }] of turns.entries()) {
    const { start, end, voice } = said[at]!;
    assert.equal(speaker, voice === 1500 ? 'SPEAKER_00' : 'SPEAKER_01');
    assert.ok(Math.abs(start_seconds - start) < 0.1 && Math.abs(end_seconds - end) < 0.1);
  }
  await stop();
});

test('a PLDA of the model is used, and one of the wrong size is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diarizer-'));
  const row = speakerRow('tiny', 'wespeaker-resnet34', {
    mean_removed: false,
    evidence: { news: 0.5, saturation: 0.2, similarity: 0 },
    // Would make everybody one speaker.
    clustering: { linkage: 'average', similarity: -1 },
  });
  const plda = { role: 'plda', name: 'plda.bin', url: null, size: null, sha256: null };
  const graph = voiceGraph({ input: 'feats', output: 'embs', of: 'level' });
  await writeModel(folder, { ...row, files: [...row.files, plda] }, graph);
  const path = join(folder, 'tiny', 'plda.bin');
  await writeFile(path, sphericalPlda(80, 12, 4));
  const one = await start(folder);
  assert.equal((await one.diarize(dialogue, 'auto')).speaker_count, 2);
  await one.stop();
  await writeFile(path, sphericalPlda(79, 12, 4));
  const two = await start(folder);
  await assert.rejects(two.diarizer.ask('load', {}), ({ message }: Error) =>
    message.startsWith(`${path}: has `),
  );
  await two.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a damaged speaker or segmentation model is named, and no other takes its place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'diarizer-'));
  const damaged = new Uint8Array([1, 2, 3]);
  const speaker = speakerRow('tiny', 'wespeaker-resnet34', { mean_removed: false });
  const graph = voiceGraph({ input: 'feats', output: 'embs', of: 'level' });
  const named = async (model: string) => {
    const { diarizer, stop } = await start(folder);
    const isNamed = (error: Error) =>
      modelErrors.MODEL_LOAD_FAILED.is(error) && error.message.includes(join(folder, model, 'graph.onnx'));
    await assert.rejects(diarizer.ask('load', {}), isNamed);
    await stop();
  };
  await writeModel(folder, speaker, damaged);
  await named('tiny');
  await writeModel(folder, speaker, graph);
  await writeModel(folder, segmentationRow('tiny-turns'), damaged);
  await named('tiny-turns');
  await rm(folder, { recursive: true, force: true });
});

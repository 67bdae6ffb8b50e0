import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ModelRow, SpeechSide } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import type { SpeechFamily, WindowTranscript } from '../../../../actors/transcriber/family.ts';
import { parseVocabulary } from '../../../../actors/transcriber/parakeet/family.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { openFamily, openSessions, textOf, turning, windowOf } from '../open-family.ts';
import { encoderGraph, featuresGraph, jointGraph, note } from './graphs.ts';

const words = ['<unk>', '▁the', '▁wor', 'ld', ',', '▁ja', '!', '<|de|>', '▁ha', '<blk>'];
const vocabulary = `${words.map((word, token) => `${word} ${token}`).join('\n')}\n`;
const idOf = (word: string) => words.indexOf(word);
const good = {
  features: featuresGraph(),
  encoder: encoderGraph(),
  decoder_joint: jointGraph(words.length, idOf('<blk>'), idOf('!'), idOf('▁ha')),
  vocabulary,
};

let modelsDir = '';
let tiny: SpeechFamily;
async function write(
  key: string,
  files: Partial<typeof good> | Record<string, Uint8Array | string>,
  changes: Partial<SpeechSide> = {},
) {
  const row = builtInRows.find((one) => one.key === 'parakeet-tdt-0.6b-v3')!;
  const all = { ...good, ...files };
  const named = Object.keys(all).map((role) => ({
    role,
    name: `${role}.bin`,
    url: null,
    size: null,
    sha256: null,
  }));
  await mkdir(join(modelsDir, key), { recursive: true });
  for (const [role, content] of Object.entries(all))
    await writeFile(join(modelsDir, key, `${role}.bin`), content);
  return { ...row, key, files: named, speech: { ...row.speech!, ...changes } } satisfies ModelRow;
}
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'parakeet-'));
  tiny = await openFamily(modelsDir, await write('tiny', {}));
});
after(async () => {
  await tiny.close();
  assert.equal(openSessions.size, 0);
  await rm(modelsDir, { recursive: true, force: true });
});

const FRAME = 1280;
/** A sound of so many frames with notes in some of them. */
function score(frames: number, notes: Record<number, [word: string, frames: number]>): Float32Array {
  const sound = new Float32Array(frames * FRAME);
  for (const [frame, [word, on]] of Object.entries(notes))
    sound[Number(frame) * FRAME + 700] = note(idOf(word), on);
  return sound;
}
async function transcriptOf(sound: Float32Array, language: string | null = null): Promise<WindowTranscript> {
  return (await tiny.transcribe([windowOf(sound)], language, turning))[0]!;
}
const rounded = ({ pieces }: WindowTranscript) =>
  pieces.map(({ text, start, end }) => [text, Math.round(start * 100), Math.round(end * 100)]);

test('the built-in row names the files that the family opens', () => {
  const row = builtInRows.find(({ key }) => key === 'parakeet-tdt-0.6b-v3')!;
  assert.deepEqual(row.files.map(({ role }) => role).sort(), Object.keys(good).sort());
});

test('tokens come with their times, 80 ms a frame, and their text joins to words', async () => {
  const sound = score(20, { 2: ['▁the', 2], 4: ['▁wor', 1], 5: ['ld', 4], 12: [',', 1] });
  const answer = await transcriptOf(sound, 'de');
  assert.equal(textOf(answer), ' the world,');
  assert.equal(answer.language, 'de');
  assert.deepEqual(rounded(answer), [
    [' the', 16, 32],
    [' wor', 32, 40],
    ['ld', 40, 72],
    [',', 96, 104],
  ]);
});

test('the duration says which frame is next: frames in between are skipped', async () => {
  const sound = score(12, { 1: ['▁the', 4], 3: ['!', 1], 5: ['▁ja', 1] });
  assert.equal(textOf(await transcriptOf(sound)), ' the ja');
});

test('after a token of duration 0 the same frame is decoded again', async () => {
  const answer = await transcriptOf(score(6, { 1: ['▁the', 0], 2: ['▁ja', 1] }));
  assert.deepEqual(rounded(answer), [
    [' the', 8, 16],
    [' ja', 16, 24],
  ]);
});

test('a frame is left after ten tokens', async () => {
  const answer = await transcriptOf(score(6, { 1: ['▁ha', 0], 3: ['▁ja', 1] }));
  assert.equal(textOf(answer), `${' ha'.repeat(10)} ja`);
});

test('a window never writes more tokens than its limit', async () => {
  const row = await write('short', {}, { token_limit: { min: 1, per_second: 2, max: 4 } });
  const family = await openFamily(modelsDir, row);
  const stutter = (frames: number) => windowOf(score(frames, { 1: ['▁ha', 0], 2: ['▁ha', 0] }));
  const [one, two] = await family.transcribe([stutter(12), stutter(100)], null, turning);
  assert.deepEqual([one!.pieces.length, two!.pieces.length], [3, 4]);
  await family.close();
});

test('special tokens are no text, the last token ends with the window, and silence has no text', async () => {
  const answer = await transcriptOf(score(3, { 0: ['<|de|>', 1], 1: ['<unk>', 1], 2: ['▁ja', 4] }));
  assert.deepEqual(rounded(answer), [[' ja', 16, 24]]);
  assert.deepEqual(await transcriptOf(score(9, {}), 'de'), { pieces: [], language: null });
});

test('windows of different lengths give the same texts in a batch as one by one', async () => {
  const windows = [
    score(9, { 8: ['▁ja', 1] }),
    score(30, { 3: ['▁the', 1], 29: ['▁wor', 2] }),
    score(4, {}),
    score(17, { 1: ['▁ha', 0] }).subarray(0, 16 * FRAME + 333),
  ].map(windowOf);
  const together = await tiny.transcribe(windows, null, turning);
  for (const [at, window] of windows.entries()) {
    assert.deepEqual(together[at], (await tiny.transcribe([window], null, turning))[0]);
  }
});

test('an error of the checkpoint ends the work between two frames', async () => {
  let asked = 0;
  const stopping = async () => {
    asked += 1;
    if (asked === 5) throw engineErrors.CANCELLED();
  };
  await assert.rejects(tiny.transcribe([windowOf(score(50, {}))], null, stopping), engineErrors.CANCELLED.is);
  assert.equal(asked, 5);
});

test('a vocabulary has each token once, and a blank', () => {
  const parsed = parseVocabulary('▁a 0\r\n<blk> 1\r\n');
  assert.deepEqual([parsed.size, parsed.blank, parsed.textOf(0), parsed.textOf(1)], [2, 1, ' a', '']);
  for (const text of ['', '▁a 0', 'a 0\nb 0\n<blk> 1', 'a 0\n<blk> 2', 'a\n<blk> 0', 'a 0 b\n<blk> 1']) {
    assert.throws(() => parseVocabulary(text), RangeError, JSON.stringify(text));
  }
});

const damaged: [string, Record<string, Uint8Array | string>, RegExp][] = [
  ['no graph', { decoder_joint: new Uint8Array([1]) }, /decoder_joint\.bin/],
  ['swapped', { encoder: featuresGraph() }, /encoder\.bin: has no input audio_signal, only waveforms/],
  ['few words', { vocabulary: 'a 0\n' }, /vocabulary\.bin: there is no <blk>/],
  [
    'many words',
    { vocabulary: `${Array.from({ length: 40 }, (_, at) => `w ${at}`).join('\n')}\n<blk> 40` },
    /more than 41 floats/,
  ],
];
for (const [name, files, message] of damaged) {
  test(`a damaged folder fails to load, and nothing stays open: ${name}`, async () => {
    const open = openSessions.size;
    const row = await write(name.replaceAll(' ', '-'), files);
    await assert.rejects(
      openFamily(modelsDir, row),
      (error) => error instanceof Error && message.test(error.message),
    );
    assert.equal(openSessions.size, open);
  });
}

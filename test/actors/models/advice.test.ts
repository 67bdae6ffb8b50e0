import assert from 'node:assert/strict';
import test from 'node:test';
import {
  advisedModels,
  bestThere,
  downloadNote,
  fitsMemory,
  keysOf,
  modelsInUse,
  npmFaceModels,
  setupChoices,
  sizeText,
} from '../../../actors/models/advice.ts';
import type { ListedModel } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

const machineOf = (gigabytes: number) => ({ memoryBytes: gigabytes * 1e9 });
const models = builtInRows.map((row) => ({
  row,
  builtIn: row.files.length === 0,
  supported: true,
  fits: true,
  downloaded: false,
  missing: [],
  folder: '/m',
}));
const advised = (gigabytes: number, graphics: boolean) =>
  advisedModels(
    models.map((model) => ({ ...model, fits: fitsMemory(model.row, machineOf(gigabytes)) })),
    { graphics },
  );

test('a processor gets a fast model, a graphics device the most accurate one', () => {
  assert.ok(advised(16, false).has('siglip2-b16-256-q8'));
  assert.ok(advised(16, true).has('siglip2-b16-256'));
});

test('a small machine gets a model that fits, or none', () => {
  assert.ok(advised(1, true).has('clip-b32-q8'));
  assert.deepEqual(
    [...advised(0.2, true)].filter((key) => /siglip|clip|whisper|x3/.test(key)),
    ['whisper-tiny'],
  );
});

test('one model of each kind of work is advised, and none that is part of the program', () => {
  const keys = [...advised(16, false)];
  const kinds = keys.map((key) => builtInRows.find((row) => row.key === key)!.kind);
  assert.deepEqual(kinds.toSorted(), [...new Set(builtInRows.map(({ kind }) => kind))].toSorted());
  assert.ok(!keys.some((key) => key.startsWith('starter')));
});

test('a model this system cannot run is not advised', () => {
  const none = models.map((model) => ({ ...model, supported: false }));
  assert.equal(advisedModels(none, { graphics: true }).size, 0);
});

test('sizes are told in megabytes or gigabytes', () => {
  assert.deepEqual([0, 0.002, 0.04, 0.42, 1.54].map(sizeText), ['', '2 MB', '40 MB', '0.42 GB', '1.54 GB']);
});

test('the face models that were measured are advised, with any device', () => {
  for (const graphics of [false, true])
    for (const key of ['blazeface-256', 'dlib-resnet-v1']) assert.ok(advised(16, graphics).has(key), key);
});

test('a suggestion names the whole download, and says where nothing was measured', () => {
  const rowsOf = (...keys: string[]) => builtInRows.filter(({ key }) => keys.includes(key));
  assert.equal(downloadNote(rowsOf('nanodet-416', 'pp-ocr-v4')), '0.16 GB');
  assert.equal(downloadNote(rowsOf('nanodet-416', 'rf-detr-nano')), '0.25 GB, not measured here');
});

const sface = builtInRows.find(({ key }) => key === 'sface')!;
/** A row of a folder of the user; without addresses its files come with the folder. */
const own = (more: object, url: string | null = null) => ({
  ...sface,
  is_measured: true,
  key: 'mine',
  files: sface.files.map((file) => ({ ...file, url })),
  ...more,
});

test('a model that nobody can download is advised only where it is there', () => {
  const mine = { ...models[0]!, builtIn: false, row: own({ accuracy: 5, speed: 5 }) };
  const machine = { graphics: false };
  assert.ok(!advisedModels([...models, mine], machine).has('mine'));
  assert.ok(advisedModels([...models, { ...mine, downloaded: true }], machine).has('mine'));
});

const listed = (keys: readonly string[], more: readonly object[] = []): ListedModel[] => {
  const rows = [...models, ...more.map((row) => ({ ...models[0]!, builtIn: false, row: own(row) }))];
  return rows.map((model) => ({
    ...model,
    downloaded: model.builtIn || keys.includes(model.row.key),
    advised: advised(16, false).has(model.row.key),
  }));
};
const embedder = (...given: Parameters<typeof listed>) => bestThere(listed(...given), 'face-embedder')?.key;

test('of the face models that are there the most accurate is used, the own one where it is no less accurate', () => {
  assert.equal(embedder([]), undefined);
  assert.equal(embedder(['sface-int8', 'yunet-2026may']), 'sface-int8');
  assert.equal(embedder(['sface-int8', 'sface']), 'sface');
  assert.equal(embedder(['sface', 'mine'], [{ accuracy: 4, speed: 1 }]), 'mine');
  assert.equal(embedder(['sface', 'mine'], [{ accuracy: 3 }]), 'sface');
  assert.equal(embedder(['sface'], [{ accuracy: 5 }]), 'sface');
  const two = [{ key: 'a-slow', speed: 1 }, { key: 'b-fast' }];
  assert.equal(embedder(['a-slow', 'b-fast'], two), 'b-fast');
  const foreign = listed(['sface']).map((model) => ({ ...model, supported: false }));
  assert.equal(bestThere(foreign, 'face-embedder'), null);
});

const included = { model: 'starter-visual-3', speaker_model: 'auto' };

test('the list says which speaker model is in use, and that the included one asks no other', () => {
  const of = (keys: string[], speaker_model = 'auto') =>
    [...modelsInUse(listed(keys), { ...included, speaker_model })].filter((key) => /sp|cam|pya/.test(key));
  const both = ['campplus-zh-en', 'pyannote-segmentation'];
  assert.deepEqual(of(both).toSorted(), both);
  assert.deepEqual(of(both, 'starter-speaker'), ['starter-speaker']);
  assert.deepEqual(of(['pyannote-segmentation']), ['starter-speaker']);
  assert.ok(of([...both, 'wespeaker-resnet34']).includes('campplus-zh-en'));
});

test('the list says that the face models in use are in use', () => {
  const used = modelsInUse(listed(['sface', 'mine', 'yunet-2023mar'], [{ accuracy: 4 }]), included);
  assert.deepEqual([...used].toSorted(), ['mine', 'starter-speaker', 'starter-visual-3', 'yunet-2023mar']);
});

test('"faces-npm" means a pair all of which comes from the npm registry', () => {
  const pair = ['blazeface-256', 'dlib-resnet-v1'];
  assert.deepEqual(keysOf('faces-npm', listed([])), pair);
  assert.deepEqual(
    npmFaceModels(listed(['dlib-resnet-v1'])).map(({ row, downloaded }) => [row.key, downloaded]),
    [
      ['blazeface-256', false],
      ['dlib-resnet-v1', true],
    ],
  );
  const small = listed([]).map((model) => ({ ...model, fits: model.row.key !== 'dlib-resnet-v1' }));
  assert.deepEqual(npmFaceModels(small), []);
  assert.throws(() => keysOf('faces-npm', small), { code: 'MODEL_UNKNOWN' });
});

test('"faces" means the advised detector and the advised embedder, any other word itself', () => {
  assert.deepEqual(keysOf('faces', listed([])), ['blazeface-256', 'dlib-resnet-v1']);
  assert.deepEqual(keysOf('voices', listed([])), ['campplus-zh-en', 'pyannote-segmentation']);
  assert.deepEqual(keysOf('sface-int8', listed([])), ['sface-int8']);
  assert.deepEqual(keysOf('constructor', listed([])), ['constructor']);
  const none = listed([]).filter(({ row }) => row.kind !== 'face-embedder');
  assert.throws(() => keysOf('faces', none), {
    code: 'MODEL_UNKNOWN',
    message: /face-embedder.*models list/,
  });
});

test('a model that was never measured is advised only where no measured one fits', () => {
  for (const graphics of [false, true]) assert.ok(advised(16, graphics).has('whisper-base'));
  assert.ok(!advised(16, false).has('parakeet-tdt-0.6b-v3'));
  const isMeasured = (key: string) => builtInRows.find((row) => row.key === key)!.is_measured !== false;
  assert.deepEqual(
    [...advised(16, false)].filter((key) => !isMeasured(key)),
    ['siglip2-b16-256-q8', 'smolvlm2-500m'],
  );
});

const offered = (there: readonly string[] = [], language = 'en-US') => setupChoices(listed(there), language);

test('a set-up offers one choice of each kind, those from the npm registry first, and never advises faces', () => {
  assert.deepEqual(
    offered().map(({ kind, keys, isAdvised, isMeasured }) => [kind, keys.join(), isAdvised, isMeasured]),
    [
      ['things', 'nanodet-416', true, true],
      ['things', 'rf-detr-nano', false, false],
      ['words', 'pp-ocr-v4', true, true],
      ['voice-detection', 'silero-vad', true, true],
      ['faces', 'blazeface-256,dlib-resnet-v1', false, true],
      ['sounds', 'firered-aed', true, true],
      ['voices', 'campplus-zh-en,pyannote-segmentation', true, true],
      ['speech', 'whisper-base', true, true],
      ['speech', 'parakeet-tdt-0.6b-v3', false, false],
      ['descriptions', 'siglip2-b16-256-q8', true, false],
    ],
  );
});

test('what is there is not downloaded again, whichever model of its kind it is', () => {
  const choices = offered(['whisper-small', 'yunet-2026may', 'campplus-zh-en', 'nanodet-416', 'clip-b32']);
  const missing = (kind: string) => choices.find((choice) => choice.kind === kind)?.missing;
  assert.deepEqual(['speech', 'things', 'descriptions'].map(missing), [[], [], []]);
  assert.deepEqual(missing('voices'), ['pyannote-segmentation']);
  assert.deepEqual(missing('faces'), ['dlib-resnet-v1']);
  const [speech, things] = [choices.find(({ kind }) => kind === 'speech')!, choices[0]!];
  assert.deepEqual([speech.isAdvised, speech.bytes, things.isAdvised], [false, 0, false]);
  const [voices] = offered(['campplus-zh-en']).filter(({ kind }) => kind === 'voices');
  assert.equal(voices!.bytes, 6e6);
});

test('speech is advised only where its model understands the language of the system', () => {
  const isAdvised = (language: string) =>
    offered([], language).find(({ kind }) => kind === 'speech')?.isAdvised;
  assert.deepEqual(['de-AT', 'nb-NO', 'ga'].map(isAdvised), [true, true, false]);
});

test('a model that failed its self-test is not offered, another of its kind is', () => {
  const failed = { passed: false } as NonNullable<ListedModel['test']>;
  const models = listed(['whisper-base']).map((model): ListedModel => {
    const { key } = model.row;
    if (key === 'whisper-base') return { ...model, advised: false, test: failed };
    return { ...model, advised: key === 'whisper-tiny' || model.advised };
  });
  const speech = setupChoices(models, 'en').find(({ kind }) => kind === 'speech');
  assert.deepEqual([speech?.keys, speech?.missing], [['whisper-tiny'], ['whisper-tiny']]);
});

test('a kind of which no model fits is not offered, nor a larger model that does not', () => {
  const models = listed([]).map((model) => ({
    ...model,
    fits: model.row.size_gb < 0.2,
    advised: model.advised && model.row.kind !== 'visual',
  }));
  const kinds = setupChoices(models, 'en').map(({ kind }) => kind);
  const wanted = ['things', 'things', 'words', 'voice-detection', 'faces', 'sounds', 'voices', 'speech'];
  assert.deepEqual(kinds, wanted);
});

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Root } from '../../../actors/index/roots/contract.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import type { Installation } from '../../../actors/installation.ts';
import type { ListedModel } from '../../../actors/models/contract.ts';
import type { ProbedDevice } from '../../../actors/models/device-probe.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { doctor } from '../../../cli/commands/doctor.ts';
import { fakeHome } from '../fake-context.ts';

const native = {
  media: async () => 'there',
  modelDevices: async (): Promise<ProbedDevice[]> => [{ device: 'cpu', reason: null, tried: true }],
  objectDetector: async (): Promise<string | null> => null,
  store: async () => {},
  unconfined: async (): Promise<string | null> => null,
  clipEncoders: async (choice: string) => {
    if (choice === 'only') throw new Error('no device can encode');
    return 'libx264';
  },
};

/** What is told of a machine on which these models are downloaded. */
async function told(
  t: TestContext,
  downloaded: readonly string[],
  env: Record<string, string> = {},
  prepare: (home: string) => void = () => {},
  packages: Partial<typeof native> = {},
  roots: () => readonly Root[] = () => [],
) {
  const library = createModelLibrary('/no/such/folder', { memoryBytes: 16e9, graphics: false });
  const { models } = await library.list();
  const rows = models.map((model): ListedModel => {
    return { ...model, supported: true, downloaded: model.builtIn || downloaded.includes(model.row.key) };
  });
  const installation = async () =>
    ({
      models: { ...library, list: async () => ({ models: rows, problems: [] }) },
      native: { ...native, ...packages },
      libraries: { roots: async () => roots() },
    }) as unknown as Installation;
  const { home, context } = fakeHome(t, env);
  prepare(home);
  const own = context({ installation });
  const code = await doctor([], own);
  return { code, out: own.said().out };
}

test('a root that is away is named with what brings it back, and nothing is broken by it', async (t) => {
  const there = { name: 'all', folder: '/mnt/a', away: null };
  const away = { name: 'films', folder: '/mnt/b', away: 'does not exist' };
  const { out, code } = await told(
    t,
    [],
    {},
    () => {},
    {},
    () => [there, away],
  );
  assert.equal(code, (await told(t, [])).code);
  assert.match(out, /✓ root all +\/mnt\/a\n/);
  assert.match(out, /– root films +\/mnt\/b does not exist\n.*framehound roots move films FOLDER/);
});

test('a damaged file of roots is named with the rest', async (t) => {
  const { out, code } = await told(
    t,
    [],
    {},
    () => {},
    {},
    () => {
      throw storeErrors.ROOTS_DAMAGED('/home/roots.json is not JSON');
    },
  );
  assert.equal(code, 1);
  assert.match(out, /✗ roots +\/home\/roots.json is not JSON\n +→ repair the file/);
  assert.match(out, /✓ machine/);
});

test('what needs a download is told with the command that brings it, and is nothing broken', async (t) => {
  const { code, out } = await told(t, []);
  assert.match(
    out,
    /– open vocabulary +no model downloaded\n.*models pull \S+ --use \(0\.42 GB, not measured here\)/,
  );
  assert.match(out, /– speech +no model downloaded; only subtitles can be read\n.*models pull \S+ \(/);
  assert.match(out, /– faces +no model downloaded\n +→ (npx )?framehound models pull faces \(42 MB\)\n/);
  assert.doesNotMatch(out, /✗ (objects|speech|faces)/);
  assert.equal(code, process.versions.node.startsWith('22.') ? 0 : 1);
});

test('which models tell voices apart is told, and that the included one alone counts wrong', async (t) => {
  const alone =
    /– voices +by starter-speaker alone: the number .* wrong\n +→ .*models pull voices \(34 MB\)\n/;
  assert.match((await told(t, [])).out, alone);
  const both = ['campplus-zh-en', 'pyannote-segmentation'];
  assert.match((await told(t, both)).out, /✓ voices +by campplus-zh-en and pyannote-segmentation\n/);
  const chosen = (key: string) => told(t, both, { FRAMEHOUND_SPEAKER_MODEL: key });
  assert.match((await chosen('starter-speaker')).out, /✓ voices +by starter-speaker\n/);
  assert.match((await chosen('wespeaker-resnet34')).out, /✗ voices +wespeaker-resnet34, .* not downloaded\n/);
});

test('without an encoder of clips the rest works', async (t) => {
  const { out } = await told(t, [], { FRAMEHOUND_HARDWARE_ENCODING: 'only' });
  assert.match(out, /^– clip encoder +no device can encode\n(?! )/m);
  assert.match((await told(t, [])).out, /^✓ clip encoder +libx264$/m);
});

test('a key from before in the setting is nothing broken', async (t) => {
  const { out } = await told(t, [], { FRAMEHOUND_MODEL: 'starter-visual' });
  assert.match(out, /✓ model +starter-visual-3 \(/);
});

test('a downloaded model that is not in use is told with the command that uses it', async (t) => {
  const { out } = await told(t, ['clip-b32', 'whisper-base']);
  assert.match(out, /– open vocabulary +clip-b32 is downloaded but not in use\n.*models use clip-b32\n/);
  assert.match(out, /✓ speech +by whisper-base\n/);
  const used = await told(t, ['clip-b32'], { FRAMEHOUND_MODEL: 'clip-b32' });
  assert.match(used.out, /✓ open vocabulary +by clip-b32\n/);
});

test('faces need two models: which is there, which is missing and its size are told', async (t) => {
  const finds = await told(t, ['yunet-2023mar']);
  assert.match(
    finds.out,
    /– faces +yunet-2023mar finds faces, but no model to tell them apart is downloaded\n.*pull faces \(/,
  );
  const tells = await told(t, ['sface']);
  assert.match(
    tells.out,
    /– faces +sface tells faces apart, but no model to find them is downloaded\n.*pull faces \(42 MB\)\n/,
  );
  const both = await told(t, ['yunet-2026may', 'yunet-2023mar', 'sface-int8']);
  assert.match(both.out, /✓ faces +by yunet-2026may and sface-int8\n(?! +→)/);
});

test('what sees things and reads words is told, with the size of what is fetched for what is missing', async (t) => {
  assert.match(
    (await told(t, [])).out,
    /– things and words +no model downloaded\n +→ (npx )?framehound setup \(downloads 0\.16 GB\)\n/,
  );
  const words = await told(t, ['pp-ocr-v4']);
  assert.match(
    words.out,
    /– things and words +only printed words by pp-ocr-v4\n.*setup \(downloads 0\.14 GB\)\n/,
  );
  const both = await told(t, ['pp-ocr-v4', 'nanodet-416']);
  assert.match(both.out, /✓ things and words +printed words by pp-ocr-v4, things by nanodet-416\n(?! +→)/);
});

test('what others on this machine can read is told with the command that closes it', {
  skip: process.platform === 'win32',
}, async (t) => {
  const privacy = async (mode: number) => {
    const kept = { open: '', out: '' };
    const { out } = await told(t, [], {}, (home) => {
      for (const name of ['analysis', 'tasks', 'films']) mkdirSync(join(home, name), 0o700);
      for (const name of ['analysis', 'films']) chmodSync(join(home, name), 0o755);
      chmodSync(home, mode);
      kept.open = join(home, 'analysis');
    });
    return { ...kept, out };
  };
  const { open, out } = await privacy(0o755);
  assert.ok(out.includes(`✗ privacy            others on this machine can read ${open}\n`), out);
  assert.ok(out.includes(`→ chmod -R go= '${open}'\n`), out);
  assert.match((await privacy(0o700)).out, /✓ privacy +nobody else on this machine can read/);
});

test('summaries are written by a language model that fits, and from templates without one', async (t) => {
  const none = await told(t, []);
  assert.match(
    none.out,
    /– summaries +written from templates: no language model is downloaded\n +→ (npx )?framehound models pull smolvlm2-500m \(/,
  );
  const written = await told(t, ['smolvlm2-256m']);
  assert.match(written.out, /✓ summaries +by smolvlm2-256m\n(?! +→)/);
});

test('devices are told by what a graph on each came to; one that is there and fails, with what fixes it', async (t) => {
  const probed: ProbedDevice[] = [
    { device: 'cpu', reason: null, tried: true },
    { device: 'cuda', reason: 'libcudnn.so.9 is not found', tried: true },
    { device: 'webgpu', reason: 'no graphics device found', tried: false },
  ];
  const toldWith = (device: string) =>
    told(t, [], { FRAMEHOUND_DEVICE: device }, () => {}, { modelDevices: async () => probed });
  const auto = await toldWith('auto');
  assert.match(auto.out, /✓ model devices +the processor; WebGPU: no graphics device found\n/);
  assert.match(
    auto.out,
    /– CUDA +libcudnn\.so\.9 is not found\n +→ npx framehound doctor --fix gpu, then install CUDA and cuDNN /,
  );
  const asked = await toldWith('cuda');
  assert.match(asked.out, /✗ CUDA +libcudnn\.so\.9 is not found\n/);
  assert.equal(asked.code, 1);
});

test('the precision of a detector that is downloaded is told', async (t) => {
  const text = 'nanodet-416 in eight bits';
  const { out } = await told(t, ['nanodet-416'], {}, () => {}, { objectDetector: async () => text });
  assert.match(out, /^✓ object detector +nanodet-416 in eight bits$/m);
  assert.doesNotMatch((await told(t, [])).out, /object detector/);
});

test('what confines the processes that read files is said, with how to get it', async (t) => {
  const confined = await told(t, []);
  assert.match(confined.out, /✓ confinement +files are first read where nothing can be written or sent/);
  const { out, code } = await told(t, [], {}, () => {}, { unconfined: async () => 'bwrap: not found' });
  assert.equal(code, 0);
  assert.match(out, /– confinement +files are first read in a process with limits.*: bwrap: not found/);
  assert.match(out, /→ install the package bubblewrap/);
  const apart = await told(t, [], {}, () => {}, { unconfined: async () => 'mounts are not shared' });
  assert.doesNotMatch(apart.out, /bubblewrap/);
});

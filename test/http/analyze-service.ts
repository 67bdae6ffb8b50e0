// The routes of analyses and tasks over runs that a test steers, and a folder with a few files to name in
// requests.
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Analysis, analysisErrors } from '../../actors/analysis/contract.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { createPreflight } from '../../actors/analysis/tasks/preflight.ts';
import { type ModelWork, modelErrors } from '../../actors/models/contract.ts';
import { analyzeRoutes, taskRoutes } from '../../http/routes/tasks.ts';
import { home } from '../actors/analysis/fake-runs.ts';
import { expectFaceModel } from '../actors/analysis/no-models.ts';
import { type Injected, inject } from './inject.ts';

export const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
export const at = (name: string) => join(folder, name);
const names = ['a.mp4', 'b.mp4', 'sound.wav', 'face.jpg', 'note.txt', 'locked.mp4'];
for (const name of names) writeFileSync(at(name), name);
symlinkSync(at('a.mp4'), at('link.mp4'));
process.once('exit', () => rmSync(folder, { recursive: true }));

export const h = home();
process.once('exit', () => h.end());
export const good = { cache_dir: at('cache'), visual_media_paths: [at('a.mp4')] };

/** A service whose model is in use, and what its analysis was asked for. */
export function service(
  active: () => string = () => 'fake',
  expectModelFor: (work: ModelWork) => Promise<void> = expectFaceModel,
) {
  const summaryModel = async (key: string | null) => {
    if (key !== null) throw modelErrors.MODEL_NOT_DOWNLOADED(`framehound models pull ${key}`);
    return null;
  };
  // What is analysed already: b.mp4 alone.
  const properties = async ({ media_paths }: { media_paths: readonly string[] }) => {
    const readable = media_paths.filter((path) => existsSync(path) && !/note|locked/.test(path));
    const unsupported = !media_paths.includes(at('locked.mp4'));
    if (readable.length === 0) throw analysisErrors.NO_MEDIA(`${media_paths}: no media`, { unsupported });
    const entries = readable.map((path) => [
      path,
      { video_cached: path === at('b.mp4'), kind: path.endsWith('.wav') ? 'audio' : 'video' },
    ]);
    return { media_properties: Object.fromEntries(entries) };
  };
  const analysis = {
    properties,
    hasGone: async () => false,
    summaryNames: async () => new Map([[at('b.mp4'), ['Taken']]]),
    collections: async () => new Set(['c']),
  } as unknown as Analysis;
  const kinds = stageKinds;
  const given = {
    kinds,
    analysis,
    models: { active, current: (key: string) => key },
    decode: 'exact',
    expectModelFor,
    summaryModel,
  } as const;
  const preflight = createPreflight(given);
  const engine = h.start(undefined, preflight);
  const call = inject([...analyzeRoutes, ...taskRoutes], { tasks: engine.tasks });
  return { ...engine, call };
}

export const text = ({ body }: Injected) => {
  const { error, message } = body as { error: string; message: string };
  return `${error}: ${message}`;
};

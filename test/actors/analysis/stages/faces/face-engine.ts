// An engine whose fake face actor sees people in frames, and the fronts that tell of its tasks.

import type { TestContext } from 'node:test';
import type { TaskRequest } from '../../../../../actors/analysis/contract.ts';
import type { ModelWork } from '../../../../../actors/models/contract.ts';
import { noModelErrors } from '../../../../../actors/models/contract.ts';
import type { FakeFile } from '../../fake-file.ts';
import { world } from '../../fakes.ts';
import { page, type EngineOptions as TaskOptions, taskEngine } from '../task-engine.ts';

export interface EngineOptions extends TaskOptions {
  /** The people of another engine, which share the disk. */
  readonly people?: Engine['people'];
}

export type Engine = Awaited<ReturnType<typeof faceEngine>>;

export async function faceEngine(t: TestContext, files: readonly FakeFile[], options: EngineOptions = {}) {
  const w = await world(files, { decoders: 1, ...(options.journal && { journal: options.journal }) });
  t.after(() => w.end());
  await w.search.models.load('fake');
  const people = w.state.people;
  if (options.people) {
    const { stored, jobs, labels, shown } = options.people;
    Object.assign(people, { stored, jobs, labels, shown });
  }
  const expectModelFor = async (work: ModelWork) => {
    if (work === 'faces' && !people.downloaded)
      throw noModelErrors.NO_FACE_MODEL('framehound models pull faces');
    if (work === 'text' && !w.state.text.downloaded)
      throw noModelErrors.NO_TEXT_MODEL('framehound models pull pp-ocr-v4');
    if (work === 'things' && !w.state.things.downloaded)
      throw noModelErrors.NO_OBJECT_DETECTOR('framehound models pull nanodet-416');
    if (work === 'sounds' && !w.state.voices.hearsSounds)
      throw noModelErrors.NO_SOUND_MODEL('framehound models pull firered-aed');
  };
  const engine = taskEngine(w, options, { expectModelFor });
  /** Runs a task to its end; answers its results by path or job. */
  const run = async (request: Partial<TaskRequest>) => {
    const task_id = await engine.begin(request);
    const state = await engine.end();
    return { task_id, state, ...(await ends(task_id)) };
  };
  const ends = async (task_id: string) => {
    const { results, counts } = await engine.tasks.get(task_id, page);
    const of = Object.fromEntries(results.map((result) => [result.path.split('/').at(-1), result]));
    return { of, counts };
  };
  return { ...engine, people, run, ends };
}

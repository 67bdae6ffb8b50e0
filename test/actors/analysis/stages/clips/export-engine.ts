// An engine whose clips are cut by the test: what was asked for, when each ends, and the tasks that tell of
// it.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createAnalysis } from '../../../../../actors/analysis/analysis.ts';
import type { AnalysisParts } from '../../../../../actors/analysis/stages/parts.ts';
import type { EndState } from '../../../../../actors/analysis/tasks/contract.ts';
import { jobOrders } from '../../../../../actors/analysis/tasks/tasks.ts';
import { NameOrder } from '../../../../../actors/exporter/clips/clips.ts';
import type { ClipSeries, ClipSpec, Clips } from '../../../../../actors/exporter/clips/contract.ts';
import type { Proxies } from '../../../../../actors/exporter/proxies/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import type { FakeFile } from '../../fake-file.ts';
import { world } from '../../fakes.ts';
import { noModels } from '../../no-models.ts';
import { page, type EngineOptions as TaskOptions, taskEngine } from '../task-engine.ts';

interface AskedClip {
  readonly wish: ClipSpec;
}

/** Writes a file for each clip, when the test lets it. */
export class FakeClips implements Pick<Clips, 'begin'> {
  readonly asked: AskedClip[] = [];
  /** Called before a clip is complete. */
  before: (clip: AskedClip) => Promise<void> | void = () => {};

  /** Folders in which was swept. */
  readonly swept: string[] = [];

  async begin({ output_dir }: { readonly output_dir: string }): Promise<ClipSeries> {
    this.swept.push(output_dir);
    const order = new NameOrder();
    return {
      cut: (wish, signal) => order.next(wish, (before) => this.#cut(output_dir, wish, before, signal)),
    };
  }

  async #cut(output_dir: string, wish: ClipSpec, before: Promise<unknown> | undefined, signal: AbortSignal) {
    this.asked.push({ wish });
    mkdirSync(output_dir, { recursive: true });
    const part = join(output_dir, `.${wish.output_name}.part`);
    try {
      writeFileSync(part, 'half');
      await this.before({ wish });
      await before;
      if (signal.aborted) throw engineErrors.CANCELLED('the clip');
      const output_path = join(output_dir, `${wish.output_name}.mp4`);
      if (existsSync(output_path)) throw new Error(`${output_path} is written over`);
      writeFileSync(output_path, 'whole');
      return {
        output_path,
        extension: 'mp4',
        start_seconds: 1,
        end_seconds: 2,
        frames: 25,
        encoder: 'libx264',
        mode_used: 'precise' as const,
        mode_reason: null,
      };
    } finally {
      await rm(part, { force: true });
    }
  }
}

interface EngineOptions extends TaskOptions {
  readonly modelLibrary?: typeof noModels;
  readonly proxies?: Pick<Proxies, 'find' | 'make'>;
}

export type Engine = Awaited<ReturnType<typeof exportEngine>>;

export async function exportEngine(t: TestContext, files: readonly FakeFile[], options: EngineOptions = {}) {
  const w = await world(files, { decoders: 1, ...(options.journal && { journal: options.journal }) });
  t.after(() => w.end());
  await w.search.models.load('fake');
  const { modelLibrary = noModels, proxies = null } = options;
  const clips = new FakeClips();
  const parts = { ...w.parts, models: w.search.models, clips, proxies, modelLibrary } satisfies AnalysisParts;
  const analysis = createAnalysis(parts);
  const { tasks, emitted } = taskEngine(w, options, { analysis, orders: jobOrders(modelLibrary) });
  const ends = new Map<string, PromiseWithResolvers<EndState>>();
  const endOf = (task_id: string) => {
    const end = ends.get(task_id) ?? Promise.withResolvers<EndState>();
    ends.set(task_id, end);
    return end;
  };
  tasks.subscribe((task_id, event) => {
    if (event.type === 'end') endOf(task_id).resolve(event.state);
  });
  const output_dir = join(options.home ?? w.folder, 'clips');
  const wish = (name: string) => ({
    media_path: '/film.mp4',
    start_seconds: 1,
    end_seconds: 2,
    output_name: name,
  });
  const begin = async (...names: readonly string[]) => {
    const request = { output_dir, mode: 'precise', clips: names.map(wish) } as const;
    return (await tasks.begin('clips', request)).task_id;
  };
  /** Each clip of the task by its name, and how it ended. */
  const outcomes = async (task_id: string) => {
    const { results } = await tasks.get(task_id, page);
    return results.map(({ path, outcome }) => `${path.split(':')[0]} ${outcome}`);
  };
  const ended = (task_id: string) => endOf(task_id).promise;
  const again = (task_id: string) => void ends.delete(task_id);
  return { w, clips, tasks, emitted, output_dir, begin, outcomes, ended, again };
}

// The work on clips: each is cut by itself, and what a run of the task has written no later one writes again.
import { createHash } from 'node:crypto';
import { engineErrors } from '../../../../runtime/errors.ts';
import { type ClipSeries, clipFields } from '../../../exporter/clips/contract.ts';
import type { WorkResult } from '../../contract.ts';
import type { StageJob } from '../kind.ts';
import type { ClosingStep, ResultFacts, Stage, StageRun } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { type ClipExport, clipsKind } from './kind.ts';

/** Clips that are cut or wait for a thread at the same time. */
const TOGETHER = 4;

export const clipsStage: Stage = {
  kind: clipsKind,
  journal: 'clips',
  reads: 'frames',
  open: async (task) => {
    const { clips } = task.parts;
    const { clip_export } = task.request;
    if (!clips || !clip_export) throw engineErrors.INTERNAL('there is nothing that cuts clips');
    const { clips: _, ...options } = clip_export;
    const series = await clips.begin({ output_dir: task.request.cache_dir, ...options });
    return closingRun(new ClipClosing(task, series, clip_export));
  },
};

function closingRun(closing: ClosingStep): StageRun {
  return {
    modelOf: () => '',
    applies: () => false,
    isStored: async () => false,
    work: () => Promise.reject(engineErrors.INTERNAL('clips are jobs, and no files')),
    closing,
    close: async () => {},
  };
}

class ClipClosing implements ClosingStep {
  readonly together = TOGETHER;
  readonly #task: TaskContext;
  readonly #series: ClipSeries;
  readonly #export: ClipExport;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(task: TaskContext, series: ClipSeries, request: ClipExport) {
    this.#task = task;
    this.#series = series;
    this.#export = request;
    this.#numbers = new Map(request.clips.map(({ name }, i) => [name, i]));
  }

  keyOf(job: StageJob): string {
    const { name: _, ...clip } = this.#clipOf(job);
    const whole = JSON.stringify([clip, this.#export.mode, this.#task.request.cache_dir]);
    return `clip ${createHash('sha256').update(whole).digest('hex').slice(0, 32)}`;
  }

  async isStored({ name }: StageJob): Promise<boolean> {
    return this.#task.run.earlier?.finished(clipsKind.type, name ?? '') ?? false;
  }

  async work(
    job: StageJob,
    _: readonly WorkResult[],
    signal: AbortSignal,
    progress: (fraction: number) => void,
  ): Promise<ResultFacts> {
    progress(0);
    const { name, ...spec } = this.#clipOf(job);
    const output = await this.#series.cut(spec, signal);
    const { media_path } = spec;
    return { clip: { media_path, output_path: output.output_path, ...clipFields(output) } };
  }

  #clipOf({ name }: StageJob): ClipExport['clips'][number] {
    const clip = this.#export.clips[this.#numbers.get(name ?? '') ?? -1];
    if (!clip) throw engineErrors.INTERNAL(`there is no clip ${name}`);
    return clip;
  }
}

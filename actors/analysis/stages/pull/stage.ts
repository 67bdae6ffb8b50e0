// The work on models that are downloaded: each by itself, going on from what is there of it.
import { engineErrors } from '../../../../runtime/errors.ts';
import { type ModelLibrary, type PulledModel, refusalOf } from '../../../models/contract.ts';
import { PullBytes } from '../../../models/pull-bytes.ts';
import type { WorkResult } from '../../contract.ts';
import type { StageJob } from '../kind.ts';
import type { ClosingStep, ResultFacts, Stage } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { type PullFacts, pullKind } from './kind.ts';

export const pullStage: Stage = {
  kind: pullKind,
  journal: 'pull',
  reads: 'frames',
  open: async (task) => {
    const { modelLibrary } = task.parts;
    if (!modelLibrary) throw engineErrors.INTERNAL('there is nothing that downloads models');
    return {
      modelOf: () => '',
      applies: () => false,
      isStored: async () => false,
      work: () => Promise.reject(engineErrors.INTERNAL('models are jobs, and no files')),
      closing: new PullClosing(task, modelLibrary),
      close: async () => {},
    };
  },
};

/** Shares of the whole between two reports. */
const step = 0.001;

class PullClosing implements ClosingStep {
  readonly triesItself = true;
  readonly #task: TaskContext;
  readonly #library: Pick<ModelLibrary, 'list' | 'pull' | 'missing'>;
  /** Facts of models whose download failed. */
  readonly #failed = new Map<string, PullFacts>();

  constructor(task: TaskContext, library: Pick<ModelLibrary, 'list' | 'pull' | 'missing'>) {
    this.#task = task;
    this.#library = library;
  }

  keyOf({ name }: StageJob): string {
    return `pull ${name}`;
  }

  /** It may have been removed since an earlier run pulled it. */
  async isStored({ name }: StageJob): Promise<boolean> {
    const key = name ?? '';
    if (!this.#task.run.earlier?.finished(pullKind.type, key)) return false;
    return (await this.#library.missing(key)).files.length === 0;
  }

  failedFacts({ name }: StageJob): ResultFacts {
    return { pull: this.#failed.get(name ?? '') ?? null };
  }

  async work(
    { name }: StageJob,
    _: readonly WorkResult[],
    signal: AbortSignal,
    report: (fraction: number, detail: ResultFacts) => void,
  ): Promise<ResultFacts> {
    const key = name ?? '';
    const { models } = await this.#library.list();
    const files = models.find(({ row }) => row.key === key)?.row.files ?? [];
    const bytes = new PullBytes(files);
    let reported = '';
    const { clock } = this.#task.parts;
    try {
      const pulled = await this.#library.pull(key, {
        signal,
        clock,
        progress: (progress) => {
          bytes.take(progress);
          const { received, total } = bytes;
          const fraction = total > 0 ? received / total : 0;
          const { file, phase, index } = progress;
          const state = `${index} ${phase} ${Math.floor(fraction / step)}`;
          if (state === reported) return;
          reported = state;
          report(fraction, { file, phase, received_bytes: received, total_bytes: total });
        },
      });
      if (pulled.test && pulled.refused) throw refusalOf(key, pulled.test);
      return { pull: factsOf(pulled) };
    } catch (error) {
      this.#failed.set(key, await this.#missing(key));
      throw error;
    }
  }

  async #missing(model_key: string): Promise<PullFacts> {
    const { folder, files } = await this.#library.missing(model_key);
    const missing = files.map(({ size, ...file }) => ({ ...file, size_bytes: size }));
    return { model_key, folder, files: [], missing };
  }
}

function factsOf({ key, folder, files }: PulledModel): PullFacts {
  return {
    model_key: key,
    folder,
    files: files.map(({ name, size, sha256, fetched, verified }) => {
      return { name, size_bytes: size, sha256, fetched, verified };
    }),
    missing: [],
  };
}

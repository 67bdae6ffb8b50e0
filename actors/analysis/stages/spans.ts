// Spans: what a stage has done of a long file is kept as it goes, so that a later attempt, in this run or
// another one, goes on inside the file. Which work it is of is said here, for every stage alike.
import { programVersion } from '../../../runtime/process/version.ts';
import type { PictureSize } from '../../decoder/contract.ts';
import type { KeptSpan, SpanKey } from '../../index/spans/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { Item } from './kind.ts';
import type { FileSpans, Stage, StageRun } from './stage.ts';
import type { TaskContext } from './task-context.ts';

/** Another version of the program may see another picture. */
const version = programVersion();

export class AttemptSpans implements FileSpans {
  readonly key: SpanKey;
  readonly #task: TaskContext;
  readonly #every: number;
  readonly #onTakenUp: (amount: number) => void;
  #taken = 0;
  #kept = 0;

  private constructor(task: TaskContext, key: SpanKey, every: number, onTakenUp: (amount: number) => void) {
    this.#task = task;
    this.key = key;
    this.#every = every;
    this.#onTakenUp = onTakenUp;
  }

  /** Null for a stage that begins every file anew, and for a file that is not worth it. */
  static of(
    task: TaskContext,
    { stage, stageRun, item, media, previews }: Work,
    onTakenUp: (amount: number) => void,
  ): AttemptSpans | null {
    const rules = stageRun.spans?.(media, item) ?? null;
    const { unit } = stage.kind;
    if (rules === null || unit === null || unit.amountOf(media) <= rules.every) return null;
    const { hash_str, size_bytes, mtime_ms } = media.identity;
    const key = {
      stage: stage.journal,
      hash_str,
      model_key: stageRun.modelOf(item),
      path: media.path,
      settings: JSON.stringify({
        version,
        size_bytes,
        mtime_ms,
        ...(previews && { previews }),
        ...rules.settings,
      }),
      task_id: task.run.task_id,
      // What is forced begins anew once, and goes on with its own.
      own: task.redo(stage.kind.type, item.path),
    };
    return new AttemptSpans(task, key, rules.every, onTakenUp);
  }

  get taken(): number {
    return this.#taken;
  }

  /** Amount that was kept in this attempt. */
  get keptNow(): number {
    return Math.max(0, this.#kept - this.#taken);
  }

  async all(): Promise<readonly KeptSpan[]> {
    const { parts, signal } = this.#task;
    return (await parts.index.ask('kept_spans', this.#asked, { signal })).spans;
  }

  takenUp(amount: number): void {
    this.#taken = amount;
    this.#kept = amount;
    this.#onTakenUp(amount);
  }

  isDue(amount: number): boolean {
    return amount - this.#kept >= this.#every;
  }

  async keep(amount: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const request = { ...this.#asked, position: amount, bytes };
    // Not cancellable: what was done is worth keeping.
    await this.#task.parts.index.ask('keep_span', request, { transfer: [bytes.buffer] });
    this.kept(amount);
  }

  kept(amount: number): void {
    this.#kept = Math.max(this.#kept, amount);
  }

  /** The result is stored; what was kept is of no use any more. Never rejects. */
  async forget(): Promise<void> {
    const { parts } = this.#task;
    try {
      await parts.index.ask('forget_spans', this.#asked);
    } catch (error) {
      parts.log.warn('spans of a finished file cannot be removed', { path: this.key.path, error });
    }
  }

  get #asked() {
    return { cache_dir: this.#task.request.cache_dir, span: this.key };
  }
}

interface Work {
  readonly stage: Stage;
  readonly stageRun: StageRun;
  readonly item: Item;
  readonly media: MediaRecord;
  readonly previews: PictureSize | null;
}

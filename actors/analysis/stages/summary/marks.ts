// What a task has stored itself: before it makes a summary it notes which one has the name, so that a later
// run of the same task, or another attempt, knows the one that is there then as its own, though the engine
// ended before it could say so.
import { createHash } from 'node:crypto';
import type { CallOptions } from '../../../../runtime/ref.ts';
import type { SpanKey } from '../../../index/spans/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { foldName } from '../../../index/summaries/fold-name.ts';
import type { Index } from '../parts.ts';

const prefix = 'before:';

export interface MarkParts {
  readonly index: Index;
  readonly cache_dir: string;
  readonly task_id: string;
}

export class SummaryMarks {
  readonly #parts: MarkParts;
  /** To be forgotten when the results are recorded. */
  readonly #done: SpanKey[] = [];

  constructor(parts: MarkParts) {
    this.#parts = parts;
  }

  /**
   * Id of the summary that had the name before this task; null for none, undefined when nothing was noted.
   */
  async before(media: MediaRecord, name: string, call: CallOptions): Promise<string | null | undefined> {
    const { index, cache_dir } = this.#parts;
    const span = this.#keyOf(media, name);
    const { spans } = await index.ask('kept_spans', { cache_dir, span }, call);
    const bytes = spans.at(0)?.bytes;
    const text = bytes && new TextDecoder().decode(bytes);
    if (!text?.startsWith(prefix)) return undefined;
    return text.slice(prefix.length) || null;
  }

  /** *Flushed* when answered. */
  async note(media: MediaRecord, name: string, before: string | null): Promise<void> {
    const { index, cache_dir } = this.#parts;
    const bytes = new TextEncoder().encode(`${prefix}${before ?? ''}`);
    const span = this.#keyOf(media, name);
    await index.ask('keep_span', { cache_dir, span, position: 0, bytes }, { transfer: [bytes.buffer] });
  }

  done(media: MediaRecord, name: string): void {
    this.#done.push(this.#keyOf(media, name));
  }

  /** Of what has its result. Never rejects: a note that stays says nothing to other tasks. */
  async forget(): Promise<void> {
    const { index, cache_dir } = this.#parts;
    for (const span of this.#done.splice(0)) {
      await index.ask('forget_spans', { cache_dir, span }).catch(() => {});
    }
  }

  #keyOf({ path, identity }: MediaRecord, name: string): SpanKey {
    const digest = createHash('sha256').update(foldName(name)).digest('hex').slice(0, 32);
    const { hash_str } = identity;
    return { stage: 'summary', hash_str, model_key: digest, path, settings: '', ...this.#own };
  }

  get #own() {
    return { task_id: this.#parts.task_id, own: true };
  }
}

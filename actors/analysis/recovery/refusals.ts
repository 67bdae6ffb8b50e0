// Files whose content cannot be read, with the reason: they are not opened again while they have not changed.
// Kept as long as the engine runs.
import { EngineError } from '../../../runtime/errors.ts';
import { mediaErrors } from '../../decoder/contract.ts';

/** Kept at most; the oldest go first. */
const MOST = 10_000;

/** Reasons that lie in the content. A file that cannot be opened may be opened later. */
const ofContent: readonly string[] = [
  mediaErrors.FILE_EMPTY,
  mediaErrors.NOT_MEDIA,
  mediaErrors.NO_PICTURE,
  mediaErrors.UNSUPPORTED_CODEC,
].map(({ code }) => code);

export class Refusals {
  readonly #errors = new Map<string, EngineError>();

  /** `key`: of the look at the file; it names path, size and time. */
  of(key: string): EngineError | undefined {
    return this.#errors.get(key);
  }

  note(key: string, error: unknown): void {
    if (!(error instanceof EngineError) || !ofContent.includes(error.code)) return;
    this.#errors.delete(key);
    const [oldest] = this.#errors.size >= MOST ? this.#errors.keys() : [];
    if (oldest !== undefined) this.#errors.delete(oldest);
    this.#errors.set(key, error);
  }
}

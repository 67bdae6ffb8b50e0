// What is received of the body of one request: how much, and the memory it may hold until the request is
// answered.
import type { AccessDecision } from '../license/decision.ts';
import type { BodyBudget, BodyHold } from './body-budget.ts';
import { askAgain, plainError, type RawResponse } from './response.ts';

export interface IntakeOptions {
  readonly budget: BodyBudget;
  /** Bytes of one body. */
  readonly mostBytes: number;
  /** What the key in the header opens; null without one. */
  license(): AccessDecision | Promise<AccessDecision> | null;
}

export class Intake {
  readonly #options: IntakeOptions;
  #mostBytes: number;
  #bytes = 0;
  /** Of a body that comes in parts. */
  #hold: BodyHold | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#mostBytes = options.mostBytes;
  }

  /** Bytes of the body. */
  get mostBytes(): number {
    return this.#mostBytes;
  }

  /** Takes no larger bodies than that. */
  limit(mostBytes: number): void {
    this.#mostBytes = Math.min(this.#mostBytes, mostBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The answer to a body that may not be received. What comes in one part is small and nothing is kept of it,
   * so it passes also while others fill the memory.
   */
  receive(bytes: number, isLast: boolean): RawResponse | null {
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes) return this.tooLarge();
    if (isLast) return null;
    this.#hold ??= this.#open();
    if (this.#hold.take(bytes)) return null;
    const message = 'Request bodies are using too much memory at the moment; send this request again';
    return plainError(503, 'Too many large bodies', message, askAgain);
  }

  tooLarge(): RawResponse {
    return plainError(413, 'Body too large', `A body can have at most ${this.#mostBytes} bytes`);
  }

  /** The request has shown a good key. */
  trust(): void {
    this.#hold?.trust();
  }

  release(): void {
    this.#hold?.release();
  }

  /**
   * A key in the body counts before the one in the header, so a wrong one here only leaves the tighter bound.
   */
  #open(): BodyHold {
    const hold = this.#options.budget.open();
    const trustIf = (decision: AccessDecision | null) => decision?.ok && hold.trust();
    // A check that fails is repeated with the whole request, which answers it.
    try {
      const decision = this.#options.license();
      if (decision instanceof Promise) decision.then(trustIf, () => {});
      else trustIf(decision);
    } catch {}
    return hold;
  }
}

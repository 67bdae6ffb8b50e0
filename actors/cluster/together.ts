// What is asked for while work goes on is done together by the next round of it.

import { clusterErrors } from './contract.ts';

/** Of one round; letters of all texts but the first. */
const [MOST, LONGEST] = [256, 1 << 20];

interface Waiting {
  readonly text: string;
  readonly over: PromiseWithResolvers<void>;
}

export class Together {
  readonly #work: (texts: readonly string[]) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #isAtWork = false;

  constructor(work: (texts: readonly string[]) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when it is done. */
  add(text: string): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#waiting.push({ text, over });
    void this.#run();
    return over.promise;
  }

  async #run(): Promise<void> {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    while (this.#waiting.length > 0) {
      const round = this.#next();
      await this.#do(round).catch(async (error: unknown) => {
        // One that the database does not take keeps no other one out.
        const isOfOne = round.length > 1 && clusterErrors.DATABASE_REFUSED.is(error);
        if (!isOfOne) for (const { over } of round) over.reject(error);
        else for (const one of round) await this.#do([one]).catch(one.over.reject);
      });
    }
    this.#isAtWork = false;
  }

  async #do(round: readonly Waiting[]): Promise<void> {
    await this.#work(round.map(({ text }) => text));
    for (const { over } of round) over.resolve();
  }

  #next(): Waiting[] {
    let letters = 0;
    const end = this.#waiting.findIndex(({ text }, at) => {
      letters += text.length;
      return at > 0 && (at >= MOST || letters > LONGEST);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}

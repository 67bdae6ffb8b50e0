// The runs of a decoder that go on, by the names their callers gave them.
import type { Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import type { decoderContract } from '../contract.ts';
import { peakErrors } from './contract.ts';
import { PeakRun } from './run.ts';

type C = typeof decoderContract;

/**
 * Files that are open at the same time: what goes beyond ends the one that was not gone on with for longest.
 */
const mostRuns = 4;

export class PeakRuns {
  readonly #runs = new Map<string, PeakRun>();

  async step({ path, run: name, begins }: Request<C, 'peaks'>, turn: Turn): Promise<Reply<C, 'peaks'>> {
    const run = begins ? await PeakRun.open(path, turn) : this.#runs.get(name);
    if (!run) throw peakErrors.PEAKS_LOST(`${path}: ${peakErrors.PEAKS_LOST.meaning}`, { path });
    this.end(begins ? name : '');
    this.#runs.delete(name);
    this.#runs.set(name, run);
    this.#endOldest();
    try {
      if (!(await run.step(turn))) return { peaks: null };
    } catch (error) {
      this.end(name);
      throw error;
    }
    const { perSecond: per_second, values } = run.grid;
    this.end(name);
    return { peaks: { per_second, values } };
  }

  end(name: string): void {
    this.#runs.get(name)?.close();
    this.#runs.delete(name);
  }

  close(): void {
    for (const name of [...this.#runs.keys()]) this.end(name);
  }

  #endOldest(): void {
    for (const name of this.#runs.keys()) {
      if (this.#runs.size <= mostRuns) return;
      this.end(name);
    }
  }
}

// The work on proxies: one is made, unless it is there.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Proxies } from '../../../exporter/proxies/contract.ts';
import type { WorkResult } from '../../contract.ts';
import type { StageJob } from '../kind.ts';
import type { ClosingStep, ResultFacts, Stage } from '../stage.ts';
import { type ProxyParameters, proxyKind } from './kind.ts';

export const proxyStage: Stage = {
  kind: proxyKind,
  journal: 'proxy',
  reads: 'frames',
  open: async (task) => {
    const { proxies } = task.parts;
    const { proxy_request, cache_dir } = task.request;
    if (!proxies || !proxy_request) throw engineErrors.INTERNAL('there is nothing that makes proxies');
    return {
      modelOf: () => '',
      applies: () => false,
      isStored: async () => false,
      work: () => Promise.reject(engineErrors.INTERNAL('proxies are jobs, and no files')),
      closing: new ProxyClosing(proxies, cache_dir, proxy_request),
      close: async () => {},
    };
  },
};

class ProxyClosing implements ClosingStep {
  readonly #proxies: Pick<Proxies, 'find' | 'make'>;
  readonly #cacheDir: string;
  readonly #parameters: ProxyParameters;

  constructor(proxies: Pick<Proxies, 'find' | 'make'>, cacheDir: string, request: ProxyParameters) {
    this.#proxies = proxies;
    this.#cacheDir = cacheDir;
    this.#parameters = request;
  }

  keyOf(): string {
    return `proxy ${this.#parameters.hash_str}`;
  }

  async isStored(): Promise<boolean> {
    const { hash_str, max_side } = this.#parameters;
    return (await this.#proxies.find({ cache_dir: this.#cacheDir, hash_str, max_side })) !== null;
  }

  async work(
    _: StageJob,
    __: readonly WorkResult[],
    signal: AbortSignal,
    progress: (fraction: number) => void,
  ): Promise<ResultFacts> {
    const { hash_str, max_side } = this.#parameters;
    const spec = { cache_dir: this.#cacheDir, hash_str, max_side };
    const { size_bytes, frames, width, height } = await this.#proxies.make(spec, signal, progress);
    return { proxy: { hash_str, size_bytes, frames, width, height } };
  }
}

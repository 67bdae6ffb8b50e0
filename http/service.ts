// What the routes are handed: the engine's coordinators and the few things of the service itself.
import type { Analysis } from '../actors/analysis/analysis.ts';
import type { Tasks } from '../actors/analysis/contract.ts';
import type { Exporter } from '../actors/exporter/contract.ts';
import type { OperatingSystem } from '../actors/models/contract.ts';
import type { ListedModel } from '../actors/models/library.ts';
import type { Search } from '../actors/search/contract.ts';
import type { ChildState } from '../runtime/supervisor.ts';

export interface Service {
  readonly analysis: Analysis;
  readonly search: Search;
  readonly tasks: Tasks;
  readonly exporter: Exporter;
  /** The actors as they are now. */
  states(): readonly ChildState[];
  /** The models of this machine, read anew. */
  listModels(): Promise<{ readonly models: readonly ListedModel[]; readonly system: OperatingSystem }>;
  /** True once the service was asked to stop. */
  stopping(): boolean;
  readonly metrics: { render(): string };
}

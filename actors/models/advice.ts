// Which model a person of this machine should download for a kind of work. Pure.
import type { ListedModel, ModelRow } from './contract.ts';

/** What a machine has that decides how large a model may be. */
export interface Machine {
  /** What this process may use of it. */
  readonly memoryBytes: number;
  /** A device beside the processor that models may run on. */
  readonly graphics: boolean;
}

type Candidate = Omit<ListedModel, 'advised'>;

/** Analysis, decoding and everything else of the machine get the other half. */
const shareOfMemory = 0.5;
/** Without a graphics device, slower models would take longer than the footage lasts. */
const slowestOnProcessor = 3;

/**
 * The most accurate model that fits, then one of many languages, then the smaller one; of the slow ones only where a
 * graphics device runs it. Null when there is none to download for this kind, or none fits.
 */
function advisedModel(
  models: readonly Candidate[],
  kind: ModelRow['kind'],
  { memoryBytes, graphics }: Machine,
): Candidate | null {
  const able = models.filter(({ row, builtIn, supported }) => row.kind === kind && supported && !builtIn);
  const fitting = able.filter(({ row }) => memoryOf(row) <= shareOfMemory * memoryBytes);
  const fast = fitting.filter(({ row }) => graphics || row.speed >= slowestOnProcessor);
  const [best] = (fast.length > 0 ? fast : fitting).toSorted(
    ({ row: a }, { row: b }) =>
      b.accuracy - a.accuracy ||
      Number(b.is_multilingual) - Number(a.is_multilingual) ||
      a.size_gb - b.size_gb ||
      (a.key < b.key ? -1 : 1),
  );
  return best ?? null;
}

/** Weights, and about half as much again for what is computed with them. */
function memoryOf({ size_gb }: ModelRow): number {
  return 1.5 * size_gb * 1e9;
}

/** Every model that is advised for its kind. */
export function advisedModels(models: readonly Candidate[], machine: Machine): ReadonlySet<string> {
  const kinds = new Set(models.map(({ row }) => row.kind));
  const advised = [...kinds].map((kind) => advisedModel(models, kind, machine)?.row.key);
  return new Set(advised.filter((key) => key !== undefined));
}

/** How large a download is, for people; empty when there is none. */
export function sizeText(gigabytes: number): string {
  if (gigabytes === 0) return '';
  return gigabytes < 0.1 ? `${Math.ceil(1000 * gigabytes)} MB` : `${gigabytes.toFixed(2)} GB`;
}

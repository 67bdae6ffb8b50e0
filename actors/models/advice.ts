// Which model a person of this machine should download for a kind of work, and which one is used. Pure.
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

/** What works now: the visual model of the settings, and of the other kinds the most accurate one that is there. */
export function modelsInUse(models: readonly ListedModel[], visualKey: string): ReadonlySet<string> {
  const present = models.filter(({ builtIn, downloaded }) => builtIn || downloaded);
  const rows = present
    .map(({ row }) => row)
    .filter(({ kind, key }) => kind !== 'visual' || key === visualKey);
  const best = rows.toSorted((a, b) => b.accuracy - a.accuracy || b.speed - a.speed);
  const kinds = new Set(best.map(({ kind }) => kind));
  return new Set([...kinds].map((kind) => best.find((row) => row.kind === kind)!.key));
}

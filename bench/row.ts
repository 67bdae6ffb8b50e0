// One measured number beside what it is compared with, in the same run on the same machine.
import { sized } from './size.ts';

export interface Row {
  /** File of bench/ that asked. */
  readonly question: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The peer, floor or limit of the same run; null for a number that stands alone. */
  readonly against: { readonly name: string; readonly value: number } | null;
  /** `value` over the other one, or inverted, so that more is better. */
  readonly ratio: number | null;
  /** The goal, and whether it is about the ratio or the value. */
  readonly goal: {
    readonly of: 'ratio' | 'value';
    readonly at: 'least' | 'most';
    readonly than: number;
  } | null;
}

/**
 * A question of bench/: measures and answers rows. `say` tells what is being measured; `folder` is empty, and
 * removed afterwards.
 */
export type Question = (say: (text: string) => void, folder: string) => Promise<Row[]>;

export function reached({ goal, ratio, value }: Row): boolean | null {
  if (!goal) return null;
  const number = goal.of === 'ratio' ? ratio : value;
  if (number === null) return false;
  return goal.at === 'least' ? number >= goal.than : number <= goal.than;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Runs variants in turn, A B C A B C, so that a slow moment of the machine hits all alike. `measure` answers
 * one number; the median over the rounds is kept. The first round warms up and does not count.
 */
export async function alternate<K extends string>(
  rounds: number,
  variants: Readonly<Record<K, () => Promise<number> | number>>,
): Promise<Record<K, number>> {
  const names = Object.keys(variants) as K[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = sized(0, 1); round <= sized(rounds, 1); round++) {
    for (const name of names) {
      const value = await variants[name]();
      if (round > 0) values[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(values[name])])) as Record<K, number>;
}

/**
 * The same for one variant and its peer, with the ratio of each round: on a machine that others use, two
 * neighbours have more in common than two medians. Each answers some numbers, and each number is compared for
 * itself.
 */
export async function beside<K extends string>(
  rounds: number,
  own: () => Promise<Record<K, number>>,
  peer: () => Promise<Record<K, number>>,
): Promise<Record<K, { value: number; peer: number; ratio: number }>> {
  const measurements: { own: Record<K, number>; peer: Record<K, number> }[] = [];
  for (let round = sized(0, 1); round <= sized(rounds, 1); round++) {
    const measurement = { peer: await peer(), own: await own() };
    if (round > 0) measurements.push(measurement);
  }
  const keys = Object.keys(measurements[0]!.own) as K[];
  const compared = (key: K) => ({
    value: median(measurements.map((measurement) => measurement.own[key])),
    peer: median(measurements.map((measurement) => measurement.peer[key])),
    ratio: median(measurements.map((measurement) => measurement.own[key] / measurement.peer[key])),
  });
  return Object.fromEntries(keys.map((key) => [key, compared(key)])) as Record<
    K,
    ReturnType<typeof compared>
  >;
}

/**
 * Seconds of processor time that `work` takes in this process: nearly independent of the load of the machine.
 */
export async function processorSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

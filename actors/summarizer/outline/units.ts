// The smallest parts that an outline is made of: shots, short ones joined, long ones divided where nobody
// speaks.
import { segmentBySecond } from './channels.ts';
import type { Material } from './material.ts';
import type { Shots } from './shots.ts';
import type { Bounds } from './spread.ts';

/**
 * The bounds of units, 0 the first and the length of the grid the last. `shots`: null without pictures. No
 * unit is shorter than `shortest` seconds but a whole file, and few are longer than `longest`.
 */
export function unitsOf(
  material: Material,
  shots: Shots | null,
  { shortest, longest }: { readonly shortest: number; readonly longest: number },
): Bounds {
  const { seconds } = material;
  const by = segmentBySecond(material.segments ?? [], seconds);
  const inner = shots
    ? shots.starts.map((row) => material.pictures!.frames[row]!)
    : speechTurns(material, by);
  const all = [...new Set([0, ...inner, seconds])].sort((a, b) => a - b);
  const joined = joinShort(all, strengthsOf(material, shots, all), shortest);
  return divideLong(joined, by, shortest, longest);
}

/** Where somebody begins or ends to speak, or another speaker goes on. */
function speechTurns({ segments, seconds }: Material, by: Int32Array): number[] {
  const speaker = (second: number) => (by[second]! < 0 ? undefined : segments![by[second]!]!.speaker);
  const turns: number[] = [];
  for (let second = 1; second < seconds; second++)
    if (speaker(second) !== speaker(second - 1)) turns.push(second);
  return turns;
}

/** How much the picture changes at each bound. */
function strengthsOf({ pictures, seconds }: Material, shots: Shots | null, bounds: Bounds): Float64Array {
  const strengths = new Float64Array(bounds.length);
  if (!pictures || !shots) return strengths;
  const bySecond = new Float32Array(seconds + 1);
  for (const row of shots.starts) bySecond[pictures.frames[row]!] = shots.changes[row]!;
  return strengths.map((_, i) => bySecond[bounds[i]!]!);
}

/** Takes the weakest bounds away as long as a part beside them is too short. O(bounds · log bounds). */
export function joinShort(bounds: Bounds, strengths: Float64Array, shortest: number): number[] {
  const last = bounds.length - 1;
  const before = Int32Array.from(bounds, (_, i) => i - 1);
  const after = Int32Array.from(bounds, (_, i) => i + 1);
  const inner = Array.from({ length: Math.max(0, last - 1) }, (_, i) => i + 1);
  inner.sort((a, b) => strengths[a]! - strengths[b]! || a - b);
  for (const i of inner) {
    const [left, right] = [before[i]!, after[i]!];
    if (bounds[i]! - bounds[left]! >= shortest && bounds[right]! - bounds[i]! >= shortest) continue;
    after[left] = right;
    before[right] = left;
  }
  const kept = [];
  for (let i = 0; i <= last; i = after[i]!) kept.push(bounds[i]!);
  return kept;
}

/** Parts of equal length, moved by up to a quarter of it to where nobody speaks or another speech begins. */
function divideLong(bounds: Bounds, by: Int32Array, shortest: number, longest: number): number[] {
  const divided: number[] = [];
  for (let i = 0; i < bounds.length - 1; i++) {
    const [start, end] = [bounds[i]!, bounds[i + 1]!];
    divided.push(start);
    const parts = Math.ceil((end - start) / longest);
    const length = (end - start) / parts;
    for (let part = 1; part < parts && length >= shortest; part++)
      divided.push(calmest(by, Math.round(start + part * length), Math.floor(length / 4)));
  }
  divided.push(bounds.at(-1)!);
  return divided;
}

/** The second at most `reach` from `near` at which best to cut; of equally good ones the nearest. */
function calmest(by: Int32Array, near: number, reach: number): number {
  for (const good of [isPause, isTurn])
    for (let k = 0; k <= reach; k++)
      for (const second of [near - k, near + k]) if (good(by, second)) return second;
  return near;
}

const isPause = (by: Int32Array, second: number) => by[second]! < 0 || by[second - 1]! < 0;
const isTurn = (by: Int32Array, second: number) => by[second] !== by[second - 1];

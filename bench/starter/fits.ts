// The fits of the included model as bytes, and evidence in the form that fits are made of.
import { evidenceNames } from '../../actors/models/starter/evidence.ts';
import { type Fits, isRooted } from '../../actors/models/starter/graph/graph.ts';

/** Bytes that `readFits` reads. */
export function fitBytes({ means, spreads, units }: Fits): Uint8Array {
  const numbers = [
    ...means,
    ...spreads,
    ...[...units.values()].flatMap(({ bias, rule, weights }) => [bias, rule, ...weights]),
  ];
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((value, i) => void bytes.writeFloatLE(value, 4 * i));
  return new Uint8Array(bytes);
}

/** Evidence with its roots taken. */
export function rooted(evidence: Float32Array): Float64Array {
  return Float64Array.from(evidence, (value, i) =>
    isRooted(evidenceNames[i]!) ? Math.sqrt(Math.max(0, value)) : value,
  );
}

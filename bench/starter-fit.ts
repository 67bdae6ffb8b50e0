// Fits the units of starter-visual that a rule made by hand does not reach: a logistic regression for each,
// over all that the graph itself measures, on the pictures of starter/fitting.ts. Prints how each does on
// pictures left out; with `--write`, instead, writes actors/models/starter/fitted.ts and fits.bin. Run:
// FRAMEHOUND_BENCH_PICTURES=FOLDER node runtime/process/launch.mjs --node bench/starter-fit.ts [--write]
import { writeFile } from 'node:fs/promises';
import { evidenceIndex } from '../actors/models/starter/evidence.ts';
import { MOST_SPREADS, type StarterFit } from '../actors/models/starter/graph/graph.ts';
import { RAMP_MAX, RAMP_MIN, type Ramp, type UnitName, units } from '../actors/models/starter/units.ts';
import { seeded } from './diarization/random.ts';
import { fitBytes, rooted } from './starter/fits.ts';
import { type Fitted, fitted } from './starter/fitting.ts';
import { type Example, logistic, odds, type Regression, regression } from './starter/logistic.ts';
import { look } from './starter/model.ts';
import { mean, ranked } from './starter/ranking.ts';

/** Which units are fitted, and by which tag. */
const request: Readonly<Partial<Record<UnitName, string>>> = {
  'blue sky': 'blue sky',
  'cloudy sky': 'overcast',
  clouds: 'clouds',
  sea: 'water',
  underwater: 'underwater',
  forest: 'forest',
  foliage: 'foliage',
  grass: 'grass',
  snow: 'snow',
  beach: 'beach',
  sand: 'sand',
  desert: 'desert',
  night: 'night',
  'city lights': 'city lights',
  stars: 'stars',
  sunset: 'sunset',
  fire: 'fire',
  fog: 'fog',
  rock: 'rock',
  landscape: 'landscape',
  document: 'document',
  text: 'text',
  portrait: 'face',
  plain: 'plain',
  backlit: 'backlit',
};

const fittedHead = `// Which units are fitted, and how each is made: of its fit alone, or of its rule and its fit. Written by
// bench/starter-fit.ts, with fits.bin, whose order it has.
import type { UnitName } from './units.ts';

export const ways: Readonly<Partial<Record<UnitName, 'fit' | 'both'>>> = {
`;
const FOLDS = 5;
/**
 * A unit that fewer groups show is not fitted; one that fewer photographs show keeps its rule beside the fit.
 */
const LEAST_GROUPS = 3;
/** Weight of a photograph that is there four times, against a drawing. */
const PHOTOGRAPH_WEIGHT = 0.6;
const isWriting = process.argv.includes('--write');

const pictures = await fitted();
const { evidence } = await look(pictures);
const roots = evidence.map(rooted);
const usual = roots[0]!.map((_, k) => mean(roots.map((root) => root[k]!)));
const spread = usual.map(
  (middle, k) => Math.sqrt(mean(roots.map((root) => (root[k]! - middle) ** 2))) + 1e-6,
);
const features = roots.map((root) =>
  root.map((value, k) => Math.max(-MOST_SPREADS, Math.min(MOST_SPREADS, (value - usual[k]!) / spread[k]!))),
);
const groups = [...new Set(pictures.map(({ group }) => group))];
const random = seeded(7);
const folds = new Map(groups.map((group) => [group, random.below(FOLDS)]));

const results = (Object.entries(request) as [UnitName, string][]).map(([unit, tag]) => fitUnit(unit, tag));
if (isWriting) await write();

interface Result {
  readonly unit: UnitName;
  readonly way: 'rule' | 'fit' | 'both';
  readonly fit: Regression;
}

function fitUnit(unit: UnitName, tag: string): Result {
  const examples = pictures.flatMap((picture, at): (Example & { readonly fold: number })[] => {
    const is = picture.tags.includes(tag);
    if (!is && picture.maybe.includes(tag)) return [];
    return [
      {
        is,
        weight: weightOf(picture),
        rule: ruleOf(units[unit], evidence[at]!),
        features: features[at]!,
        fold: folds.get(picture.group)!,
      },
    ];
  });
  const shows = (style: (style: string) => boolean) =>
    new Set(
      pictures.flatMap((picture) =>
        picture.tags.includes(tag) && style(picture.style) ? [picture.group] : [],
      ),
    ).size;
  const [shown, inPhotographs] = [shows(() => true), shows((style) => style === 'photograph')];
  const fit = regression(examples);
  const way = shown < LEAST_GROUPS ? 'rule' : inPhotographs < LEAST_GROUPS ? 'both' : 'fit';
  if (isWriting) return { unit, way, fit };
  const predictions = Array.from({ length: FOLDS }, (_, fold) => leftOut(examples, fold, fit)).flat();
  const precision = (score: (prediction: (typeof predictions)[number]) => number) =>
    ranked(predictions.toSorted((a, b) => score(b) - score(a)).map(({ is }) => is)).precision.toFixed(2);
  const text = `rule ${precision((prediction) => prediction.rule)}, fit ${precision((prediction) => prediction.fit)}, both ${precision((prediction) => prediction.rule * (prediction.fit + 0.02))}`;
  process.stdout.write(
    `${unit.padEnd(14)} shown in ${shown}, ${inPhotographs} of them photographs; left out: ${text}: ${way}\n`,
  );
  return { unit, way, fit };
}

function leftOut(examples: readonly (Example & { readonly fold: number })[], fold: number, from: Regression) {
  const others = examples.filter((example) => example.fold !== fold);
  const some = others.some(({ is }) => is);
  const trained = some ? regression(others, from) : null;
  return examples
    .filter((example) => example.fold === fold)
    .map((example) => ({
      is: example.is,
      rule: example.rule,
      fit: trained ? logistic(odds(trained, example)) : 0,
    }));
}

function weightOf({ style }: Fitted): number {
  return style === 'photograph' ? PHOTOGRAPH_WEIGHT : 1;
}

function ruleOf(rows: readonly Ramp[], measured: Float32Array): number {
  const logs = rows.map(([name, from, to]) => {
    const position = (measured[evidenceIndex(name)]! - from) / (to - from);
    return Math.log(Math.min(RAMP_MAX, Math.max(RAMP_MIN, position)));
  });
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / Math.sqrt(rows.length));
}

async function write(): Promise<void> {
  const folder = new URL('../actors/models/starter/', import.meta.url);
  const chosenUnits = results.flatMap(({ unit, way, fit }) => (way === 'rule' ? [] : [{ unit, way, fit }]));
  const quoted = (name: string) => (/\W/.test(name) ? `'${name}'` : name);
  const rows = chosenUnits.map(({ unit, way }) => `  ${quoted(unit)}: '${way}',\n`);
  await writeFile(new URL('fitted.ts', folder), `${fittedHead}${rows.join('')}};\n`);
  const fits = chosenUnits.map(({ unit, way, fit }): [UnitName, StarterFit] => {
    return [unit, { with: way, bias: fit.bias, rule: fit.rule, weights: Float32Array.from(fit.weights) }];
  });
  const [means, spreads] = [Float32Array.from(usual), Float32Array.from(spread)];
  await writeFile(new URL('fits.bin', folder), fitBytes({ means, spreads, units: new Map(fits) }));
}

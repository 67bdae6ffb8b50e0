// Fits the units of starter-visual that a rule made by hand does not reach: a small logistic regression for each, over what
// the graph itself measures, on the pictures of starter/fitting.ts. Prints how each does on pictures left out, and with
// `--write` writes actors/models/starter/fitted.ts and usual.ts.
// Run: FRAMEHOUND_BENCH_PICTURES=FOLDER node runtime/process/launch.mjs --node bench/starter-fit.ts [--write]
import { writeFile } from 'node:fs/promises';
import { type Evidence, evidenceIndex, materialNames, scalars } from '../actors/models/starter/evidence.ts';
import { RAMP_MAX, RAMP_MIN, type Ramp } from '../actors/models/starter/ramp.ts';
import { type UnitName, units } from '../actors/models/starter/units.ts';
import { seeded } from './diarization/random.ts';
import { type Fitted, fitted } from './starter/fitting.ts';
import { chosen, type Example, probability } from './starter/logistic.ts';
import { look } from './starter/model.ts';
import { mean, ranked } from './starter/ranking.ts';

/** Which units are fitted, and by which tag. */
const wanted: Readonly<Partial<Record<UnitName, string>>> = {
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

const looks = [
  'lightness',
  'chroma',
  'texture',
  'warm',
  'cool',
  'edge',
  'glint',
  'horizontal',
  'vertical',
  'vivid',
  'tinted',
  'bright',
  'dark',
] as const;
const middles = ['skin', 'foliage', 'lightness', 'night', 'texture', 'chroma'] as const;
/** What a fit may choose from. */
const candidates: readonly Evidence[] = [
  ...(['whole', 'top', 'middle', 'bottom'] as const).flatMap((region) =>
    [...materialNames, ...looks].map((channel): Evidence => `${region} ${channel}`),
  ),
  ...(['centre', 'border'] as const).flatMap((region) =>
    middles.map((channel): Evidence => `${region} ${channel}`),
  ),
  ...scalars,
];
const fittedHead = `// How units are recognised beyond their rules: logistic regressions over what the graph measures. Written by
// bench/starter-fit.ts, which fits them on photographs and drawings; docs/decisions/0029 names them and has the figures.
import type { Fit } from './fit.ts';
import type { UnitName } from './units.ts';

// biome-ignore format: a table
export const fits: Readonly<Partial<Record<UnitName, Fit>>> = {
`;
const usualHead = `// Mean and spread of evidence over the pictures that units are fitted on, of what the fits use. Written by
// bench/starter-fit.ts.
import type { Evidence } from './evidence.ts';

export const usual: Readonly<Partial<Record<Evidence, readonly [mean: number, spread: number]>>> = {
`;
const FOLDS = 5;
/** A fit alone has to be this much better on pictures left out than both together, and both may be this much below the rule. */
const [FIT_MARGIN, RULE_MARGIN] = [0.02, 0.05];
/** A unit that fewer show is not fitted. */
const LEAST_GROUPS = 3;
/** Of a photograph that is there four times, against a drawing. */
const PHOTOGRAPH_WEIGHT = 0.6;

const pictures = await fitted();
const { evidence } = await look(pictures);
const usual = candidates.map((name): readonly [number, number] => {
  const values = evidence.map((one) => one[evidenceIndex(name)]!);
  const middle = mean(values);
  return [middle, Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) + 1e-6];
});
const spreads = evidence.map((one) =>
  Float64Array.from(candidates, (name, k) => {
    const [middle, spread] = usual[k]!;
    return Math.max(-3, Math.min(3, (one[evidenceIndex(name)]! - middle) / spread));
  }),
);
const groups = [...new Set(pictures.map(({ group }) => group))];
const random = seeded(7);
const folds = new Map(groups.map((group) => [group, random.below(FOLDS)]));

const results = (Object.entries(wanted) as [UnitName, string][]).map(([unit, tag]) => fitUnit(unit, tag));
if (process.argv.includes('--write')) await write();

interface Result {
  readonly unit: UnitName;
  readonly way: 'rule' | 'fit' | 'both';
  readonly fit: ReturnType<typeof chosen>;
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
        features: spreads[at]!,
        fold: folds.get(picture.group)!,
      },
    ];
  });
  const left: { is: boolean; rule: number; fit: number }[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const trained = chosen(examples.filter((one) => one.fold !== fold));
    for (const one of examples.filter((other) => other.fold === fold)) {
      left.push({ is: one.is, rule: one.rule, fit: probability(trained, one) });
    }
  }
  const precision = (score: (one: (typeof left)[number]) => number) =>
    ranked(left.toSorted((a, b) => score(b) - score(a)).map(({ is }) => is)).precision;
  const [rule, fit, both] = [
    precision((one) => one.rule),
    precision((one) => one.fit),
    precision((one) => one.rule * (one.fit + 0.02)),
  ];
  const shown = new Set(pictures.flatMap(({ tags, group }) => (tags.includes(tag) ? [group] : [])));
  const better =
    fit >= both + FIT_MARGIN && fit > rule ? 'fit' : both >= rule - RULE_MARGIN ? 'both' : 'rule';
  const way = shown.size < LEAST_GROUPS ? 'rule' : better;
  process.stdout.write(
    `${unit.padEnd(14)} shown in ${String(shown.size).padStart(2)}; left out: rule ${rule.toFixed(2)}, fit ${fit.toFixed(2)}, both ${both.toFixed(2)}: ${way}\n`,
  );
  return { unit, way, fit: chosen(examples) };
}

function weightOf({ style }: Fitted): number {
  return style === 'photograph' ? PHOTOGRAPH_WEIGHT : 1;
}

function ruleOf(rows: readonly Ramp[], measured: Float32Array): number {
  const logs = rows.map(([name, from, to]) => {
    const held = (measured[evidenceIndex(name)]! - from) / (to - from);
    return Math.log(Math.min(RAMP_MAX, Math.max(RAMP_MIN, held)));
  });
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / Math.sqrt(rows.length));
}

async function write(): Promise<void> {
  const folder = new URL('../actors/models/starter/', import.meta.url);
  const kept = results.filter(({ way }) => way !== 'rule');
  const used = new Set(kept.flatMap(({ fit }) => fit.weights.map(({ feature }) => feature)));
  const quoted = (name: string) => (/\W/.test(name) ? `'${name}'` : name);
  const hundredths = (value: number) => String(Number(value.toFixed(2)));
  const number = (value: number) => String(Number(value.toPrecision(3)));
  const fits = kept.map(({ unit, way, fit }) => {
    const weights = fit.weights.map(
      ({ feature, weight }) => `${quoted(candidates[feature]!)}: ${hundredths(weight)}`,
    );
    const rows = [0, 4, 8].map((at) => `      ${weights.slice(at, at + 4).join(', ')},\n`);
    return `  ${quoted(unit)}: {\n    with: '${way}', bias: ${hundredths(fit.bias)}, rule: ${hundredths(fit.rule)},\n    weights: {\n${rows.join('')}    },\n  },`;
  });
  await writeFile(new URL('fitted.ts', folder), `${fittedHead}${fits.join('\n')}\n};\n`);
  const rows = candidates.flatMap((name, k) =>
    used.has(k) ? [`  ${quoted(name)}: [${usual[k]!.map(number).join(', ')}],`] : [],
  );
  await writeFile(new URL('usual.ts', folder), `${usualHead}${rows.join('\n')}\n};\n`);
}

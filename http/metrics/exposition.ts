// The text a Prometheus server reads (exposition format 0.0.4), from families of samples.

type Labels = Readonly<Record<string, string>>;

export interface MetricSample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Everything of one name. Units stand in the name: seconds, bytes; counters end in `_total`. */
export type MetricFamily =
  | {
      readonly type: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly MetricSample[];
    }
  | {
      readonly type: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly series: readonly HistogramSeries[];
    };

interface HistogramSeries {
  readonly labels: Labels;
  /** Upper bounds, ascending, without +Inf. */
  readonly bounds: readonly number[];
  /** Observations by bucket, not cumulated, the one above the last bound included. */
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** One series without labels. */
export function single(type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily {
  return { type, name, help, samples: [{ value }] };
}

export function renderFamilies(families: readonly MetricFamily[]): string {
  return families.map(renderFamily).join('');
}

function renderFamily(family: MetricFamily): string {
  const { name } = family;
  let text = headOf(family);
  if (family.type === 'histogram') {
    for (const series of family.series) text += histogramLines(name, series);
  } else {
    for (const { labels, value } of family.samples) text += line(name, labels ? pairsOf(labels) : '', value);
  }
  return text;
}

/** Heads of families by name: their help is the same at every scrape. */
const heads = new Map<string, { readonly help: string; readonly text: string }>();

function headOf({ name, help, type }: MetricFamily): string {
  const head = heads.get(name);
  if (head?.help === help) return head.text;
  const text = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  heads.set(name, { help, text });
  return text;
}

function histogramLines(name: string, { labels, bounds, counts, sum }: HistogramSeries): string {
  const pairs = pairsOf(labels);
  const before = pairs === '' ? '' : `${pairs},`;
  let text = '';
  let below = 0;
  for (let i = 0; i <= bounds.length; i++) {
    below += counts[i] ?? 0;
    const bound = numberText(bounds[i] ?? Number.POSITIVE_INFINITY);
    text += line(`${name}_bucket`, `${before}le="${bound}"`, below);
  }
  return `${text}${line(`${name}_sum`, pairs, sum)}${line(`${name}_count`, pairs, below)}`;
}

function line(name: string, pairs: string, value: number): string {
  return pairs === '' ? `${name} ${numberText(value)}\n` : `${name}{${pairs}} ${numberText(value)}\n`;
}

function pairsOf(labels: Labels): string {
  let pairs = '';
  for (const key in labels) pairs += `${pairs === '' ? '' : ','}${key}="${escapeLabel(labels[key]!)}"`;
  return pairs;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  // Nearly no label has anything to escape, and a search for it takes a tenth of replacing.
  return /[\\\n"]/.test(text) ? escapeHelp(text).replaceAll('"', '\\"') : text;
}

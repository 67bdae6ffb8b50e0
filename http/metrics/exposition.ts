// The text a Prometheus server reads (exposition format 0.0.4), from families of samples.

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Everything of one name. Units stand in the name: seconds, bytes; counters end in `_total`. */
export type Family =
  | {
      readonly type: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly Sample[];
    }
  | {
      readonly type: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly series: readonly HistogramSeries[];
    };

export interface HistogramSeries {
  readonly labels: Labels;
  /** Upper bounds, ascending, without +Inf. */
  readonly bounds: readonly number[];
  /** Observations by bucket, not cumulated, the one above the last bound included. */
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** One series without labels. */
export function single(type: 'counter' | 'gauge', name: string, help: string, value: number): Family {
  return { type, name, help, samples: [{ value }] };
}

export function renderFamilies(families: readonly Family[]): string {
  return families.map(renderFamily).join('');
}

function renderFamily(family: Family): string {
  const { name, help, type } = family;
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  const lines =
    family.type === 'histogram'
      ? family.series.flatMap((series) => histogramLines(name, series))
      : family.samples.map(({ labels, value }) => line(name, labels ?? {}, value));
  return head + lines.join('');
}

function histogramLines(name: string, { labels, bounds, counts, sum }: HistogramSeries): string[] {
  let below = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, i) => {
    below += counts[i] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: numberText(bound) }, below);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
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
  return escapeHelp(text).replaceAll('"', '\\"');
}

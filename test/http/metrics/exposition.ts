// Reads the exposition text as strictly as a Prometheus server may: everything that is not allowed throws.
import assert from 'node:assert/strict';

export interface Read {
  readonly type: string;
  readonly help: string;
  /** Value by `name{label="value",…}`, labels in the order they came. */
  readonly samples: ReadonlyMap<string, number>;
}

type Reading = { type: string; help: string; samples: Map<string, number> };

export function readExposition(text: string): ReadonlyMap<string, Read> {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  const families = new Map<string, Reading>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (word === 'HELP') {
      assert.ok(!families.has(name), `${name} comes twice`);
      families.set(name, { type: '', help: rest, samples: new Map() });
      current = name;
    } else if (word === 'TYPE') {
      const family = families.get(name);
      assert.ok(family && name === current && family.type === '', `TYPE of ${name} stands in a wrong place`);
      assert.match(rest, /^(counter|gauge|histogram)$/);
      family.type = rest;
    } else readSample(line, current, families.get(current));
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

const number = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;

function readSample(line: string, family: string, into: Reading | undefined): void {
  const [, name = '', labels, value = ''] =
    /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+(?<!,)\})? (\S+)$/.exec(line) ?? [];
  assert.ok(name !== '' && number.test(value), `not a sample: ${line}`);
  assert.ok(into, `${name} comes before its HELP`);
  const suffixes = into.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  assert.ok(
    suffixes.some((suffix) => name === family + suffix),
    `${name} stands among those of ${family}`,
  );
  const names = [...(labels ?? '').matchAll(/([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label);
  assert.equal(new Set(names).size, names.length, `a label comes twice: ${line}`);
  const key = name + (labels ?? '');
  assert.ok(!into.samples.has(key), `${key} comes twice`);
  into.samples.set(key, Number(value.replace('Inf', 'Infinity')));
}

function checkFamily(name: string, { type, samples }: Reading): void {
  assert.notEqual(type, '', `${name} has no TYPE`);
  // `promtool check metrics` refuses the name of a type in that of a metric.
  assert.doesNotMatch(name, /_(counter|gauge|histogram|summary)(_|$)/);
  if (type === 'counter') {
    assert.match(name, /_total$/);
    for (const [key, value] of samples) assert.ok(value >= 0, `${key} is negative`);
  }
  if (type !== 'histogram') return;
  const series = Map.groupBy(samples, ([key]) =>
    key.replace(/,?le="[^"]*"/, '').replace(/_(bucket|sum|count)/, ''),
  );
  for (const [key, entries] of series) {
    const buckets = entries.filter(([at]) => at.startsWith(`${name}_bucket`));
    const bounds = buckets.map(([at]) => Number(/le="([^"]*)"/.exec(at)?.[1]?.replace('Inf', 'Infinity')));
    const counts = buckets.map(([, value]) => value);
    assert.deepEqual(
      [...new Set(bounds)].sort((a, b) => a - b),
      bounds,
      `${key}: bounds do not ascend`,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${key}: no +Inf`);
    assert.deepEqual(
      [...counts].sort((a, b) => a - b),
      counts,
      `${key}: not cumulative`,
    );
    const count = entries.find(([at]) => at.startsWith(`${name}_count`))?.[1];
    assert.equal(count, counts.at(-1), `${key}: +Inf is not the count`);
    assert.ok(
      entries.some(([at]) => at.startsWith(`${name}_sum`)),
      `${key}: no sum`,
    );
  }
}

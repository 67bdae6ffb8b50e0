// The report of a test run as Node writes it on a terminal, which lists the failures at its end, so that they
// are also in the part of a log that is kept. Behind it stands which tests were skipped and why, since tests
// that need real footage must not be missing unseen, and which files took longest.
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

// biome-ignore lint/style/noDefaultExport: Node takes the default export of a file as the reporter.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped = new Map<string, number>();
  const seconds = new Map<string, number>();
  const watched = async function* () {
    for await (const event of events) {
      const reason = skipReason(event);
      if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      addDuration(event, seconds);
      yield event;
    }
  };
  for await (const text of Readable.from(watched()).pipe(new spec())) yield String(text);
  for (const line of [...longest(seconds), ...closingLines(skipped)]) yield `ℹ ${line}\n`;
}

/** Of a run that is quick; and of a long one the first of them will do. */
const [longSeconds, mostLong] = [5, 5];

/** Each file is a suite that is named by its path (run.ts). */
function addDuration({ type, data }: TestEvent, seconds: Map<string, number>): void {
  if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0) return;
  if (data.details.type === 'suite') seconds.set(data.name, data.details.duration_ms / 1000);
}

function longest(seconds: ReadonlyMap<string, number>): string[] {
  const all = [...seconds].map(([path, each]) => ({ path, rounded: Math.round(each) }));
  const long = all.filter(({ rounded }) => rounded >= longSeconds);
  const first = long.toSorted((a, b) => b.rounded - a.rounded).slice(0, mostLong);
  return first.map(({ path, rounded }) => `took long: ${rounded} s ${path}`);
}

/** Null for a test that was run. */
function skipReason({ type, data }: TestEvent): string | null {
  if (type !== 'test:pass' || data.skip === undefined || data.skip === false) return null;
  return typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason given';
}

function closingLines(skipped: ReadonlyMap<string, number>): string[] {
  const most = [...skipped].sort(([, a], [, b]) => b - a);
  return most.map(([reason, count]) => {
    const tests = count === 1 ? '1 test' : `${count} tests`;
    const need = /^needs (.*)/.exec(reason)?.[1];
    if (need === undefined) return `skipped: ${tests}: ${reason}`;
    return `skipped: ${tests} that ${count === 1 ? 'needs' : 'need'} ${need}`;
  });
}

// The report of a test run as Node writes it by itself, for people on a terminal and as TAP elsewhere. Behind it stands
// which tests were skipped and why: tests that need real footage are not to be missing unseen. And which files took longest.
import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent, tap } from 'node:test/reporters';

// biome-ignore lint/style/noDefaultExport: Node takes the default export of a file as the reporter.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped = new Map<string, number>();
  const long: LongFile[] = [];
  const watched = async function* () {
    for await (const event of events) {
      const reason = skipReason(event);
      if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      if (event.type === 'test:summary') long.push(...longFile(event.data));
      yield event;
    }
  };
  const onTerminal = process.stdout.isTTY;
  const written = onTerminal ? Readable.from(watched()).pipe(new spec()) : tap(watched());
  for await (const text of written) yield String(text);
  for (const line of [...longest(long), ...closingLines(skipped)])
    yield `${onTerminal ? 'ℹ' : '#'} ${line}\n`;
}

type SummaryOfFile = Extract<TestEvent, { readonly type: 'test:summary' }>['data'];

interface LongFile {
  readonly path: string;
  readonly seconds: number;
}

/** Of a run that is quick; and of a long one the first of them will do. */
const [longSeconds, mostLong] = [5, 5];

/** The summary of the whole run is of no file. */
function longFile({ file, duration_ms }: SummaryOfFile): LongFile[] {
  const seconds = Math.round(duration_ms / 1000);
  return file === undefined || seconds < longSeconds ? [] : [{ path: relative('', file), seconds }];
}

function longest(files: readonly LongFile[]): string[] {
  const first = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, mostLong);
  return first.map(({ path, seconds }) => `took long: ${seconds} s ${path}`);
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

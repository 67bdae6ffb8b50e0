// Programs that write a log to their standard error, run to their end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** A program that writes `lines` lines and then does what `end` says. */
export const program = (end: string, lines = 10_000) => `
  import { endOnFault } from ${JSON.stringify(new URL('../../../runtime/process/fault.ts', import.meta.url).href)};
  import { openLog } from ${JSON.stringify(new URL('../../../runtime/process/log-sink.ts', import.meta.url).href)};
  import { systemClock } from ${JSON.stringify(new URL('../../../runtime/clock.ts', import.meta.url).href)};
  const { log, flush } = openLog('t', process.stderr, { level: 'info', format: 'json', colour: false, clock: systemClock });
  for (let i = 1; i <= ${lines}; i++) log.info('line', { i });
  ${end}`;

/** Runs a program to its end; its log is one JSON object a line. */
export async function run(source: string) {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', source], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[, signal], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  const lines = said.trimEnd().split('\n');
  return {
    signal: signal as string | null,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

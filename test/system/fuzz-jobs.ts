// The jobs of a fuzz run, one after another in a process of their own: the parent hands them out on stdin and
// hears a line when one begins and one when it ends. The last line names the job that a crash or a hang
// happened in.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../runtime/clock.ts';
import { nodeCommand } from '../node-command.ts';

export interface FuzzJob {
  readonly path: string;
  readonly seed: number;
  /** What is damaged; all of the file where it is left out. */
  readonly part?: 'header';
}

export interface FuzzResult extends FuzzJob {
  readonly done: readonly string[];
  readonly milliseconds: number;
  /** The most memory the process had until then. */
  readonly peakMegabytes: number;
  /** What each question ended in: `ok` or the code of an error. */
  readonly outcome: Readonly<Record<string, string>>;
  /** The words of each refusal, without the path. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What must not happen: an error that is not the decoder's own, with its stack. */
  readonly fault: string | null;
}

/** A case that says nothing for longer hangs; machines that do other things as well are slow. */
const caseMilliseconds = 60_000;
/** Memory a child may need for its worst case, all cases before it included. */
export const mostMegabytes = 2048;

export type Answer = Omit<FuzzResult, keyof FuzzJob | 'milliseconds' | 'peakMegabytes'>;

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** In the child. */
export async function answerJobs(answer: (job: FuzzJob) => Promise<Answer>): Promise<void> {
  for (const job of JSON.parse(readFileSync(0, 'utf8')) as FuzzJob[]) {
    say({ begins: job });
    const began = performance.now();
    const answered = await answer(job);
    const milliseconds = Math.round(performance.now() - began);
    const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
    say({ ...job, milliseconds, peakMegabytes, ...answered });
  }
}

type Line = FuzzResult | { readonly begins: FuzzJob };

/**
 * Runs the jobs in a child; answers what came of them, and of the job it ended in when it did not end well.
 */
export async function runChild(
  jobs: readonly FuzzJob[],
  signal: AbortSignal,
  program = 'fuzz-child.ts',
): Promise<FuzzResult[]> {
  const [node, ...flags] = nodeCommand;
  const child = spawn(node, [...flags, join(import.meta.dirname, program)], {
    signal,
    killSignal: 'SIGKILL',
  });
  const closed = new Promise<string | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, killedBy) => resolve(code === 0 ? null : String(killedBy ?? code)));
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  let hung = false;
  const limited = () =>
    systemClock.after(caseMilliseconds, () => {
      hung = true;
      child.kill('SIGKILL');
    });
  let cancelLimit = limited();
  const results: FuzzResult[] = [];
  let current: FuzzJob | null = null;
  child.stdin.end(JSON.stringify(jobs));
  for await (const text of createInterface({ input: child.stdout })) {
    cancelLimit();
    cancelLimit = limited();
    const line = JSON.parse(text) as Line;
    current = 'begins' in line ? line.begins : null;
    if (!('begins' in line)) results.push(line);
  }
  const end = await closed;
  cancelLimit();
  if (end === null) return results;
  const why = hung ? `it hung for ${caseMilliseconds} ms` : `the process ended with ${end}: ${errors}`;
  if (!current) throw new Error(why);
  const nothing = { done: [], milliseconds: 0, peakMegabytes: 0, outcome: {}, reasons: {} };
  return [...results, { ...current, ...nothing, fault: why }];
}

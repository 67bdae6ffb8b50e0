// Context of every command of the terminal.
import { parseArgs } from 'node:util';
import type { Engine, EngineHost } from '../actors/engine.ts';
import type { Installation } from '../actors/installation.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { errorTable } from '../runtime/errors.ts';
import type { Log } from '../runtime/log.ts';
import { lacksCuda } from '../runtime/process/nvidia.ts';
import type { SettingValues, settings } from '../settings.ts';
import { type Action, commandTable, type Options } from './command-table.ts';
import type { Screen, TerminalOutput } from './terminal.ts';

export const usageErrors = errorTable({
  USAGE: { meaning: 'The command line is not valid', status: 400 },
});

export interface Context {
  readonly config: Config<typeof settings>;
  readonly values: SettingValues;
  /** Answers go here, so that they can be piped. */
  out(text: string | Uint8Array): void;
  /** Output for answers. */
  readonly output: TerminalOutput;
  /** Progress and remarks go here. */
  readonly screen: Screen;
  /** Aborted by the first interrupt: running work is brought to a clean end. */
  readonly signal: AbortSignal;
  /** Aborted by the second interrupt: a command that waits for a service leaves it. */
  readonly leave: AbortSignal;
  /** Asks the person at the terminal and answers the line that is typed; null where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when the lines so far are out; for a process that is about to be killed. */
  flushLog(): Promise<void>;
  /** Loaded on first use, as the engine is: `framehound help` needs neither. */
  installation(): Promise<Installation>;
  startEngine(decoders: number, host?: EngineHost): Promise<Engine>;
}

const isCheckout = import.meta.url.endsWith('.ts');
/** Command lines that run this program, and that install its missing parts. */
export const invocation = isCheckout ? 'npx framehound' : 'framehound';
export const installCommand = isCheckout
  ? 'npm ci'
  : 'npm install --global --ignore-scripts --include=optional framehound-<version>.tgz';

const commandInText = new RegExp(
  // A folder of that name is no command.
  `(?<!npx )(?<![\\w/.-])framehound (?=(?:${Object.keys(commandTable).join('|')})\\b)`,
  'g',
);
/** The same text with its commands as a person types them here. */
export function typed(text: string): string {
  return text.replace(commandInText, `${invocation} `);
}

export const exit = { ok: 0, error: 1, usage: 2, someFailed: 3, cancelled: 130 } as const;

export type Command = (args: readonly string[], context: Context) => Promise<number>;

type OptionsOf<A> = A extends { readonly options: infer O extends Options } ? O : Record<never, never>;

/** Options and arguments as the table declares them. Throws the errors of `parseArgs`. */
export function argumentsOf<const A extends Action>({ options }: A, args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: (options ?? {}) as OptionsOf<A> });
}

/** Options of a command that takes no arguments. */
export function flagsOf<const A extends Action>({ options }: A, args: readonly string[]) {
  return parseArgs({ args: [...args], options: (options ?? {}) as OptionsOf<A> }).values;
}

/** The only argument of a command; `needs`: what the error says where there is none, or another one. */
export function only([argument, ...others]: readonly string[], needs: string): string {
  if (argument !== undefined && argument !== '' && others.length === 0) return argument;
  throw usageErrors.USAGE(needs);
}

/** Told once at the start where models could run on a device and do not; null elsewhere. */
export function deviceHint({ device }: Pick<SettingValues, 'device'>): string | null {
  if (!/^(auto|cuda|tensorrt)/.test(device) || !lacksCuda()) return null;
  return typed(
    'an NVIDIA device is here, and models run on the processor: framehound doctor --fix gpu fetches what they need',
  );
}

/** Runs `work` with an engine and stops it afterwards, whatever happened. */
export async function withEngine<T>(
  context: Context,
  decoders: number,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await context.startEngine(decoders);
  try {
    return await work(engine);
  } finally {
    await stopEngine(engine, context);
  }
}

export async function stopEngine(engine: Pick<Engine, 'stop'>, { screen, flushLog }: Context): Promise<void> {
  const late = await engine.stop();
  if (late.length === 0) return;
  screen.write(`framehound: did not stop in time: ${late.join(', ')}\n`);
  await flushLog();
  // The threads would keep the process alive, and `process.exit` would abort inside native code. Everything
  // that was stored is flushed, and the journal is closed.
  process.kill(process.pid, 'SIGKILL');
}

// The consent of a person to a removal: asked for at a terminal, and said with --yes where nobody can be
// asked.

export interface Consent {
  readonly yes: boolean;
  readonly 'dry-run': boolean;
}

/** Before anything is started: a script has to say that it means it. */
export function requireConsent({ yes, 'dry-run': dryRun }: Consent, { ask }: Context): void {
  if (yes || dryRun || ask !== null) return;
  throw usageErrors.USAGE(
    'there is no terminal to ask for confirmation: add --yes to go ahead, or --dry-run to see what would happen',
  );
}

export async function agreed({ ask, screen }: Context, question: string): Promise<boolean> {
  const answer = ask === null ? '' : await ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer)) return true;
  screen.write('Nothing was changed\n');
  return false;
}

// Waits between two looks at something that tells of no change.

/** Resolves after `ms`, at once when the command is interrupted. */
export function pause({ clock, signal }: Pick<Context, 'clock' | 'signal'>, ms: number): Promise<void> {
  const over = new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
  return keptAlive(over);
}

/** Keeps the process running during `work`, also while only timers of the clock are pending. */
export async function keptAlive<T>(work: Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    return await work;
  } finally {
    clearInterval(alive);
  }
}

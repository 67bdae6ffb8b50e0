// The command line: reads settings, runs one command, and turns its end into an exit code.
import '../runtime/process/no-telemetry.ts';
import '../runtime/process/launched.ts';
import { parseArgs } from 'node:util';
import { systemClock } from '../runtime/clock.ts';
import { resolveConfig } from '../runtime/config.ts';
import { EngineError, engineErrors, toFields } from '../runtime/errors.ts';
import {
  closeToOthers,
  keepFromOthers,
  openToOthers,
  type SharedWith,
} from '../runtime/files/permissions.ts';
import type { Log, LogLevel } from '../runtime/log.ts';
import { filesOfEngine, openFileLimit } from '../runtime/process/limits.ts';
import { type LogFormat, openLog } from '../runtime/process/log-sink.ts';
import { programVersion } from '../runtime/process/program.ts';
import { folders, keptAtHome, type SettingValues, settings } from '../settings.ts';
import { type CommandName, commandTable } from './command-table.ts';
import { readConfigFile } from './config-file.ts';
import { type Command, type Context, exit, typed, usageErrors } from './context.ts';
import { commandHelp, helpText, optionError, unknownCommand } from './help.ts';

/** A command is loaded on first use: a search does not load what only analysis needs. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  analyze: async () => (await import('./commands/analyze.ts')).analyze,
  open: async () => (await import('./commands/open.ts')).open,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  stop: async () => (await import('./commands/open.ts')).stop,
  serve: async () => (await import('./commands/serve.ts')).serve,
  transcribe: async () => (await import('./commands/transcribe.ts')).transcribe,
  transcript: async () => (await import('./commands/transcript.ts')).transcript,
  summary: async () => (await import('./commands/summary.ts')).summary,
  export: async () => (await import('./commands/export.ts')).exporting,
  takes: async () => (await import('./commands/takes.ts')).takes,
  search: async () => (await import('./commands/search.ts')).search,
  faces: async () => (await import('./commands/faces.ts')).faces,
  watch: async () => (await import('./commands/watch.ts')).watch,
  list: async () => (await import('./commands/library.ts')).list,
  forget: async () => (await import('./commands/library.ts')).forget,
  prune: async () => (await import('./commands/library.ts')).prune,
  move: async () => (await import('./commands/library.ts')).move,
  searches: async () => (await import('./commands/searches.ts')).searches,
  webhooks: async () => (await import('./commands/webhooks.ts')).webhooks,
  cluster: async () => (await import('./commands/cluster.ts')).cluster,
  roots: async () => (await import('./commands/roots.ts')).roots,
  library: async () => (await import('./commands/roots.ts')).library,
  disk: async () => (await import('./commands/library.ts')).disk,
  thumbnails: async () => (await import('./commands/thumbnails.ts')).thumbnails,
  tasks: async () => (await import('./commands/tasks.ts')).tasks,
  models: async () => (await import('./commands/models.ts')).models,
  license: async () => (await import('./commands/license.ts')).license,
  config: async () => (await import('./commands/doctor.ts')).config,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  setup: async () => (await import('./commands/setup.ts')).setup,
  tour: async () => (await import('./commands/tour.ts')).tour,
  completion: async () => (await import('./commands/completion.ts')).completion,
};

async function main(argv: readonly string[]): Promise<number> {
  const { flags, commandLine } = takeSettings(argv);
  const [name, ...args] = commandLine;
  const helped = helpOf(commandLine);
  if (helped !== null) {
    process.stdout.write(helped);
    return name === undefined ? exit.usage : exit.ok;
  }
  if (name === 'version' || name === '--version' || name === '-v') {
    process.stdout.write(`${programVersion()}\n`);
    return exit.ok;
  }
  if (name === undefined || !isCommand(name)) throw unknownCommand(name ?? '');
  const command = await commands[name]();
  const running = command(args, createContext(flags, name === 'serve' ? 'info' : 'warn'));
  return running.catch((error: unknown) => Promise.reject(optionError(name, error) ?? error));
}

/**
 * The help that is asked for, of one command where one is named; null when none is. What follows `--` asks
 * nothing.
 */
function helpOf(commandLine: readonly string[]): string | null {
  const [name, ...args] = commandLine;
  if (name === undefined || name === '--help' || name === '-h') return helpText();
  if (name === 'help') return args[0] === undefined ? helpText() : helpAbout(args[0]);
  const ownArguments = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  return ownArguments.includes('--help') || ownArguments.includes('-h') ? helpAbout(name) : null;
}

function helpAbout(name: string): string {
  if (!isCommand(name)) throw unknownCommand(name);
  return commandHelp(name, commandTable[name]);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commandTable, name);
}

/** Settings may stand before or after the command; what is left is the command's own. */
function takeSettings(argv: readonly string[]): { flags: Record<string, unknown>; commandLine: string[] } {
  const names = Object.values(settings).flatMap(({ flag }) => (flag ? [flag] : []));
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Record<string, unknown> = {};
  const settingTokens = new Set<number>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') break;
    if (token.kind !== 'option' || !names.includes(token.name)) continue;
    if (token.value === undefined) throw usageErrors.USAGE(`${token.rawName} needs a value`);
    flags[token.name] = token.value;
    settingTokens.add(token.index);
    if (!token.inlineValue) settingTokens.add(token.index + 1);
  }
  return { flags, commandLine: argv.filter((_, index) => !settingTokens.has(index)) };
}

/** `quiet`: the least level that is logged unless a setting says another one. */
function createContext(flags: Record<string, unknown>, quiet: LogLevel): Context {
  const first = resolveConfig(settings, { flags, env: process.env, file: {} });
  const config = resolveConfig(settings, {
    flags,
    env: process.env,
    file: readConfigFile(first.values.home),
  });
  const { values } = config;
  keepFromOthers(values.shared_with as SharedWith);
  const signals = stopSignals();
  const { log, flush } = openLog('framehound', process.stderr, {
    level: values.log_level === 'auto' ? quiet : (values.log_level as LogLevel),
    format: values.log_format as LogFormat,
    colour: !process.env['NO_COLOR'],
    clock: systemClock,
  });
  return {
    config,
    values,
    out: (text) => process.stdout.write(text),
    output: {
      get columns() {
        return process.stdout.columns || 100;
      },
      colour: (process.stdout.isTTY ?? false) && !process.env['NO_COLOR'],
    },
    screen: {
      write: (text) => process.stderr.write(typed(text)),
      // Asked each time: a window is made narrower while a bar is drawn.
      get columns() {
        return process.stderr.columns || 100;
      },
      isTerminal: process.stderr.isTTY ?? false,
    },
    ...signals,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOn(signals.signal) : null,
    clock: systemClock,
    log,
    flushLog: flush,
    installation: async () => {
      const { openInstallation } = await import('../actors/installation.ts');
      return openInstallation(folders(values).models, values.device);
    },
    startEngine: engineStarter(values, log, signals.signal),
  };
}

function engineStarter(values: SettingValues, log: Log, signal: AbortSignal): Context['startEngine'] {
  return async (decoders, host) => {
    const { startEngine } = await import('../main.ts');
    const [limit, needed] = [openFileLimit(), filesOfEngine(decoders)];
    if (limit < needed)
      log.warn('the limit of open files is too low; raise it with ulimit -n', { open_files: limit, needed });
    closeHome(values, log);
    const engine = await startEngine(values, decoders, log, host);
    // A service tests models in the background.
    if (host || decoders === 0) return engine;
    const { testChangedModels } = await import('./model-tests.ts');
    try {
      await testChangedModels(engine, { log, clock: systemClock }, { signal, again: true });
    } catch (error) {
      await engine.stop();
      throw error;
    }
    return engine;
  };
}

/**
 * An earlier version may have let others read what is kept there. Folders elsewhere may be shared on purpose:
 * `doctor` names them.
 */
function closeHome(values: SettingValues, log: Log): void {
  const sharedWith = values.shared_with as SharedWith;
  const open = openToOthers(keptAtHome(folders(values).home), sharedWith);
  for (const path of open) {
    try {
      closeToOthers(path, sharedWith);
    } catch (error) {
      log.warn('access could not be restricted; others on this machine may be able to read this path', {
        path,
        error,
      });
    }
  }
}

/**
 * Aborted by ctrl-C, by SIGTERM, by a terminal that is closed and by a pipe that is closed (`| head -1`).
 * Actors stop when they are asked to; none is killed.
 */
function stopSignals(): Pick<Context, 'signal' | 'leave'> {
  const stop = new AbortController();
  const leave = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => (stop.signal.aborted ? leave : stop).abort());
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      stop.abort();
      // A closed pipe (`| head -1`) is not an error; a full disk is.
      if (error.code === 'EPIPE' || error.code === 'EIO') return;
      process.exitCode = exit.error;
      if (stream !== process.stderr)
        process.stderr.write(`framehound: the output cannot be written: ${error.message}\n`);
    });
  }
  return { signal: stop.signal, leave: leave.signal };
}

/** Without the line editor of a terminal, so that ctrl-C stays a signal. */
function askOn(signal: AbortSignal): (question: string) => Promise<string> {
  return async (question) => {
    const { createInterface } = await import('node:readline/promises');
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    const ended = new AbortController();
    lines.once('close', () => ended.abort());
    try {
      const either = AbortSignal.any([signal, ended.signal]);
      return (await lines.question(typed(question), { signal: either })).trim();
    } catch (error) {
      throw engineErrors.CANCELLED('no answer was given', {}, error);
    } finally {
      lines.close();
    }
  };
}

function report(error: unknown): number {
  const { code, message, stack } = toFields(error);
  const badFlag = (error as NodeJS.ErrnoException | undefined)?.code?.startsWith('ERR_PARSE_ARGS') ?? false;
  if (code === 'CANCELLED') return exit.cancelled;
  // An internal error shows its stack, any other one its message.
  process.stderr.write(typed(`framehound: ${code === 'INTERNAL' && !badFlag ? stack : message}\n`));
  const isUsageError = usageErrors.USAGE.is(error) || engineErrors.INVALID_CONFIG.is(error) || badFlag;
  return isUsageError ? exit.usage : exit.error;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof EngineError) && !(error instanceof Error)) throw error;
  return report(error);
});

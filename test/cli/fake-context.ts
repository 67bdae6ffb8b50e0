import type { TestContext } from 'node:test';
import type { Engine } from '../../actors/engine.ts';
import type { Command, Context } from '../../cli/context.ts';
import { systemClock } from '../../runtime/clock.ts';
import { resolveConfig } from '../../runtime/config.ts';
import { createLog } from '../../runtime/log.ts';
import { settings } from '../../settings.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  /** Remarks and the log. */
  readonly err: string;
}

export interface FakeHome {
  readonly home: string;
  /** A context of its own, so that what one command says is not mixed with what another says. */
  context(more?: Partial<Context>): Context & { said(): Omit<Outcome, 'code'> };
  run(command: Command, ...args: readonly string[]): Promise<Outcome>;
}

/** A command that wants an engine fails. */
export function fakeHome(t: TestContext, env: Record<string, string> = {}): FakeHome {
  const home = temporaryFolder(t);
  const config = resolveConfig(settings, { flags: { home }, env, file: {} });
  const context: FakeHome['context'] = (more = {}) => {
    let [out, err] = ['', ''];
    const add = (text: string) => {
      err += text;
    };
    return {
      config,
      values: config.values,
      out: (text) => {
        out += typeof text === 'string' ? text : Buffer.from(text).toString();
      },
      output: { columns: 100, colour: false },
      screen: { write: add, columns: 100, isTerminal: false },
      signal: new AbortController().signal,
      ask: null,
      leave: new AbortController().signal,
      clock: systemClock,
      log: createLog('test', ({ message }) => add(message)),
      flushLog: () => Promise.resolve(),
      startEngine: () => Promise.reject(new Error('no engine is wanted here')),
      installation: () => Promise.reject(new Error('no installation is wanted here')),
      ...more,
      said: () => ({ out, err }),
    };
  };
  return {
    home,
    context,
    run: async (command, ...args) => {
      const own = context();
      const code = await command(args, own);
      return { code, ...own.said() };
    },
  };
}

/** An engine of which a test gives the parts that its command asks. */
export function fakeEngine(parts: object): Engine {
  return { tasks: { subscribe: () => () => {} }, stop: async () => [], ...parts } as unknown as Engine;
}

/** Answers questions of consent at the terminal. */
export function answering(agrees: (question: string) => Promise<boolean>): NonNullable<Context['ask']> {
  return async (question) => ((await agrees(question.replace(' [y/N] ', ''))) ? 'y' : '');
}

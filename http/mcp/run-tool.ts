// One call of a tool: its arguments are checked, and whatever comes of it is an answer within the bounds.
import { setTimeout } from 'node:timers/promises';
import type { TObject } from 'typebox';
import { engineErrors } from '../../runtime/errors.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { createValidator, type Validate } from '../request/validation.ts';
import { errorText } from './error-text.ts';
import { fitting } from './pictures.ts';
import { bounded, oneLine } from './text.ts';
import type { Call, Tool, ToolAnswer, ToolClient } from './tool.ts';

/** How often the service is asked again that is busy or loading; its answer says when. */
const RETRIES = 3;

/** What tools are run with. */
export interface Desk {
  readonly client: ToolClient;
  /** The analysis folder, absolute. */
  readonly cacheDir: string;
  /** As it is called in errors. */
  readonly url: string;
  /** Waits between two questions; that of the system when left out. */
  readonly wait?: (seconds: number, signal: AbortSignal) => Promise<unknown>;
}

export interface BoundedAnswer {
  readonly text: string;
  readonly pictures: readonly string[];
  readonly isError: boolean;
}

const systemWait = (seconds: number, signal: AbortSignal) =>
  setTimeout(seconds * 1000, undefined, { signal });

/** Never rejects: an error is an answer that says what to do next. */
export async function runTool(
  tool: Tool,
  input: unknown,
  desk: Desk,
  signal: AbortSignal,
): Promise<BoundedAnswer> {
  const { client, cacheDir, wait = systemWait } = desk;
  try {
    const wrong = argumentsWrong(tool, input);
    if (wrong !== null) return failed(wrong);
    const asked = { signal, retries: RETRIES };
    const call: Call = { client, cacheDir, asked, wait: (seconds) => wait(seconds, signal) };
    const { text, pictures = [] }: ToolAnswer = await tool.run(input as never, call);
    // Tools keep to the bounds themselves; here nothing passes that one of them forgot.
    return { text: bounded(text), pictures: fitting(pictures).filter((one) => one !== null), isError: false };
  } catch (error) {
    return failed(errorText(signal.aborted ? engineErrors.CANCELLED('', {}, error) : error, desk));
  }
}

function failed(text: string): BoundedAnswer {
  return { text: bounded(text), pictures: [], isError: true };
}

const validators = new WeakMap<TObject, Validate>();

/** Fills in defaults; null when nothing is wrong. An argument that there is not is told: it would be ignored in silence. */
function argumentsWrong({ name, input }: Tool, given: unknown): string | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return `The arguments of ${name} must be an object.`;
  const known = Object.keys(input.properties);
  const strange = Object.keys(given).find((one) => !known.includes(one));
  if (strange !== undefined) {
    const meant = suggestion(strange, known);
    return `${name} has no argument ${JSON.stringify(oneLine(strange, 60))}${meant}; its arguments are ${known.join(', ')}.`;
  }
  const validate = validators.get(input) ?? createValidator(input);
  validators.set(input, validate);
  const wrong = validate(given as Record<string, unknown>);
  if (wrong === null) return null;
  const said = wrong
    .slice(0, 5)
    .map(({ field, problem }) => `${oneLine(field, 100)} ${oneLine(problem, 300)}`);
  return `Invalid arguments for ${name}: ${said.join('; ')}. Correct this and call again.`;
}

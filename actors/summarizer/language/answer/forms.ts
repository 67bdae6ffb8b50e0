// The two forms of answers, and how what a model wrote is brought into them.
import '../../../../runtime/schema.ts'; // The words of its errors.
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { plain } from '../prompts.ts';

// The JSON object in what a language model writes: there may be a fence and words around it, but only one
// object.

export type Read<T> = { readonly value: T } | { readonly problem: string };

/** UTF-16 units of an answer that are looked at. */
const longest = 100_000;

export function oneObject(answer: string): Read<Readonly<Record<string, unknown>>> {
  const text = answer.slice(0, longest);
  const objects: Record<string, unknown>[] = [];
  let cutOff = false;
  for (let at = text.indexOf('{'); at >= 0; ) {
    const end = endOfObject(text, at);
    cutOff ||= end === null;
    const value = end === null ? null : parsed(text.slice(at, end));
    if (value) objects.push(value);
    // An object within one that cannot be read is no answer.
    at = text.indexOf('{', end ?? text.length);
  }
  const [only] = objects;
  if (objects.length > 1) return { problem: `it has ${objects.length} JSON objects, and one is wanted` };
  if (only) return { value: only };
  if (cutOff) return { problem: 'its JSON object has no end' };
  return { problem: text.includes('{') ? 'its JSON cannot be read' : 'it has no JSON object' };
}

/** Behind the bracket that closes the one at `start`; null when none does. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (inString) {
      if (sign === '\\') at++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return at + 1;
  }
  return null;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Entries of a list, and UTF-16 units of one, that are looked at. */
const [mostEntries, longestEntry] = [32, 500];

const Entries = Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()])));
const NodeForm = Type.Object({
  text: Type.String(),
  people: Entries,
  times: Entries,
  uncertain: Entries,
});
const WholeForm = Type.Object({ one_line: Type.String(), short: Type.String() });

export interface GeneratedNode {
  readonly text: string;
  /** People that the model says its text names. */
  readonly people: readonly string[];
  readonly times: readonly string[];
  /** Points that the model says it cannot decide. */
  readonly uncertain: readonly string[];
}

export type WholeAnswer = Static<typeof WholeForm>;

const nodeChecker = Compile(NodeForm);
const wholeChecker = Compile(WholeForm);

export function readNodeAnswer(answer: string): Read<GeneratedNode> {
  const parsed = oneObject(answer);
  if ('problem' in parsed) return parsed;
  const { value } = parsed;
  if (!nodeChecker.Check(value)) return { problem: faultOf(nodeChecker.Errors(value)) };
  const { people, times, uncertain } = value;
  const text = plain(value.text);
  const problem = wrongText(text);
  if (problem) return { problem };
  return {
    value: { text, people: entries(people), times: entries(times), uncertain: entries(uncertain) },
  };
}

export function readWholeAnswer(answer: string): Read<WholeAnswer> {
  const parsed = oneObject(answer);
  if ('problem' in parsed) return parsed;
  const { value } = parsed;
  if (!wholeChecker.Check(value)) return { problem: faultOf(wholeChecker.Errors(value)) };
  const whole = { one_line: plain(value.one_line), short: plain(value.short) };
  const problem = wrongText(whole.one_line) ?? wrongText(whole.short);
  return problem ? { problem } : { value: whole };
}

function faultOf(errors: Iterable<{ instancePath: string; message: string }>): string {
  const [first] = errors;
  const field = first?.instancePath.slice(1);
  return `${field ? `"${field}" ` : 'the object '}${first?.message ?? 'has the wrong form'}`;
}

function entries(list: readonly (string | number)[] | undefined): string[] {
  return (list ?? []).slice(0, mostEntries).map((entry) => plain(String(entry)).slice(0, longestEntry));
}

/** Letters of other scripts are checked by nobody here. */
const mostForeign = 0.3;

function wrongText(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return 'its text has no words';
  const foreign = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0;
  return foreign > mostForeign * letters ? 'its text is not in English' : null;
}

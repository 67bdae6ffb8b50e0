// The two forms of answers, and how what a model wrote is brought into them.
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { plain } from '../prompts/quoting.ts';
import { oneObject, type Read } from './json.ts';

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

export interface NodeAnswer {
  readonly text: string;
  /** Who is named in the text, as the model says. */
  readonly people: readonly string[];
  readonly times: readonly string[];
  /** What the model says it cannot tell. */
  readonly uncertain: readonly string[];
}

export type WholeAnswer = Static<typeof WholeForm>;

const nodeChecker = Compile(NodeForm);
const wholeChecker = Compile(WholeForm);

export function readNodeAnswer(answer: string): Read<NodeAnswer> {
  const found = oneObject(answer);
  if ('problem' in found) return found;
  const { value } = found;
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
  const found = oneObject(answer);
  if ('problem' in found) return found;
  const { value } = found;
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

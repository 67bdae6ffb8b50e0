// Lines about the files of a task: one for each, when all work on it has ended.

import { basename, isAbsolute } from 'node:path';
import type { AnalysisEvent, WorkResult } from '../actors/analysis/contract.ts';
import { kindOf } from '../actors/analysis/result.ts';
import type { StageKind } from '../actors/analysis/stages/kind.ts';
import { speechKind } from '../actors/analysis/stages/speech/kind.ts';
import { isStillName } from '../actors/decoder/media-names.ts';
import { modelErrors } from '../actors/models/contract.ts';
import { speechErrors } from '../actors/transcriber/contract.ts';
import { addTo } from '../runtime/lists.ts';
import { printable } from './terminal.ts';

interface Failed {
  readonly code: string;
  readonly message: string;
}

/** Why a file failed. */
export function failureLine({ code, message }: Failed): string {
  return `✗ ${code}: ${printable(message)}\n`;
}

/** Failures that say what the machine lacks, whichever file it is: they are printed once for all files. */
const lacking: ReadonlySet<string> = new Set([
  speechErrors.NO_SPEECH_MODEL.code,
  speechErrors.LANGUAGE_UNSUPPORTED.code,
  modelErrors.MODEL_LOAD_FAILED.code,
]);

/** Collects the results of the kinds of work on each file, and makes one line of them. */
export class FileResults {
  readonly #kinds: readonly StageKind[];
  readonly #waiting = new Map<string, WorkResult[]>();
  #areTypesKnown = false;
  /** Failures of `lacking` by code and reason, with the files. */
  readonly #lacking = new Map<string, WorkResult[]>();

  constructor(kinds: readonly StageKind[]) {
    this.#kinds = kinds;
  }

  /**
   * `types`: kinds of work in the task; null while they are unknown. A file without one of them has its line
   * at the end.
   */
  hear(event: AnalysisEvent, types: readonly string[] | null): string[] {
    if (event.type === 'result') return this.#add(event.result, types);
    if (types === null || this.#areTypesKnown) return [];
    this.#areTypesKnown = true;
    return [...this.#waiting.keys()].flatMap((path) => this.#take(path, types));
  }

  #add(result: WorkResult, types: readonly string[] | null): string[] {
    if (result.closing) return this.#lines([result]);
    const { path } = result;
    addTo(this.#waiting, path, result);
    return types === null ? [] : this.#take(path, types);
  }

  #take(path: string, types: readonly string[]): string[] {
    const results = this.#waiting.get(path) ?? [];
    // Nobody asks for what is said in a still.
    const kinds = isStillName(path) ? types.filter((type) => type !== speechKind.type) : types;
    if (results.length < kinds.length) return [];
    this.#waiting.delete(path);
    return this.#lines(results);
  }

  rest(): string[] {
    const lines = [...this.#waiting.values()].flatMap((results) => this.#lines(results));
    this.#waiting.clear();
    for (const results of this.#lacking.values()) lines.push(failureText(lackingError(results)));
    this.#lacking.clear();
    return lines;
  }

  #lines(results: readonly WorkResult[]): string[] {
    const line = resultLine(
      this.#kinds,
      results.filter((result) => !this.#isLacking(result)),
    );
    return line === undefined ? [] : [line];
  }

  #isLacking(result: WorkResult): boolean {
    const { error, path } = result;
    if (error === null || !lacking.has(error.code)) return false;
    const key = `${error.code} ${error.message.replace(path, '')}`;
    addTo(this.#lacking, key, result);
    return true;
  }
}

function lackingError(results: readonly WorkResult[]): Failed {
  const [first] = results;
  const { code, message } = first!.error!;
  const more = results.length - 1;
  if (more === 0) return { code, message };
  const files = `${first!.path} and ${more} more ${more === 1 ? 'file' : 'files'}`;
  return { code, message: message.replace(first!.path, files) };
}

function failureText(failure: Failed): string {
  return failureLine(failure).trimEnd();
}

/** Outcome of the work on one file; undefined where there is nothing to say. */
function resultLine(kinds: readonly StageKind[], results: readonly WorkResult[]): string | undefined {
  const sorted = kinds.flatMap(({ type }) => results.filter((result) => result.type === type));
  const [first] = sorted;
  if (first === undefined) return undefined;
  const { path } = first;
  // A closing step has the name of its job.
  const name = printable(isAbsolute(path) ? basename(path) : path);
  const done = sorted
    .filter(({ outcome }) => outcome === 'analyzed')
    .map(({ type, facts }) => kindOf(kinds, type).labels.result(facts));
  // Nothing found, and the one picture of a still, are worth a word only where nothing else was found.
  const idle = isStillName(path) ? /^(0 [a-z ]+|1 frame)$/ : /^0 [a-z ]+$/;
  const counted = done.filter((text) => !idle.test(text));
  const none = isStillName(path) ? ['analysed'] : done.slice(0, 1);
  const facts = done.length === 0 ? '' : (counted.length > 0 ? counted : none).join(', ');
  const failures = sorted
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ error }) => failureText(error ?? { code: 'INTERNAL', message: path }));
  if (failures.length > 0)
    return `${[...new Set(failures)].join('; ')}${facts === '' ? '' : ` (apart from that: ${facts})`}`;
  const warnings = [...new Set(sorted.flatMap(({ warning }) => warning ?? []))].map(printable);
  if (done.length > 0) return [`✓ ${name}: ${facts}`, ...warnings].join('; ');
  const nothing = sorted.every(({ outcome }) => outcome === 'not_applicable')
    ? [kindOf(kinds, first.type).labels.nothing ?? first.outcome]
    : [];
  const remarks = [...nothing, ...warnings];
  return remarks.length === 0 ? undefined : `– ${name}: ${remarks.join('; ')}`;
}

// The progress of a task on a terminal: a bar for each file at work and one for the whole. Where the output
// is no terminal, a line for the whole now and then. A file has one line, when all work on it has ended.

import { basename, isAbsolute } from 'node:path';
import type { AnalysisEvent, WorkResult } from '../actors/analysis/contract.ts';
import {
  type Amounts,
  type ClosingProgress,
  type FileProgress,
  mostUnfinished,
  type TaskProgress,
} from '../actors/analysis/progress.ts';
import { count, kindOf, noneDone, workKey } from '../actors/analysis/result.ts';
import { measured, type StageKind, type Unit } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import { speechKind } from '../actors/analysis/stages/speech/kind.ts';
import type { TaskCounts, TaskError } from '../actors/analysis/tasks/contract.ts';
import { clockTime } from '../actors/decoder/contract.ts';
import { isStillName } from '../actors/decoder/media-names.ts';
import { modelErrors, noModelErrors, type PullProgress, type PullStand } from '../actors/models/contract.ts';
import { speechErrors } from '../actors/transcriber/contract.ts';
import type { Clock } from '../runtime/clock.ts';
import { addTo } from '../runtime/lists.ts';
import { conflate } from '../runtime/sync/queue.ts';
import { bar, duration, fitted, padded, printable, type Screen } from './terminal.ts';

// The report of a task that has ended, and its summary in text.

export interface Report {
  readonly cancelled: boolean;
  readonly error: TaskError | null;
  /** Counts of pieces of work: a file counts once for each kind of work. */
  readonly counts: TaskCounts;
  /** Counts of files, each by the worst outcome of its work. */
  readonly ofFiles: TaskCounts;
  readonly failures: readonly Failure[];
  /** Undefined when it ended before it began to work. */
  readonly progress: TaskProgress | undefined;
  /** The visual model; null when no pictures were analysed. */
  readonly model_key: string | null;
}

interface Failure {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

type Ended = Pick<WorkResult, 'type' | 'outcome' | 'reason'>;

/** Outcomes from worst to best; a file with several has the first of these. */
const worstFirst: readonly WorkResult['outcome'][] = [
  'failed',
  'cancelled',
  'analyzed',
  'stored',
  'not_applicable',
];

export function createTally(kinds: readonly StageKind[] = stageKinds) {
  const counts = noneDone(kinds, 0);
  const files = new Map<string, Ended>();
  const failures: Failure[] = [];
  /** If several kinds of work do not apply, the first one gives the reason. */
  const place = ({ type, outcome }: Ended) =>
    worstFirst.indexOf(outcome) * kinds.length + kinds.findIndex((kind) => kind.type === type);
  const add = (result: WorkResult) => {
    const { path, type, outcome, reason, error } = result;
    count(counts, result);
    if (outcome === 'failed' && error) failures.push({ path, ...error });
    if (result.closing) return;
    const before = files.get(path);
    if (!before || place(result) < place(before)) files.set(path, { type, outcome, reason });
  };
  return {
    counts,
    failures,
    add,
    get ofFiles(): TaskCounts {
      const { jobs, jobs_done, jobs_failed, jobs_cancelled } = counts;
      const ofFiles = { ...noneDone(kinds, files.size), jobs, jobs_done, jobs_failed, jobs_cancelled };
      for (const file of files.values()) count(ofFiles, file);
      return ofFiles;
    },
  };
}

/** In one line: why files failed was told when they did. `unread`: files that could not be looked at. */
export function summary(
  { ofFiles: counts, progress, cancelled, model_key }: Report,
  unread: number,
  kinds: readonly StageKind[] = stageKinds,
): string {
  const byWord: Readonly<Record<string, number>> = counts;
  const { jobs_done, jobs_failed, jobs_cancelled } = counts;
  const jobs = (n: number, how = '') => [n, `${jobWord(kinds, n)}${how}`] as const;
  const ends: (readonly [number, string])[] = [
    [counts.analyzed, 'analysed'],
    [counts.stored, 'already analysed'],
    ...kinds.flatMap(({ notApplicable, labels }) =>
      notApplicable === null
        ? []
        : [[byWord[notApplicable] ?? 0, labels.notApplicable ?? notApplicable] as const],
    ),
    [counts.failed + unread, 'failed'],
    [counts.cancelled, 'not finished'],
    jobs(jobs_done - jobs_failed - jobs_cancelled),
    jobs(jobs_failed, ' failed'),
    jobs(jobs_cancelled, ' not finished'),
  ];
  const said = ends.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const lines = [
    `${cancelled ? 'Stopped' : 'Done'}: ${said.join(', ')} in ${duration(progress?.elapsed_seconds ?? 0)}${worked(kinds, progress)}${model_key === null ? '' : ` (${model_key})`}`,
    ...(cancelled ? ['Finished work is kept. Run the same command again to continue with the rest.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

export function jobWord(kinds: readonly StageKind[], count: number): string {
  const [singular, several] = kinds.find(({ labels }) => labels.jobs)?.labels.jobs ?? ['job', 'jobs'];
  return count === 1 ? singular : several;
}

/** The first amount that is a count, and the speed of the task. */
function worked(kinds: readonly StageKind[], progress: TaskProgress | undefined): string {
  const [done] = measured(kinds)
    .map(({ type, unit }) => ({ unit, amount: progress?.stages[type]?.done ?? 0 }))
    .filter(({ unit, amount }) => unit.measure === 'count' && amount > 0);
  if (!progress || done === undefined) return '';
  const { unit, amount } = done;
  const counts = `${amount} ${amount === 1 ? unit.label.replace(/s$/, '') : unit.label}`;
  return `, ${counts}, ${progress.speed.toFixed(1)}× real time`;
}

export interface ProgressView {
  event(event: AnalysisEvent): void;
  /** Draws the last state and leaves the cursor on a line of its own. */
  end(): void;
}

const MOST_BARS = 8;
/** Between two lines for the whole where the output is no terminal. */
const PLAIN_EVERY_MS = 10_000;

export function createProgressView(
  screen: Screen,
  clock: Clock,
  kinds: readonly StageKind[] = stageKinds,
): ProgressView {
  const files = new Map<string, FileProgress>();
  /** Closing steps of jobs, the same way. */
  const closings = new Map<string, ClosingProgress>();
  let task: TaskProgress | undefined;
  /** Files and jobs that a stop left: they have a result, and are not done. */
  const cancelled = { files: 0, jobs: 0 };
  let drawn = 0;

  const done = (of: TaskProgress) => ({
    ...of,
    files_done: Math.max(0, of.files_done - cancelled.files),
    jobs_done: Math.max(0, of.jobs_done - cancelled.jobs),
  });
  const clear = () => (drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '');
  const draw = () => {
    if (!screen.isTerminal || !task) return;
    const lines = barLines(kinds, files, closings, screen.columns);
    lines.push(taskLine(kinds, done(task), screen.columns));
    screen.write(`${clear()}${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const drawing = conflate<'screen', null>(clock, 100, draw);
  const results = new FileResults(kinds);
  const print = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    screen.write(`${screen.isTerminal ? clear() : ''}${lines.join('\n')}\n`);
    drawn = 0;
  };
  const plain = plainLines(screen, clock);
  const writeLine = (everyMs = PLAIN_EVERY_MS) => {
    if (!screen.isTerminal && task) plain(plainLine(kinds, done(task)), everyMs);
  };
  return {
    event: (event) => {
      if (event.type === 'file') files.set(workKey(event.file), event.file);
      if (event.type === 'task') task = event.task;
      if (event.type === 'closing') closings.set(closingKey(event.closing), event.closing);
      if (event.type === 'result') {
        if (event.result.outcome === 'cancelled') cancelled[event.result.closing ? 'jobs' : 'files']++;
        files.delete(workKey(event.result));
        closings.delete(workKey(event.result));
      }
      print(results.hear(event, task?.types ?? null));
      drawing.put('screen', null);
      writeLine();
    },
    end: () => {
      files.clear();
      closings.clear();
      print(results.rest());
      drawing.flush();
      draw();
      writeLine(0);
    },
  };
}

/** Writes a line when the last one is old enough; one that is asked for at once is not repeated. */
function plainLines(screen: Screen, clock: Clock): (line: string, everyMs: number) => void {
  let [lastAt, last] = [clock.now(), ''];
  return (line, everyMs) => {
    if (clock.now() - lastAt < everyMs) return;
    lastAt = clock.now();
    if (line !== last || everyMs > 0) screen.write(`${line}\n`);
    last = line;
  };
}

function closingKey({ type, name }: ClosingProgress): string {
  return workKey({ type, path: name });
}

function barLines(
  kinds: readonly StageKind[],
  files: ReadonlyMap<string, FileProgress>,
  closings: ReadonlyMap<string, ClosingProgress>,
  columns: number,
): string[] {
  const closing = [...closings.values()].map((step) => closingLine(step, columns));
  const working = [...Map.groupBy(files.values(), ({ path }) => path).values()];
  const drawn = working.slice(0, MOST_BARS).map((pieces) => fileLine(kinds, pieces, columns));
  const bars = [...closing, ...drawn].slice(0, MOST_BARS);
  const more = closings.size + working.length - bars.length;
  return more > 0 ? [...bars, `  and ${more} more`] : bars;
}

function closingLine({ name, percentage }: ClosingProgress, columns: number): string {
  const end = columns < 60 ? percent(percentage) : `${bar(percentage / 100, 20)} ${percent(percentage)}`;
  return barLine(printable(name), end, columns);
}

/** `pieces`: kinds of work on one file; of several kinds only the mean is shown. */
function fileLine(kinds: readonly StageKind[], pieces: readonly FileProgress[], columns: number): string {
  const [{ path, type }] = pieces as [FileProgress];
  const percentage = pieces.reduce((sum, piece) => sum + piece.percentage, 0) / pieces.length;
  const { unit } = kindOf(kinds, type);
  const amount = unit && pieces.length === 1 ? ` ${amounts(unit, pieces[0]!)}` : '';
  const done = `${percent(percentage)}${amount}`;
  // A narrow terminal has no room for a bar beside the name.
  const end = columns < 60 ? done : `${bar(percentage / 100, 20)} ${done}`;
  return barLine(printable(basename(path)), end, columns);
}

function barLine(name: string, end: string, columns: number): string {
  const room = Math.max(6, Math.min(40, columns - 4 - end.length));
  return fitted(`  ${padded(fitted(name, room), room)} ${end}`, columns - 1);
}

function amounts({ measure }: Unit, { done, all }: Amounts): string {
  return measure === 'count' ? `${done}/${all}` : `${clockTime(done)}/${clockTime(all)}`;
}

/** The same without a bar, for a log. */
function plainLine(kinds: readonly StageKind[], task: TaskProgress): string {
  return taskLine(kinds, task, 1000, false).trimStart();
}

/**
 * Shows the numbers of the progress as they are; nothing is computed here. Where they do not fit, the urgent
 * ones first.
 */
export function taskLine(
  kinds: readonly StageKind[],
  task: TaskProgress,
  columns: number,
  withBar = true,
): string {
  const { percentage, stages, speed, estimated_remaining_seconds: remainingSeconds } = task;
  const mark = task.surveyed ? '' : '+';
  const worked = measured(kinds).filter(({ type }) => (stages[type]?.all ?? 0) > 0);
  const remaining =
    remainingSeconds === null || remainingSeconds <= 0 ? [] : [`${duration(remainingSeconds)} left`];
  const pieces = piecesDone(kinds, task);
  // Nothing has a speed where everything is stored, and a clustering that is made again.
  const fast = speed > 0 ? [`${speed.toFixed(1)}× real time`] : [];
  // The amounts of several kinds of work are more numbers than anybody reads.
  const only = worked.length === 1 ? worked : [];
  const done = only.map(({ type, unit }) => `${amounts(unit, stages[type]!).concat(mark)} ${unit.label}`);
  const speeds = only.flatMap(({ type, unit }) =>
    unit.speed === null ? [] : [`${stages[type]!.speed.toFixed(1)} ${unit.speed}`],
  );
  const share = `${withBar ? `${bar(percentage / 100, 20)} ` : ''}${percent(percentage)}`;
  const whole = [share, ...pieces, ...done, ...speeds, ...fast];
  const line = [...whole, ...remaining].join(separator);
  if (line.length < columns) return line;
  const urgent = [...remaining, ...fast, percent(percentage).trim(), ...pieces, ...speeds, ...done];
  return fitted(asManyAsFit(urgent, columns - 1), columns - 1);
}

/**
 * Files, and jobs where there are some: `8/9 files`, `0/1 clustering`. A file is a step of each kind of work
 * on it, and where there are several kinds, steps are told.
 */
function piecesDone(
  kinds: readonly StageKind[],
  { types, files, files_done, jobs, jobs_done }: TaskProgress,
): string[] {
  const word = types.length > 1 ? 'steps' : 'files';
  const ofFiles = files > 0 || jobs === 0 ? [`${files_done}/${files} ${word}`] : [];
  return [...ofFiles, ...(jobs > 0 ? [`${jobs_done}/${jobs} ${jobWord(kinds, jobs)}`] : [])];
}

const separator = ' · ';

/** Whole parts only: half a number is a wrong one. */
function asManyAsFit(parts: readonly string[], columns: number): string {
  let [line = '', ...others] = parts;
  for (const part of others) {
    if (line.length + separator.length + part.length > columns) break;
    line += separator + part;
  }
  return line;
}

/** Where everything has ended the rest is the end of the task itself. */
function percent(percentage: number): string {
  return `${percentage >= mostUnfinished ? 100 : Math.floor(percentage)}%`.padStart(4);
}

// The progress of a download on a terminal, from the first look at what is there; elsewhere a line when
// something changes.

interface PullView {
  progress(progress: PullProgress): void;
  /** Draws the last state and leaves the cursor on a line of its own. */
  end(): void;
}

export function createPullView(screen: Screen, clock: Clock): PullView {
  let [drawn, lastState] = [false, ''];
  const draw = (progress: PullProgress) => {
    const line = `  ${lineOf(progress)}`;
    drawn = true;
    screen.write(`\r\x1b[K${fitted(line, screen.columns - 1)}`);
  };
  const drawing = conflate<'line', PullProgress>(clock, 100, draw);
  return {
    progress: (progress) => {
      if (screen.isTerminal) {
        drawing.put('line', progress);
        // Nothing follows for a while: it has to be seen now.
        if (progress.phase !== 'receiving') drawing.flush();
        return;
      }
      const state = `${progress.index} ${progress.phase} ${progress.reason}`;
      // The check of existing files is shown only in a terminal.
      if (state === lastState || progress.phase === 'checking') return;
      lastState = state;
      screen.write(`  ${lineOf(progress)}\n`);
    },
    end: () => {
      drawing.flush();
      if (drawn) screen.write('\n');
    },
  };
}

function lineOf({ phase, reason, file, server, index, count, received, total }: PullProgress): string {
  const which = `${index + 1}/${count} ${file}`;
  const size = total === null ? '' : `, ${megabytes(total)} MB`;
  if (phase === 'checking') return `${which}: checking existing files`;
  if (phase === 'connecting') return `${which}${size}: connecting to ${server}`;
  if (phase === 'waiting') return `${which}: retrying, ${printable((reason ?? '').replace(`${file}: `, ''))}`;
  const share = total ? received / total : 0;
  return `${which} ${bar(share, 24)} ${megabytes(received)}${total ? `/${megabytes(total)}` : ''} MB`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

// The progress of a download of several models: one bar for all, with its rate and the time that is left.

interface SetupView {
  progress(stand: PullStand): void;
  /** Draws the last state and leaves the cursor on a line of its own. */
  end(): void;
}

/** Ms between two lines where the output is no terminal. */
const plainEvery = 30_000;

export function createSetupView(screen: Screen, clock: Clock): SetupView {
  const rate = new DownloadRate();
  const plain = plainLines(screen, clock);
  /** Lines already written to an output that is no terminal. */
  const written = new Set<string>();
  let drawn = false;
  const draw = (stand: PullStand) => {
    drawn = true;
    screen.write(`\r\x1b[K${setupLine(stand, rate.at(clock.now()), screen.columns)}`);
  };
  const drawing = conflate<'line', PullStand>(clock, 100, draw);
  return {
    progress: (stand) => {
      rate.add(stand, clock.now());
      if (screen.isTerminal) return drawing.put('line', stand);
      const { key, phase, reason } = stand;
      if (phase === 'checking') return;
      const line = setupLine(stand, rate.at(clock.now()), 1000, false).trimStart();
      const event = `${key} ${reason}`;
      plain(line, written.has(event) ? plainEvery : 0);
      written.add(event);
    },
    end: () => {
      drawing.flush();
      if (drawn) screen.write('\n');
    },
  };
}

/** Over the last seconds, as a line gets faster and slower. */
class DownloadRate {
  static readonly #window = 10_000;
  #last: PullStand | null = null;
  #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** Data from before this download took no time and does not count for the rate. */
  add(stand: PullStand, now: number): void {
    const last = this.#last;
    this.#last = stand;
    const isTransfer = stand.phase === 'receiving' && last?.file === stand.file && last.key === stand.key;
    const bytes = isTransfer ? Math.max(0, stand.received - last.received) : 0;
    const all = [...this.#samples, { at: now, bytes }];
    // The sample before the last one stays, however old it is: nothing came since.
    this.#samples = all.filter(({ at }, i) => at >= now - DownloadRate.#window || i === all.length - 2);
  }

  /** Bytes a second; null while it is not known. */
  at(now: number): number | null {
    const [first, ...others] = this.#samples;
    const seconds = first ? (now - first.at) / 1000 : 0;
    if (seconds < 1) return null;
    return others.reduce((sum, { bytes }) => sum + bytes, 0) / seconds;
  }
}

function setupLine(stand: PullStand, rate: number | null, columns: number, withBar = true): string {
  const { key, phase, reason, file, server, received, total } = stand;
  const share = total > 0 ? received / total : 0;
  const doing = {
    checking: [`${key}: checking existing files`],
    connecting: [`${key}: connecting to ${server}`],
    receiving: [key],
    waiting: [`${key}: retrying, ${printable((reason ?? '').replace(`${file}: `, ''))}`],
  }[phase];
  const seconds = rate ? (total - received) / rate : null;
  const parts = [
    `${megabytes(received)}/${megabytes(total)} MB`,
    ...(rate ? [`${megabytes(rate)} MB/s`] : []),
    ...(seconds !== null && Number.isFinite(seconds) ? [`${duration(seconds)} left`] : []),
    ...doing,
  ];
  const drawnShare = `${withBar ? `  ${bar(share, 20)} ` : ''}${percent(100 * share)}`;
  return fitted(asManyAsFit([drawnShare, ...parts], columns - 1), columns - 1);
}

// Lines about the files of a task: one for each, when all work on it has ended.

interface Failed {
  readonly code: string;
  readonly message: string;
}

export function failureLine({ code, message }: Failed): string {
  return `✗ ${code}: ${printable(message)}\n`;
}

/** Failures that say what the machine lacks, whichever file it is: they are printed once for all files. */
const lacking: ReadonlySet<string> = new Set([
  noModelErrors.NO_SPEECH_MODEL.code,
  speechErrors.LANGUAGE_UNSUPPORTED.code,
  modelErrors.MODEL_LOAD_FAILED.code,
]);

/** Collects the results of the kinds of work on each file, and makes one line of them. */
class FileResults {
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

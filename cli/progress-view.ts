// The progress of a task on a terminal: a bar for each file at work and one for the whole. Where the output
// is no terminal, a line a result, and one for the whole now and then.
import { basename, isAbsolute } from 'node:path';
import type { AnalysisEvent, WorkResult } from '../actors/analysis/contract.ts';
import {
  type Amounts,
  type ClosingProgress,
  type FileProgress,
  mostUnfinished,
  type TaskProgress,
} from '../actors/analysis/progress.ts';
import { kindOf } from '../actors/analysis/progress-fields.ts';
import { workKey } from '../actors/analysis/result.ts';
import { measured, type StageKind, type Unit } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import { clockTime } from '../actors/decoder/contract.ts';
import type { Clock } from '../runtime/clock.ts';
import { conflate } from '../runtime/sync/conflate.ts';
import { jobWord } from './report.ts';
import { bar, duration, fitted, padded, printable, type Screen } from './terminal.ts';

export interface ProgressView {
  event(event: AnalysisEvent): void;
  /** Draws the last state and leaves the cursor on a line of its own. */
  end(): void;
}

const MOST_BARS = 8;
/** Between two lines for the whole where the output is no terminal. */
const PLAIN_EVERY_MS = 10_000;

/** `kinds`: the kinds of work there are. */
export function createProgressView(
  screen: Screen,
  clock: Clock,
  kinds: readonly StageKind[] = stageKinds,
): ProgressView {
  /** By path and type of work. */
  const files = new Map<string, FileProgress>();
  /** Closing steps of jobs, the same way. */
  const closings = new Map<string, ClosingProgress>();
  let task: TaskProgress | undefined;
  /** Files and jobs that a stop left: they have a result, and are not done. */
  const cancelled = { files: 0, jobs: 0 };
  let drawn = 0;
  let lastLineAt = clock.now();

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
  const print = (line: string) => {
    screen.write(`${screen.isTerminal ? clear() : ''}${line}\n`);
    drawn = 0;
  };
  const writeLine = () => {
    if (screen.isTerminal || !task || clock.now() - lastLineAt < PLAIN_EVERY_MS) return;
    lastLineAt = clock.now();
    screen.write(`${plainLine(kinds, done(task))}\n`);
  };
  return {
    event: (event) => {
      if (event.type === 'file') files.set(workKey(event.file), event.file);
      else if (event.type === 'task') task = event.task;
      else if (event.type === 'closing') closings.set(closingKey(event.closing), event.closing);
      else {
        if (event.result.outcome === 'cancelled') cancelled[event.result.closing ? 'jobs' : 'files']++;
        files.delete(workKey(event.result));
        closings.delete(workKey(event.result));
        const line = resultLine(kinds, event.result);
        if (line) print(line);
      }
      drawing.put('screen', null);
      writeLine();
    },
    end: () => {
      files.clear();
      closings.clear();
      drawing.flush();
      draw();
      if (!screen.isTerminal && task) screen.write(`${plainLine(kinds, done(task))}\n`);
    },
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
  const closing = [...closings.values()].map((one) => closingLine(one, columns));
  const working = [...files.values()].slice(0, MOST_BARS).map((file) => fileLine(kinds, file, columns));
  const bars = [...closing, ...working].slice(0, MOST_BARS);
  const more = closings.size + files.size - bars.length;
  return more > 0 ? [...bars, `  and ${more} more`] : bars;
}

function closingLine({ name, percentage }: ClosingProgress, columns: number): string {
  const end = columns < 60 ? percent(percentage) : `${bar(percentage / 100, 20)} ${percent(percentage)}`;
  return barLine(printable(name), end, columns);
}

function fileLine(kinds: readonly StageKind[], file: FileProgress, columns: number): string {
  const { path, type, percentage } = file;
  const { unit } = kindOf(kinds, type);
  const done = `${percent(percentage)}${unit ? ` ${amounts(unit, file)}` : ''}`;
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
  const { percentage, stages, speed, estimated_remaining_seconds: left } = task;
  const known = task.surveyed ? '' : '+';
  const worked = measured(kinds).filter(({ type }) => (stages[type]?.all ?? 0) > 0);
  const remaining = left === null || left <= 0 ? [] : [`${duration(left)} left`];
  const pieces = piecesDone(kinds, task);
  // Nothing has a speed where everything is stored, and a clustering that is made again.
  const fast = speed > 0 ? [`${speed.toFixed(1)}× real time`] : [];
  const done = worked.map(({ type, unit }) => `${amounts(unit, stages[type]!).concat(known)} ${unit.label}`);
  const speeds = worked.flatMap(({ type, unit }) =>
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
  let [line = '', ...rest] = parts;
  for (const part of rest) {
    if (line.length + separator.length + part.length > columns) break;
    line += separator + part;
  }
  return line;
}

/** Why a file failed. */
export function failureLine({ code, message }: { readonly code: string; readonly message: string }): string {
  return `✗ ${code}: ${printable(message)}\n`;
}

function resultLine(kinds: readonly StageKind[], result: WorkResult): string | undefined {
  const { outcome, path, type, facts } = result;
  if (outcome === 'failed') return failureLine(result.error ?? { code: 'INTERNAL', message: path }).trimEnd();
  if (outcome === 'stored' || outcome === 'cancelled') return undefined;
  // A closing step has the name of its job.
  const name = printable(isAbsolute(path) ? basename(path) : path);
  const { labels } = kindOf(kinds, type);
  return outcome === 'not_applicable'
    ? `– ${name}: ${labels.nothing ?? outcome}`
    : `✓ ${name}: ${labels.result(facts)}`;
}

/** Where everything has ended the rest is the end of the task itself. */
function percent(percentage: number): string {
  return `${percentage >= mostUnfinished ? 100 : Math.floor(percentage)}%`.padStart(4);
}

// Progress for a person at a terminal: a bar for each file at work and one for the whole. Where the output is no
// terminal, one line a result and nothing else.
import { basename } from 'node:path';
import type { AnalysisEvent, FileProgress, FileResult, TaskProgress } from '../actors/analysis/contract.ts';
import { workKey } from '../actors/analysis/tasks/ledger.ts';
import { clockTime } from '../actors/decoder/contract.ts';
import type { Clock } from '../runtime/clock.ts';
import { conflate } from '../runtime/sync/conflate.ts';

export interface Screen {
  write(text: string): void;
  readonly columns: number;
  readonly isTerminal: boolean;
}

export interface ProgressView {
  event(event: AnalysisEvent): void;
  /** Draws the last state and leaves the cursor on a line of its own. */
  end(): void;
}

const MOST_BARS = 8;

export function createProgressView(screen: Screen, clock: Clock): ProgressView {
  /** By path and type of work. */
  const files = new Map<string, FileProgress>();
  let task: TaskProgress | undefined;
  let drawn = 0;

  const clear = () => (drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '');
  const draw = () => {
    if (!screen.isTerminal || !task) return;
    const bars = [...files.values()].slice(0, MOST_BARS).map((file) => fileLine(file, screen.columns));
    const more = files.size - bars.length;
    const lines = [...bars, ...(more > 0 ? [`  and ${more} more`] : []), taskLine(task, screen.columns)];
    screen.write(`${clear()}${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const drawing = conflate<'screen', null>(clock, 100, draw);
  const print = (line: string) => {
    screen.write(`${screen.isTerminal ? clear() : ''}${line}\n`);
    drawn = 0;
  };
  return {
    event: (event) => {
      if (event.type === 'file') files.set(workKey(event.file), event.file);
      else if (event.type === 'task') task = event.task;
      else {
        files.delete(workKey(event.result));
        const line = resultLine(event.result);
        if (line) print(line);
      }
      drawing.put('screen', null);
    },
    end: () => {
      files.clear();
      drawing.flush();
      draw();
      if (!screen.isTerminal && task) screen.write(`${taskLine(task, 200)}\n`);
    },
  };
}

export function bar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

function fileLine({ path, type, frames, grid_frames }: FileProgress, columns: number): string {
  const share = grid_frames === 0 ? 1 : frames / grid_frames;
  const name = shorten(printable(basename(path)), Math.max(10, Math.min(40, columns - 45)));
  const done =
    type === 'video' ? `${frames}/${grid_frames}` : `${clockTime(frames)}/${clockTime(grid_frames)}`;
  return `  ${name.padEnd(Math.min(40, columns - 45))} ${bar(share, 20)} ${percent(share)} ${done}`;
}

export function taskLine(task: TaskProgress, columns: number): string {
  const { files, files_done, frames, grid_frames, heard_seconds, sound_seconds, elapsed_seconds } = task;
  // A second of picture and a second of sound count the same.
  const all = grid_frames + sound_seconds;
  const done = frames + heard_seconds;
  const share = all === 0 ? files_done / files : done / all;
  const per = (amount: number) => (elapsed_seconds > 0 ? amount / elapsed_seconds : 0);
  const known = task.surveyed ? '' : '+';
  const looked = grid_frames > 0 || sound_seconds === 0;
  const parts = [
    `${bar(share, 20)} ${percent(share)}`,
    `${files_done}/${files} files`,
    ...(looked ? [`${frames}/${grid_frames}${known} frames`] : []),
    ...(sound_seconds > 0 ? [`${clockTime(heard_seconds)}/${clockTime(sound_seconds)}${known} heard`] : []),
    ...(looked ? [`${per(frames).toFixed(1)} frames/s`] : []),
    `${per(task.media_seconds).toFixed(1)}× real time`,
  ];
  const left = per(done) > 0 && done < all ? ` · ${duration((all - done) / per(done))} left` : '';
  const text = `${parts.join(' · ')}${left}`;
  return text.slice(0, columns);
}

function resultLine(result: FileResult): string | undefined {
  if (result.outcome === 'failed') return `✗ ${printable(result.error?.message ?? result.path)}`;
  if (result.outcome === 'stored' || result.outcome === 'cancelled') return undefined;
  const name = printable(basename(result.path));
  if (result.type === 'speech') return speechLine(name, result);
  if (result.outcome === 'no_picture') return `– ${name}: sound only, no picture to look at`;
  const missing = result.missing_frames > 0 ? `, ${result.missing_frames} cannot be decoded` : '';
  return `✓ ${name}: ${result.frames} ${result.frames === 1 ? 'frame' : 'frames'}${missing}`;
}

function speechLine(name: string, { outcome, speech }: FileResult): string {
  if (outcome === 'no_sound' || !speech) return `– ${name}: nothing to listen to`;
  const { segments, speakers, language, model_key } = speech;
  if (segments === 0) return `✓ ${name}: nobody speaks`;
  const said = [
    `${segments} ${segments === 1 ? 'segment' : 'segments'}`,
    ...(speakers === null ? [] : [`${speakers} ${speakers === 1 ? 'speaker' : 'speakers'}`]),
    ...(language === null ? [] : [language]),
  ];
  return `✓ ${name}: ${said.join(', ')} (${model_key})`;
}

/** A file name must not move the cursor: control characters are shown, not sent. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

export function duration(seconds: number): string {
  const s = Math.ceil(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}%`.padStart(4);
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

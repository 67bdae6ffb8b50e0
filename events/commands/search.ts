// `framehound search TEXT | --image F | --frame F@SECONDS`: finds moments and shows where they are.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { folders } from '../../actors/analysis/settings.ts';
import { findMedia } from '../../actors/analysis/walk.ts';
import { storeErrors } from '../../actors/index/contract.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import type { Engine } from '../../main.ts';
import { printable } from '../terminal.ts';
import { type Command, type Context, exit, usageErrors, withEngine } from './context.ts';
import { saveFindings } from './findings.ts';

const options = {
  image: { type: 'string' },
  frame: { type: 'string' },
  exclude: { type: 'string', multiple: true, default: [] as string[] },
  media: { type: 'string', multiple: true, default: [] as string[] },
  max: { type: 'string', default: '10' },
  'text-weight': { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
  previews: { type: 'boolean', default: false },
  open: { type: 'boolean', default: false },
} as const;

export const search: Command = async (args, context) => {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const question: Question = {
    query: positionals.join(' ').trim() || null,
    image: values.image === undefined ? null : resolve(values.image),
    frame: values.frame === undefined ? null : frameArgument(values.frame),
    exclude: values.exclude,
    media: await filesOf(values.media, context),
    max: numberArgument('--max', values.max, 1, 10_000, true),
    textWeight: numberArgument('--text-weight', values['text-weight'], 0, 100, false),
    previews: !values.json || values.previews,
  };
  if (!question.query && !question.image && !question.frame) {
    throw usageErrors.USAGE('search needs a text, --image FILE or --frame FILE@SECONDS');
  }
  if (question.image && question.frame) throw usageErrors.USAGE('search takes --image or --frame, not both');
  if (question.exclude.length > 0 && !question.query)
    throw usageErrors.USAGE('--exclude needs a text to search for');
  return withEngine(context, 0, async (engine) => {
    const cacheDir = folders(context.values).cache;
    const answer = await ask(engine, question, cacheDir, context);
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else await show(answer, title(question), context, values.open);
    return exit.ok;
  });
};

export interface Question {
  readonly query: string | null;
  readonly image: string | null;
  readonly frame: { readonly path: string; readonly seconds: number } | null;
  readonly exclude: readonly string[];
  readonly media: readonly string[];
  readonly max: number;
  readonly textWeight: number;
  readonly previews: boolean;
}

/** Loads what is stored and asks. */
export async function ask(
  engine: Engine,
  question: Question,
  cache_dir: string,
  { values, signal, screen }: Context,
): Promise<SearchAnswer> {
  const model_key = values.model;
  const loaded = await engine.search.load({ cache_dir, model_key }, signal).catch((error) => {
    if (!storeErrors.STORE_UNAVAILABLE.is(error)) throw error;
    throw storeErrors.STORE_UNAVAILABLE(`${error.message}. Analyse something first: framehound analyze PATH`);
  });
  if (loaded.media === 0) {
    screen.write(`Nothing is analysed by ${model_key} in ${cache_dir}: framehound analyze PATH\n`);
  }
  const common = {
    cache_dir,
    model_key,
    media_paths: [...question.media],
    max_results: question.max,
    exclude: [...question.exclude],
    segments_to_frame_indices: {},
    previews: question.previews,
    text_weight: question.textWeight,
    query: question.query,
  };
  const { image, frame, query } = question;
  if (image) return engine.search.image({ ...common, image_path: image }, signal);
  if (frame)
    return engine.search.frame({ ...common, media_path: frame.path, time_seconds: frame.seconds }, signal);
  return engine.search.text({ ...common, query: query ?? '' }, signal);
}

/** Prints the matches and saves their pictures with a page that shows them all. */
export async function show(
  answer: SearchAnswer,
  heading: string,
  context: Context,
  open: boolean,
): Promise<void> {
  const { matches, toast_warning } = answer;
  const saved = await saveFindings(heading, matches, folders(context.values).home);
  context.out(`${printable(heading)}\n`);
  matches.forEach((match, i) => {
    const scene = `${match.scene_start_timestamp}–${match.scene_end_timestamp}`;
    context.out(
      `${String(i + 1).padStart(3)}. ${match.timestamp}  scene ${scene}  ${printable(match.video_path)}\n`,
    );
    if (saved.pictures[i]) context.out(`     ${saved.pictures[i]}\n`);
  });
  if (matches.length === 0) context.out('  nothing was found\n');
  else context.out(`  all pictures: ${saved.page}\n`);
  if (toast_warning) context.out(`  note: ${printable(toast_warning)}\n`);
  if (open && matches.length > 0) openPage(saved.page, context);
}

/** A folder stands for the media in it. */
async function filesOf(paths: readonly string[], { values, signal }: Context): Promise<string[]> {
  const folder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const all = await Promise.all(
    paths.map(async (path) =>
      folder(path) ? (await findMedia([path], folders(values).cache, signal)).files : [resolve(path)],
    ),
  );
  return all.flat();
}

function openPage(page: string, { screen }: Context): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  const child = spawn(program!, [...before, page], { stdio: 'ignore', detached: true });
  child.on('error', () => screen.write(`No program was found that opens ${page}\n`));
  child.unref();
}

export function title({ query, image, frame, exclude }: Question): string {
  const parts = [
    query && `"${query}"`,
    image && `like ${image}`,
    frame && `like ${frame.path} at ${frame.seconds} s`,
    exclude.length > 0 && `without ${exclude.map((text) => `"${text}"`).join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** `FILE@SECONDS`; the file name may hold an @ itself. */
export function frameArgument(text: string): { path: string; seconds: number } {
  const at = text.lastIndexOf('@');
  const seconds = Number(text.slice(at + 1));
  if (at <= 0 || text.slice(at + 1).trim() === '' || !Number.isFinite(seconds) || seconds < 0) {
    throw usageErrors.USAGE(`--frame wants FILE@SECONDS, not ${text}`);
  }
  return { path: resolve(text.slice(0, at)), seconds };
}

function numberArgument(name: string, text: string, least: number, most: number, whole: boolean): number {
  const value = Number(text);
  const fits = text.trim() !== '' && value >= least && value <= most && (!whole || Number.isInteger(value));
  if (!fits)
    throw usageErrors.USAGE(
      `${name} wants a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not ${text}`,
    );
  return value;
}

// `framehound search TEXT | --image F | --frame F@SECONDS`: finds moments and shows where they are.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Match, SearchAnswer } from '../../actors/search/contract.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, typed, usageErrors } from '../context.ts';
import { findMedia } from '../find-media.ts';
import { saveFindings } from '../findings.ts';
import { openPage } from '../open-page.ts';
import { isStill, momentText } from '../place.ts';
import { frameArgument, numberArgument, perFilmArgument, type Question, title } from '../question.ts';
import { printable } from '../terminal.ts';
import { formatOfFile, saveScenes } from '../timeline-file.ts';
import { withBackend } from '../with-backend.ts';

export const search: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.search.options,
  });
  const media = await filesOf(values.media, context);
  const question: Question = {
    query: positionals.join(' ').trim() || null,
    image: values.image === undefined ? null : resolve(values.image),
    frame: values.frame === undefined ? null : frameArgument(values.frame),
    exclude: values.exclude,
    media,
    max: numberArgument('--max', values.max, 1, 10_000, true),
    perFilm: perFilmArgument(values['per-film'] ?? (media.length === 1 ? 'all' : '3')),
    people: values.person,
    anyPerson: values['any-person'],
    clusterJob: values['cluster-job'] ?? null,
    textWeight: numberArgument('--text-weight', values['text-weight'], 0, 100, false),
    previews: !values.json || values.previews,
  };
  if (!question.query && !question.image && !question.frame) {
    const where =
      question.people.length > 0 ? '; where people are seen: framehound faces appearances JOB NAME' : '';
    throw usageErrors.USAGE(`search needs a text, --image FILE or --frame FILE@SECONDS${where}`);
  }
  if (question.image && question.frame) throw usageErrors.USAGE('search takes --image or --frame, not both');
  if (question.exclude.length > 0 && !question.query)
    throw usageErrors.USAGE('--exclude needs a text to search for');
  if (question.people.length === 0 && (question.anyPerson || question.clusterJob !== null))
    throw usageErrors.USAGE('--any-person and --cluster-job need a --person to look for');
  // Before the search: a name it cannot use is no reason to wait.
  const format = values.timeline === undefined ? null : formatOfFile(values.timeline);
  return withBackend(context, 0, async (backend) => {
    const { cache } = folders(context.values);
    const answer = await backend.search(question, cache).catch((error) => Promise.reject(asTyped(error)));
    if (!values.json) await show(answer, question, context, values.open);
    const timeline =
      format &&
      (await saveScenes(answer.matches, title(question), format, resolve(values.timeline!), backend));
    if (values.json) context.out(`${JSON.stringify({ ...answer, ...(timeline && { timeline }) })}\n`);
    else if (timeline) context.out(`  timeline: ${printable(timeline.output_path)}\n`);
    for (const note of timeline?.warnings ?? []) context.screen.write(`note: ${printable(note)}\n`);
    if (format && !timeline) context.screen.write('note: nothing was found, so there is no timeline\n');
    return exit.ok;
  });
};

const typedAs: Readonly<Record<string, string>> = {
  person_name: '--person',
  cluster_job_name: '--cluster-job',
};

/** The same error with the option that was typed in the place of the field of the request. */
export function asTyped(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [start, field = ''] = /people_filter\[\d+\]\.(\w+): /.exec(error.message) ?? [];
  const option = typedAs[field];
  if (start === undefined || option === undefined) return error;
  return usageErrors.USAGE(`${option}: ${error.message.slice(error.message.indexOf(start) + start.length)}`);
}

/** Prints the matches and what is said of them, and saves their pictures with a page that shows it all. */
export async function show(
  answer: SearchAnswer,
  question: Question,
  context: Context,
  open: boolean,
): Promise<void> {
  const { matches } = answer;
  const heading = title(question);
  const notes = [...notesOf(answer), ...limitNote(matches, question)].map(typed);
  const saved = await saveFindings(heading, notes, matches, folders(context.values).home);
  context.out(`${printable(heading)}\n`);
  // Before the matches: it says how much they are worth.
  for (const note of notes) context.out(`  note: ${printable(note)}\n`);
  matches.forEach((match, i) => {
    const { moment, scene } = momentText(match);
    const place = [moment.padEnd(8), scene, printable(match.video_path)].filter(Boolean).join('  ');
    context.out(`${String(i + 1).padStart(3)}. ${place}\n`);
    if (match.image && saved.pictures[i]) context.out(`     ${saved.pictures[i]}\n`);
  });
  if (matches.length === 0) context.out('  nothing was found\n');
  context.out(`  ${matches.length === 0 ? 'page' : 'all pictures'}: ${saved.page}\n`);
  if (open) openPage(saved.page, context);
}

/** Told where a film reached the limit, so that it may have more. */
function limitNote(matches: readonly Match[], { perFilm }: Question): string[] {
  if (perFilm === null) return [];
  const ofFilm = Map.groupBy(matches, ({ hash_str }) => hash_str);
  const full = [...ofFilm.values()].some((some) => some.length >= perFilm && !isStill(some[0]!));
  return full ? [`At most ${perFilm} of one film are shown; more: --per-film N or all`] : [];
}

/** A service of another version may answer them as one text. */
function notesOf({ warnings, toast_warning }: SearchAnswer): readonly string[] {
  return warnings ?? (toast_warning === undefined ? [] : [toast_warning]);
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

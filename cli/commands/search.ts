// `framehound search TEXT | --image F | --frame F@SECONDS`: finds moments and shows where they are.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, typed, usageErrors } from '../context.ts';
import { findMedia } from '../find-media.ts';
import { saveFindings } from '../findings.ts';
import { frameArgument, numberArgument, type Question, title } from '../question.ts';
import { printable } from '../terminal.ts';
import { withBackend } from '../with-backend.ts';

export const search: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.search.options,
  });
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
  return withBackend(context, 0, async (backend) => {
    const answer = await backend.search(question, folders(context.values).cache);
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else await show(answer, title(question), context, values.open);
    return exit.ok;
  });
};

/** Prints the matches and saves their pictures with a page that shows them all. */
export async function show(
  answer: SearchAnswer,
  heading: string,
  context: Context,
  open: boolean,
): Promise<void> {
  const { matches } = answer;
  const notes = notesOf(answer);
  const saved = await saveFindings(heading, matches, folders(context.values).home);
  context.out(`${printable(heading)}\n`);
  // Before the matches: it says how much they are worth.
  for (const note of notes) context.out(`  note: ${typed(printable(note))}\n`);
  matches.forEach((match, i) => {
    const scene = `${match.scene_start_timestamp}–${match.scene_end_timestamp}`;
    context.out(
      `${String(i + 1).padStart(3)}. ${match.timestamp}  scene ${scene}  ${printable(match.video_path)}\n`,
    );
    if (saved.pictures[i]) context.out(`     ${saved.pictures[i]}\n`);
  });
  if (matches.length === 0) context.out('  nothing was found\n');
  else context.out(`  all pictures: ${saved.page}\n`);
  if (open && matches.length > 0) openPage(saved.page, context);
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

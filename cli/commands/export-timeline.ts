// `framehound export timeline FILE`: a list of scenes as a sequence of an editing program.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import {
  type TimelineAnswer,
  TimelineBody,
  type TimelineFormat,
  timelineFormats,
} from '../../actors/exporter/timeline/contract.ts';
import { createValidator } from '../../http/request/validation.ts';
import { codeOf } from '../../runtime/files/error-code.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { formatOfFile, saveTimeline } from '../timeline-file.ts';

const { options } = commandTable.export.actions.timeline;

export const exportTimeline: Command = async (args, context) => {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw usageErrors.USAGE('export timeline needs exactly one file with scenes');
  const isPrinted = values.out === '-';
  if (isPrinted && values.json)
    throw usageErrors.USAGE('--json needs --out FILE; without it, the timeline itself is printed');
  const format = formatOf(values.format, values.out);
  const { output_path: _, ...scenes } = await scenesOf(file, format);
  const marked = values.chapters && { chapter_markers: { cache_dir: folders(context.values).cache } };
  // What the list itself says goes first.
  const request = { ...marked, ...scenes };
  return withService(context, 0, async ({ client }) => {
    const answer = await client.exportTimeline(request);
    tell(answer, context);
    if (isPrinted) context.out(answer.content ?? '');
    else {
      const saved = await saveTimeline(resolve(values.out), answer);
      context.out(values.json ? `${JSON.stringify(saved)}\n` : `${saved.output_path}\n`);
    }
    return exit.ok;
  });
};

function tell({ warnings = [] }: TimelineAnswer, { screen }: Context): void {
  for (const warning of warnings) screen.write(`note: ${printable(warning)}\n`);
}

function formatOf(named: string | undefined, out: string): TimelineFormat {
  if (named === undefined) return out === '-' ? 'xmeml' : formatOfFile(out);
  const format = timelineFormats.find((one) => one === named);
  if (format) return format;
  throw usageErrors.USAGE(`--format must be one of ${timelineFormats.join(', ')}, not ${printable(named)}`);
}

/**
 * The body of /export/timeline, or its `items` alone. Paths that are not absolute start where the file lies.
 */
async function scenesOf(file: string, format: TimelineFormat): Promise<TimelineBody> {
  const wrong = (what: string) =>
    usageErrors.USAGE(`${file === '-' ? 'the input' : printable(file)}: ${what}`);
  const source = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const written = await source.catch((error: Error) => {
    throw wrong(`cannot be read (${codeOf(error)})`);
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch (error) {
    throw wrong(`is not JSON: ${printable((error as Error).message)}`);
  }
  if (typeof parsed !== 'object' || parsed === null) throw wrong('must be an object or a list of items');
  const body: Record<string, unknown> = { ...(Array.isArray(parsed) ? { items: parsed } : parsed), format };
  const folder = file === '-' ? '.' : dirname(file);
  const found = createValidator(TimelineBody, { pathAt: (_, path) => resolve(folder, path) })(body);
  if (found)
    throw wrong(
      found
        .slice(0, 5)
        .map(({ field, problem }) => `${field} ${problem}`)
        .join('; '),
    );
  // Checked right above.
  return body as TimelineBody;
}

// `framehound takes [PATH[@SECONDS]]`: where else a file, a moment of it or any shot of the library is.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import type { Take, TakePart } from '../../actors/search/takes/contract.ts';
import { isOf } from '../../http/client/error.ts';
import { folders } from '../../settings.ts';
import { frameArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, exit, usageErrors } from '../context.ts';
import { useModel, withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { analyseFirst } from './search.ts';

/** Seconds before and after a moment that are looked for. */
const around = 5;

export const takes: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.takes, args);
  const [text, ...others] = positionals;
  if (others.length > 0) throw usageErrors.USAGE('takes needs one file at most');
  const part = text === undefined ? {} : partOf(text);
  const { cache: cache_dir } = folders(context.values);
  return withService(context, 0, async (service) => {
    const { client } = service;
    await useModel(service, context);
    await client.loadAnalysisData({ cache_dir }).catch((error) => {
      throw isOf(storeErrors.STORE_UNAVAILABLE, error) ? analyseFirst(error.message) : error;
    });
    const all: Take[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.searchTakes({ cache_dir, ...part, ...(cursor && { cursor }) });
      const { compared } = page;
      if (!values.json) context.out(takeLines(page.takes, all.at(-1)?.asked.media_path));
      if (compared && page.next_cursor)
        context.screen.write(
          `compared up to ${clockTime(compared.time_seconds)} of ${printable(compared.media_path)}\n`,
        );
      all.push(...page.takes);
      cursor = page.next_cursor;
    }
    if (values.json) context.out(`${JSON.stringify({ takes: all })}\n`);
    else if (all.length === 0) context.out('no other takes or copies were found\n');
    return exit.ok;
  });
};

function partOf(text: string) {
  if (existsSync(text) || !/@[\d.]+$/.test(text)) return { media_path: resolve(text) };
  const { path, seconds } = frameArgument(text);
  return { media_path: path, start_seconds: Math.max(0, seconds - around), end_seconds: seconds + around };
}

/** `before`: the file of the line before, which is not named again. */
export function takeLines(all: readonly Take[], before?: string): string {
  let last = before;
  const lines = all.map((take) => {
    const { asked, found, certainty, mirrored, agreeing_frames } = take;
    const head = asked.media_path === last ? '' : `${printable(asked.media_path)}\n`;
    last = asked.media_path;
    const facts = `${certainty}${mirrored ? ', mirrored' : ''}, ${agreeing_frames} s agree`;
    return `${head}  ${rangeOf(asked)}  ${rangeOf(found)} of ${printable(found.media_path)}  (${facts})\n`;
  });
  return lines.join('');
}

function rangeOf({ start_seconds, end_seconds }: TakePart): string {
  return `${clockTime(start_seconds)}–${clockTime(end_seconds)}`;
}

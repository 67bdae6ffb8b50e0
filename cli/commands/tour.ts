// `framehound tour`, `npm start`: analysis and searches on a sample library, or on a given folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mediaErrors } from '../../actors/decoder/contract.ts';
import { folders } from '../../settings.ts';
import type { Question } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { type Command, exit, invocation } from '../context.ts';
import { runMediaTask } from '../media-task.ts';
import { withService } from '../service.ts';
import { pictureTask } from './analyze.ts';
import { searchFootage, show, standingOut, writtenQuery } from './search.ts';
import { bringSight, bringsSight } from './setup.ts';

/** What the models that are downloaded can answer: by light and colours, by things, by printed words. */
const queries = {
  samples: {
    light: ['sunset over the sea', 'red car at night'],
    things: ['blue car'],
    words: ['lighthouse'],
  },
  own: { light: ['blue sky', 'night lights'], things: ['person', 'car'], words: [] },
} as const;

export const tour: Command = async (args, context) => {
  const { options } = commandTable.tour;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const { home, cache } = folders(context.values);
  const own = positionals.length > 0;
  const missing = positionals.find((path) => !existsSync(path));
  if (missing !== undefined) throw mediaErrors.FILE_NOT_FOUND(`${missing}: file not found`);
  const samples = join(home, 'samples');
  if (!own) {
    context.screen.write(`Sample library: ${samples}\n`);
    await (await context.installation()).copySamples(samples);
  }
  if (bringsSight(context, process.env)) await bringSight(context);
  // Samples get an analysis folder of their own, so that they never turn up among a person's footage.
  const cacheDir = own ? cache : join(home, 'samples-analysis');
  return withService(context, context.values.decoders, async (service) => {
    const task = pictureTask(own ? positionals : [samples], cacheDir, values.force, context);
    const code = await runMediaTask(service, task, context);
    if (code !== exit.ok && code !== exit.someFailed) return code;
    const { light, things, words } = queries[own ? 'own' : 'samples'];
    const { things_key, words_key } = (await service.client.availableModels()).sight;
    const seen: readonly string[] = [...light, ...(things_key ? things : [])];
    for (const query of [...seen, ...(words_key ? words : [])]) {
      const question: Question = {
        query,
        image: null,
        frame: null,
        exclude: [],
        media: [],
        max: 3,
        perFilm: null,
        textWeight: 1,
        people: [],
        anyPerson: false,
        clusterJob: null,
        filters: [],
        previews: true,
      };
      context.out('\n');
      if (seen.includes(query)) {
        const answer = await searchFootage(service, question, cacheDir, context);
        await show(standingOut(answer), question, context, false);
      } else {
        const { matches } = await service.client.searchWritten(writtenQuery(question, cacheDir));
        await show({ matches: [] }, question, context, false, null, matches);
      }
    }
    const folder = own || cacheDir === cache ? '' : ` --cache-dir ${cacheDir}`;
    context.screen.write(`\nTo search yourself: ${invocation} search "…"${folder}\n`);
    const at = context.config.sources.home === 'flag' ? ` --home ${home}` : '';
    context.screen.write(`To browse the results in a page: ${invocation} open${at}${folder}\n`);
    return code;
  });
};

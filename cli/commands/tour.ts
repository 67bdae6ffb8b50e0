// `framehound tour`, `npm start`: analysis and searches on a sample library, or on a given folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mediaErrors } from '../../actors/decoder/contract.ts';
import { folders } from '../../settings.ts';
import type { Question } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, invocation } from '../context.ts';
import { runMediaTask } from '../media-task.ts';
import { type Service, withService } from '../service.ts';
import { pictureTask } from './analyze.ts';
import { searchFootage, show, standingOut, writtenQuery } from './search.ts';
import { bringSight, bringsSight } from './setup.ts';

/** What the models that are downloaded can answer: by light and colours, by things, by printed words. */
const queries = {
  samples: {
    light: ['sunset over the sea', 'red car at night'],
    things: ['umbrella'],
    words: ['lighthouse'],
  },
  own: { light: ['blue sky', 'night lights'], words: [] },
} as const;
/** Kinds of things that are searched for in a person's own footage. */
const MOST_THINGS = 2;

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
    const { light, words } = queries[own ? 'own' : 'samples'];
    const { things_key, words_key } = (await service.client.availableModels()).sight;
    for (const query of light) await showSeen(query, service, cacheDir, context);
    // The searches before have loaded what the things are counted in.
    const things = !things_key ? [] : own ? await mostSeen(service, cacheDir) : queries.samples.things;
    for (const query of things) await showSeen(query, service, cacheDir, context);
    for (const query of words_key ? words : []) {
      context.out('\n');
      const question = questionOf(query);
      const { matches } = await service.client.searchWritten(writtenQuery(question, cacheDir));
      await show({ matches: [] }, question, context, false, null, matches);
    }
    const folder = own || cacheDir === cache ? '' : ` --cache-dir ${cacheDir}`;
    context.screen.write(`\nTo search yourself: ${invocation} search "…"${folder}\n`);
    const at = context.config.sources.home === 'flag' ? ` --home ${home}` : '';
    context.screen.write(`To browse the results in a page: ${invocation} open${at}${folder}\n`);
    return code;
  });
};

function questionOf(query: string): Question {
  return {
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
}

async function showSeen(query: string, service: Service, cacheDir: string, context: Context): Promise<void> {
  context.out('\n');
  const question = questionOf(query);
  const answer = await searchFootage(service, question, cacheDir, context);
  await show(standingOut(answer), question, context, false);
}

/** The kinds of things that most of the media show for certain. */
async function mostSeen({ client }: Service, cache_dir: string): Promise<readonly string[]> {
  const { facets } = await client.metadataFacets({ cache_dir, search_all: true });
  const seen = facets.find(({ id }) => id === 'things.seen')?.options ?? [];
  return seen
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_THINGS)
    .map(({ value }) => value);
}

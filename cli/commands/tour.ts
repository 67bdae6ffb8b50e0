// `framehound tour`, `npm start`: analysis and searches on a sample library, or on a given folder.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mediaErrors } from '../../actors/decoder/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { spelledOnDisk } from '../../runtime/files/spelling.ts';
import { folders } from '../../settings.ts';
import type { Question } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, invocation } from '../context.ts';
import { findMedia } from '../find-media.ts';
import { runMediaTask } from '../media-task.ts';
import { type CommandService, withService } from '../service.ts';
import { usualTask } from '../usual-work.ts';
import { searchFootage, searchSaid, show, standingOut, writtenQuery } from './search.ts';
import { bringSight, bringsSight, offerSetup } from './setup.ts';

/** Searches of the sample library, each of which shows something by itself; no drawn thing is sure enough. */
const sampleSearches = {
  light: ['blue sky', 'orange'],
  things: [],
  words: ['lighthouse'],
  said: [],
} as const;
/** Kinds of things that are searched for in a person's own footage. */
const MOST_THINGS = 3;
/** Files in which a printed word to search for is looked for. */
const FILES_READ = 50;
/** Seconds of a transcript in which a word to search for is looked for. */
const SAID_SECONDS = 600;
/** Least score of a line that is quoted as certain. */
const SURE_READING = 0.9;
const nothingSure = 'Nothing was recognised surely enough to propose a search for it.';

export const tour: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.tour, args);
  const { home, cache } = folders(context.values);
  const hasPaths = positionals.length > 0;
  const named = await spelledOnDisk(positionals.map((path) => resolve(path)));
  const missing = positionals.find((_, at) => !existsSync(named[at]!));
  if (missing !== undefined) throw mediaErrors.FILE_NOT_FOUND(`${missing}: file not found`);
  const samples = join(home, 'samples');
  if (!hasPaths) {
    context.screen.write(`Sample library: ${samples}\n`);
    await (await context.installation()).copySamples(samples);
  }
  // Nothing is downloaded for a folder without media.
  const hasMedia = !hasPaths || (await findMedia(positionals, cache, context.signal)).files.length > 0;
  const brings = hasMedia && bringsSight(context, process.env);
  if (brings) await bringSight(context);
  // Samples get an analysis folder of their own, so that they never turn up among a person's footage.
  const cacheDir = hasPaths ? cache : join(home, 'samples-analysis');
  const code = await withService(context, context.values.decoders, async (service) => {
    const paths = hasPaths ? positionals : [samples];
    const work = { paths, cacheDir, force: values.force, text: 'subtitles' as const, faces: true };
    const task = usualTask(service, work, context);
    const code = await runMediaTask(service, task, context);
    if (code !== exit.ok && code !== exit.someFailed) return code;
    const { things_key, words_key } = (await service.client.availableModels()).sight;
    const searches = hasPaths ? await ownSearches(service, cacheDir) : sampleSearches;
    for (const query of searches.light) await showSeen(query, service, cacheDir, context);
    for (const query of things_key ? searches.things : []) await showSeen(query, service, cacheDir, context);
    for (const query of words_key ? searches.words : []) await showWritten(query, service, cacheDir, context);
    for (const query of searches.said) await showSaid(query, service, cacheDir, context);
    if (Object.values(searches).every(({ length }) => length === 0))
      context.screen.write(`\n${nothingSure}\n`);
    const folder = hasPaths || cacheDir === cache ? '' : ` --cache-dir ${cacheDir}`;
    context.screen.write(`\nTo search yourself: ${invocation} search "…"${folder}\n`);
    const at = context.config.sources.home === 'flag' ? ` --home ${home}` : '';
    context.screen.write(`To browse the results in a page: ${invocation} open${at}${folder}\n`);
    return code;
  });
  if (brings && code === exit.ok) await offerSetup(context);
  return code;
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

async function showSeen(
  query: string,
  service: CommandService,
  cacheDir: string,
  context: Context,
): Promise<void> {
  context.out('\n');
  const question = questionOf(query);
  const answer = await searchFootage(service, question, cacheDir, context);
  show(standingOut(answer), question, context);
}

async function showWritten(query: string, { client }: CommandService, cacheDir: string, context: Context) {
  context.out('\n');
  const question = questionOf(query);
  const { matches } = await client.searchWritten(writtenQuery(question, cacheDir));
  show({ matches: [] }, question, context, null, matches);
}

async function showSaid(query: string, service: CommandService, cacheDir: string, context: Context) {
  context.out('\n');
  const question = questionOf(query);
  const { matches } = await searchSaid(service, question, cacheDir);
  show({ matches: [] }, question, context, matches);
}

/** Searches for what was found in a person's own footage, the surest first. */
async function ownSearches({ client }: CommandService, cache_dir: string) {
  await client.loadAnalysisData({ cache_dir });
  const { facets } = await client.metadataFacets({ cache_dir, search_all: true });
  const thingOptions = facets.find(({ id }) => id === 'things.seen')?.options ?? [];
  const things = thingOptions
    .flatMap(({ value, count, meta: { suggested } }) =>
      count > 0 && typeof suggested === 'number' ? [{ value, suggested }] : [],
    )
    .toSorted((a, b) => b.suggested - a.suggested)
    .slice(0, MOST_THINGS)
    .map(({ value }) => value);
  const [words, said] = [await surestWord(client, cache_dir), await longestSaid(client, cache_dir)];
  return { light: [], things, words, said };
}

/** The longest word that is said in the first transcript; none without one. */
async function longestSaid(client: Client, cache_dir: string): Promise<readonly string[]> {
  const { media } = await client.listLibrary({ cache_dir, limit: FILES_READ });
  const spoken = media.find(({ transcript }) => transcript !== null);
  if (spoken === undefined) return [];
  const { hash_str } = spoken;
  const range = { start_seconds: 0, end_seconds: SAID_SECONDS };
  const { segments } = await client.transcriptionsRange({ cache_dir, hash_str, ...range });
  const word = longestWord(segments.map(({ text }) => text).join(' '));
  return word === null ? [] : [word];
}

/** Null where all words are short ones. */
function longestWord(text: string): string | null {
  // Shorter ones say little of a text: that, with, auch.
  const words = text.match(/\p{L}{5,}/gu) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** The longest word of the printed line that was read most surely in the first files; none without one. */
async function surestWord(client: Client, cache_dir: string): Promise<readonly string[]> {
  const { media } = await client.listLibrary({ cache_dir, limit: FILES_READ });
  const surest = { score: SURE_READING, word: null as string | null };
  for (const { hash_str, visual } of media) {
    if (visual.length === 0) continue;
    const { lines } = await client.mediaSeen({ cache_dir, hash_str });
    for (const { text, score } of lines) {
      const word = longestWord(text);
      if (word !== null && score > surest.score) Object.assign(surest, { score, word });
    }
  }
  return surest.word === null ? [] : [surest.word];
}

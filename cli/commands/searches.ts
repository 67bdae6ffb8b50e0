// `framehound searches`: searches that the running service runs on every new file, and their hits.
import { resolve } from 'node:path';
import type { SearchHit, SearchStanding } from '../../events/searches/contract.ts';
import { stream } from '../../http/client/stream.ts';
import { folders } from '../../settings.ts';
import { filterArgument, filterFields, filterText } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, exit, flagsOf, only, usageErrors } from '../context.ts';
import { byAction } from '../help.ts';
import { printable } from '../terminal.ts';
import { serviceUrl, withWatcher } from './watch.ts';

const table = commandTable.searches.actions;

const list: Command = async (args, context) => {
  const values = flagsOf(table.list, args);
  return withWatcher(context, async (client) => {
    const all = (await client.listSavedSearches()).searches;
    if (values.json) context.out(`${JSON.stringify(all)}\n`);
    else for (const search of all) context.out(searchLine(search));
    if (all.length === 0)
      context.screen.write('There are no saved searches. To add one: framehound searches save NAME QUERY\n');
    return exit.ok;
  });
};

const save: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.save, args);
  const [name, ...words] = positionals;
  if (name === undefined) throw usageErrors.USAGE('searches save needs a name');
  const cache_dir = folders(context.values).cache;
  const query = words.join(' ');
  const picture = values.image === undefined ? {} : { image_path: resolve(values.image) };
  const filters = values.filter.map(filterArgument);
  return withWatcher(context, async (client) => {
    const request = { cache_dir, ...(query !== '' && { query }), ...picture, ...filterFields({ filters }) };
    const { search } = await client.saveSearch({ name, request });
    context.out(values.json ? `${JSON.stringify(search)}\n` : searchLine(search));
    return exit.ok;
  });
};

const remove: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.remove, args);
  const word = only(positionals, needsId('remove'));
  return withWatcher(context, async (client) => {
    const { search_id } = meant((await client.listSavedSearches()).searches, word);
    const answer = await client.removeSavedSearch({ search_id });
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${answer.message}\n`);
    return exit.ok;
  });
};

const hits: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.hits, args);
  const word = only(positionals, needsId('hits'));
  return withWatcher(context, async (client) => {
    const { search_id } = meant((await client.listSavedSearches()).searches, word);
    const hits = (await client.savedSearchHits({ search_id })).hits;
    if (values.json) context.out(`${JSON.stringify(hits)}\n`);
    else for (const hit of hits) context.out(hitLines(hit));
    await client.markHitsSeen({ search_id });
    return exit.ok;
  });
};

const follow: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.follow, args);
  const ids = await withWatcher(context, async (client) => {
    const all = (await client.listSavedSearches()).searches;
    return positionals.map((word) => meant(all, word).search_id);
  });
  const query = { event: 'search_hit', ...(ids.length > 0 && { search_id: ids.join(',') }) };
  const url = serviceUrl(context.values);
  const { signal } = context;
  for await (const { event, data } of stream({ url, key: context.values.license_key, query, signal })) {
    if (event === 'missed') context.screen.write('Some hits were missed: see framehound searches hits ID\n');
    if (event !== 'search_hit') continue;
    context.out(values.json ? `${JSON.stringify(data)}\n` : hitLines(data as SearchHit));
  }
  return exit.ok;
};

const actions: Readonly<Record<string, Command>> = { list, save, remove, hits, follow };

export const searches: Command = byAction('searches', actions, 'list');

const needsId = (action: string) => `searches ${action} needs the id of one saved search`;

/** Finds a saved search by its id, a unique beginning of it, or its name. */
function meant(all: readonly SearchStanding[], word: string): SearchStanding {
  const [match, ...others] = all.filter(({ search_id, name }) => search_id.startsWith(word) || name === word);
  if (match && others.length === 0) return match;
  const what = match ? `several saved searches are called ${word}` : `there is no saved search ${word}`;
  throw usageErrors.USAGE(what);
}

function searchLine({ search_id, name, request, hits, new_hits, problem }: SearchStanding): string {
  const picture = (request.image_data ?? request.like) === undefined ? [] : ['a picture'];
  const people = request.people_filter.map((person) => person.person_name ?? person.cluster_id ?? '');
  const filters = (request.metadata_filter_request?.filters ?? []).map(filterText);
  const question = [request.query ?? request.image_path ?? picture, people, filters].flat().join(', ');
  const why = problem === null ? '' : `  (${printable(problem)})`;
  return `${search_id.slice(0, 8)}  ${printable(name)}: ${printable(question)}  ${hits} hits, ${new_hits} new${why}\n`;
}

function hitLines({ name, media_path, sure, moments }: SearchHit): string {
  const times = moments.map(({ time_seconds, reasons }) => {
    const kinds = [...new Set(reasons.map(({ kind }) => kind))].join(', ');
    return `${clock(time_seconds)} ${kinds}`;
  });
  return `${printable(name)}: ${printable(media_path)}  ${times.join('; ')}${sure ? '' : '  (not sure)'}\n`;
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}

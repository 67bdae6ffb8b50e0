// Prints how many files of the product run on the main thread of a service for one search by words and for
// one POST /analyze up to its answer, and which: `node runtime/process/launch.mjs --node test/files-run.ts`.
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '../cli/commands/serve.ts';
import type { Context } from '../cli/context.ts';
import { runningService } from '../cli/service-file.ts';
import { createClient } from '../http/client/client.ts';
import { startEngine } from '../main.ts';
import { systemClock } from '../runtime/clock.ts';
import { resolveConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { settings } from '../settings.ts';
import { until } from './until.ts';

const root = pathToFileURL(join(import.meta.dirname, '../')).href;
const film = join(import.meta.dirname, '../actors/samples/media/beach.mp4');
const home = mkdtempSync(join(tmpdir(), 'framehound-files-run-'));
const stop = new AbortController();
const flags = { home, port: '0', model: 'starter-visual-3', device: 'cpu' };
const config = resolveConfig(settings, { flags, env: {}, file: {} });
const log = createLog('files-run', () => {});
const context = {
  ...{ config, values: config.values, clock: systemClock, log, flushLog: async () => {} },
  screen: { write: () => {}, columns: 100, isTerminal: false },
  signal: stop.signal,
  startEngine: (decoders, host) => startEngine(config.values, decoders, log, host),
} as Partial<Context> as Context;

const serving = serve(['--no-guardian'], context);
const { port, owner } = await until(() => runningService(home), { within: 60_000 });
const client = createClient({ url: `http://127.0.0.1:${port}`, key: owner ?? '' });
const cache_dir = join(home, 'analysis');
const analyse = async (media: string) => {
  const { task_id } = await client.analyze({ cache_dir, visual_media_paths: [media] }, { retries: 20 });
  return task_id;
};
const ended = (task_id: string) =>
  until(async () => (await client.getTask({ task_id })).state === 'completed', { within: 60_000 });
const search = () => client.searchText({ cache_dir, query: 'sea' });

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/**
 * Files of which a function ran: neither modules that were only loaded count, nor the client of this script.
 */
async function filesRun(work: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = result.filter(
    ({ url }) => url.startsWith(root) && !/\/(node_modules|test|http\/client)\//.test(url),
  );
  const ran = own.filter(({ functions }) =>
    functions.some(
      ({ functionName, ranges: [range] }) => range!.count > 0 && (functionName || range!.startOffset),
    ),
  );
  return ran.map(({ url }) => url.slice(root.length)).sort();
}

try {
  await ended(await analyse(film));
  await client.loadAnalysisData({ cache_dir });
  await search();
  let task = '';
  const again = await filesRun(async () => {
    task = await analyse(film);
  });
  await ended(task);
  const rows = { 'one search': await filesRun(search), 'one POST /analyze': again };
  for (const [name, files] of Object.entries(rows))
    console.log(`${name}: ${files.length} files\n  ${files.join('\n  ')}`);
} finally {
  stop.abort();
  await serving;
  rmSync(home, { recursive: true, force: true });
}

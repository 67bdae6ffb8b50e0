// `framehound watch` on watch folders in memory, as an engine of its own or behind a service.
import type { TestContext } from 'node:test';
import type { NewWatchFolder, WatchFolder } from '../../../actors/watcher/folders/contract.ts';
import { newFolder, watch } from '../../../cli/commands/watch.ts';
import type { Context } from '../../../cli/context.ts';
import { type FakeWatchOptions, fakeWatchFolders } from '../../http/fake-watch-folders.ts';
import { answering, fakeEngine, fakeHome } from '../fake-context.ts';

/** No option at all. */
export const noOptions = {
  'no-pictures': false,
  speech: false,
  'exclude-extension': [],
  'exclude-file': [],
  'exclude-folder': [],
  filter: [],
  disabled: false,
} as const;

export function watchFolder(more: Partial<WatchFolder> = {}): WatchFolder {
  return {
    ...newFolder('/media/footage', null, noOptions),
    id: '3f2a81c0d4',
    created_at: 1_700_000_000,
    last_poll_time: 0,
    files_analyzed_count: 0,
    ...more,
    metadata_filter_request: more.metadata_filter_request ?? null,
  };
}

interface World extends FakeWatchOptions {
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Settings as they were typed, and their source. */
  readonly settings?: Partial<Context['values']>;
  readonly source?: Context['config']['sources']['cache_dir'];
}

export function world(t: TestContext, { confirm, settings = {}, source, ...options }: World = {}) {
  const home = fakeHome(t);
  const folders = fakeWatchFolders(options);
  const engine = fakeEngine({ watchFolders: folders });
  const run = async (...args: string[]) => {
    const plain = home.context();
    const values = { ...plain.values, ...settings };
    const sources = { ...plain.config.sources, ...(source && { cache_dir: source }) };
    const config = { ...plain.config, values, sources };
    const context = home.context({
      ask: confirm ? answering(confirm) : null,
      config,
      values,
      startEngine: async () => engine,
    });
    const code = await watch(args, context);
    return { code, ...context.said() };
  };
  const added = () =>
    folders.asked.flatMap(([what, folder]) => (what === 'add' ? [folder as NewWatchFolder] : []));
  return { folders, run, added };
}

// Downloads of models: the tasks of this service that run or wait, how far each is, and what failed. Kept while another
// view is shown.
import { useEffect } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { onProgress, readTasks } from '../../live.ts';
import { createSlice, useStore } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { settings } from '../../words/settings.ts';
import { t } from '../../words.ts';
import type { Download } from './model-rows.ts';

export interface Lacking {
  readonly error: string;
  readonly folder: string;
  /** Those that can be brought by hand. */
  readonly files: readonly { readonly name: string; readonly url: string; readonly sha256: string | null }[];
}

interface Downloads {
  /** In the order in which this page heard of them. */
  readonly active: readonly Download[];
  /** By key of the model. */
  readonly failed: Readonly<Record<string, Lacking>>;
}

export const downloads = createSlice<Downloads>('downloads', { active: [], failed: {} });

export async function startDownload(model_keys: readonly string[]): Promise<void> {
  const { task_id } = await api.pullModels({ model_keys });
  downloads.update(({ active, failed }) => ({
    active: withTask(active, task_id, model_keys),
    failed: Object.fromEntries(Object.entries(failed).filter(([key]) => !model_keys.includes(key))),
  }));
  await readTasks();
}

function withTask(
  active: readonly Download[],
  task_id: string,
  keys: readonly string[],
): readonly Download[] {
  if (active.some((one) => one.task_id === task_id)) return active;
  return [...active, { task_id, keys, key: keys[0] ?? '', phase: 'connecting', received: 0, total: 0 }];
}

export async function cancelDownload(task_id: string): Promise<void> {
  try {
    await api.cancelTask({ task_id });
  } catch (error) {
    toast(messageOf(error), { kind: 'error' });
  }
}

/** Follows all downloads, also those that were begun elsewhere; `ended` is called when one has. */
export function useDownloads(ended: () => void): void {
  const tasks = useStore((state) => state.tasks.map(({ task_id }) => task_id).join());
  useEffect(
    () =>
      onProgress(({ type, task_id, pull_model_key: key, pull_phase, received_bytes, total_bytes }) => {
        if (type !== 'pull' || key === undefined) return;
        const stand = {
          key,
          phase: pull_phase ?? 'receiving',
          received: received_bytes ?? 0,
          total: total_bytes ?? 0,
        } as const;
        downloads.update(({ active }) => ({
          active: withTask(active, task_id, [key]).map((one) =>
            one.task_id === task_id ? { ...one, ...stand } : one,
          ),
        }));
      }),
    [],
  );
  useEffect(() => void look(ended).catch(() => {}), [tasks]);
}

/** By the records: which run or wait, and how those that were followed ended. */
async function look(ended: () => void): Promise<void> {
  const known = downloads.get().active;
  const { tasks } = await api.listTasks();
  const pulls = tasks.filter((task) => task.ended === null && task.request.types.includes('pull'));
  const over = known.filter(({ task_id }) => !pulls.some((one) => one.task_id === task_id));
  const isOver = ({ task_id }: Download) => over.some((one) => one.task_id === task_id);
  downloads.update(({ active: before }) => {
    let active: readonly Download[] = before.filter((one) => !isOver(one));
    // The list has the newest first.
    for (const { task_id, request } of pulls.toReversed())
      active = withTask(active, task_id, request.pull_models ?? []);
    return { active };
  });
  for (const { task_id } of over) await tellEnd(task_id);
  if (over.length > 0) ended();
}

async function tellEnd(task_id: string): Promise<void> {
  const { results } = await api.getTask({ task_id });
  for (const { path, outcome, error, pull } of results) {
    if (outcome === 'failed') {
      const lacking = { error: error?.message ?? '', folder: pull?.folder ?? '', files: pull?.missing ?? [] };
      downloads.update(({ failed }) => ({ failed: { ...failed, [path]: lacking } }));
    } else if (outcome !== 'cancelled') toast(t(settings.downloadDone, { name: path }));
  }
}

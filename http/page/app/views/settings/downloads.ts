// Downloads of models: the task of this service that runs, how far it is, and what failed. Kept while another view is shown.
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
  readonly running: (Download & { readonly keys: readonly string[] }) | null;
  /** By key of the model. */
  readonly failed: Readonly<Record<string, Lacking>>;
}

export const downloads = createSlice<Downloads>('downloads', { running: null, failed: {} });

export async function startDownload(model_keys: readonly string[]): Promise<void> {
  const { task_id } = await api.pullModels({ model_keys });
  downloads.update(({ failed }) => ({
    running: begun(task_id, model_keys),
    failed: Object.fromEntries(Object.entries(failed).filter(([key]) => !model_keys.includes(key))),
  }));
  await readTasks();
}

function begun(task_id: string, keys: readonly string[]): Downloads['running'] {
  return { task_id, keys, key: keys[0] ?? '', phase: 'connecting', received: 0, total: 0 };
}

export async function cancelDownload(): Promise<void> {
  const { running } = downloads.get();
  if (running === null) return;
  try {
    await api.cancelTask({ task_id: running.task_id });
  } catch (error) {
    toast(messageOf(error), { kind: 'error' });
  }
}

/** Follows a download, also one that was begun elsewhere; `ended` is called when it has. */
export function useDownloads(ended: () => void): void {
  const tasks = useStore((state) => state.tasks.map(({ task_id }) => task_id).join());
  useEffect(
    () =>
      onProgress(({ type, task_id, pull_model_key, pull_phase, received_bytes, total_bytes }) => {
        if (type !== 'pull' || pull_model_key === undefined) return;
        downloads.update(({ running }) => ({
          running: {
            ...(running?.task_id === task_id ? running : begun(task_id, [pull_model_key])!),
            key: pull_model_key,
            phase: pull_phase ?? 'receiving',
            received: received_bytes ?? 0,
            total: total_bytes ?? 0,
          },
        }));
      }),
    [],
  );
  useEffect(() => void look(ended), [tasks]);
}

/** By the records: whether one runs, and how the one that was followed ended. */
async function look(ended: () => void): Promise<void> {
  const { tasks } = await api.listTasks().catch(() => ({ tasks: null }));
  if (tasks === null) return;
  const active = tasks.find(
    ({ state, request }) => (state === 'running' || state === 'stopping') && request.types.includes('pull'),
  );
  const { running } = downloads.get();
  if (active) {
    if (running?.task_id !== active.task_id)
      downloads.update({ running: begun(active.task_id, active.request.pull_models ?? []) });
    return;
  }
  if (running === null) return;
  downloads.update({ running: null });
  const { results } = await api.getTask({ task_id: running.task_id });
  for (const { path, outcome, error, pull } of results) {
    if (outcome === 'failed') {
      const lacking = { error: error?.message ?? '', folder: pull?.folder ?? '', files: pull?.missing ?? [] };
      downloads.update(({ failed }) => ({ failed: { ...failed, [path]: lacking } }));
    } else if (outcome !== 'cancelled') toast(t(settings.downloadDone, { name: path }));
  }
  ended();
}

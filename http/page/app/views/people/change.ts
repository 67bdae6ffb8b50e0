// What is changed of people: each change says what it did, and can be taken back.
import { api } from '../../api.ts';
import { attempt } from '../../attempt.ts';
import { get } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';
import { changed, slice } from './state.ts';

const inJob = (cluster_job_name: string) => ({ cache_dir: get().folder.cache_dir!, cluster_job_name });

/** An empty name takes it away. */
export async function nameCluster(
  job: string,
  cluster_id: string,
  name: string,
  before: string,
): Promise<boolean> {
  const give = async (text: string) => {
    await api.nameClusters({ ...inJob(job), assignments: [{ cluster_id, name: text }] });
    changed();
  };
  const worked = await attempt(() => give(name));
  if (!worked) return false;
  const run = () => void attempt(() => give(before));
  toast(name === '' ? t(people.nameGone) : t(people.named, { name }), {
    action: { label: t(people.undo), run },
  });
  return true;
}

interface Corrections {
  readonly merges?: { cluster_ids: string[]; target_cluster_id?: string }[];
  readonly moves?: { from_cluster_id: string; to_cluster_id: string | null; entry_ids: string[] }[];
  readonly apart?: { cluster_ids: string[] }[];
}

/** The service takes only its latest correction back. */
let latest = 0;

export async function correct(job: string, corrections: Corrections, told: string): Promise<boolean> {
  const worked = await attempt(() => api.modifyClusters({ ...inJob(job), ...corrections }));
  if (!worked) return false;
  const own = ++latest;
  slice.update({ chosen: [] });
  changed();
  const run = () => {
    if (own === latest) void undo(job);
    else toast(t(people.tooLate));
  };
  toast(told, { action: { label: t(people.undo), run } });
  return true;
}

export async function undo(job: string): Promise<void> {
  await attempt(async () => {
    await api.undoClusters(inJob(job));
    latest++;
    toast(t(people.undone));
  });
  changed();
}

export function merge(job: string, cluster_ids: readonly string[], target?: string): Promise<boolean> {
  const told = t(people.merged, { n: cluster_ids.length });
  const one = { cluster_ids: [...cluster_ids], ...(target !== undefined && { target_cluster_id: target }) };
  return correct(job, { merges: [one] }, told);
}

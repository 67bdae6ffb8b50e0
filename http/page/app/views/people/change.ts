// Changes of people: each reports its effect and can be undone.
import { api, messageOf, useAsk } from '../../api.ts';
import type { RouteTo } from '../../route.ts';
import { createSlice, get, useStore } from '../../store.ts';
import { attempt, copyText, toast } from '../../toasts.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';

const inJob = (cluster_job_name: string) => ({ cache_dir: get().folder.cache_dir!, cluster_job_name });

/** An empty name takes it away. */
export function nameCluster(job: string, cluster_id: string, name: string, before: string): Promise<boolean> {
  // It is taken back where it was said, also when another folder is looked at by then.
  const where = inJob(job);
  return nameBy(name, before, async (text) => {
    await api.nameClusters({ ...where, assignments: [{ cluster_id, name: text }] });
    changed();
  });
}

/** Gives a name, and says how that went: also one that could not be given, because its field may be gone. */
export async function nameBy(
  name: string,
  before: string,
  give: (name: string) => Promise<void>,
): Promise<boolean> {
  try {
    await give(name);
  } catch (error) {
    const why = messageOf(error);
    const copy = { label: t(people.copyName), run: () => void copyText(name) };
    const text = name === '' ? why : t(people.notNamed, { name, why });
    toast(text, { kind: 'error', ...(name !== '' && { action: copy }) });
    return false;
  }
  const run = () => void attempt(() => give(before));
  const text = name === '' ? t(people.nameGone) : t(people.named, { name });
  toast(text, { action: { label: t(people.undo), run } });
  return true;
}

interface Corrections {
  readonly merges?: { cluster_ids: string[]; target_cluster_id?: string }[];
  readonly moves?: { from_cluster_id: string | null; to_cluster_id: string | null; entry_ids: string[] }[];
  readonly apart?: { cluster_ids: string[] }[];
}

/** Counts corrections: the service takes only its latest one back. */
const latest = { faces: 0, voices: 0 };
type Kind = keyof typeof latest;

/** Says what was corrected, and takes it back when a person wants that and nothing was corrected after it. */
function corrected(kind: Kind, text: string, takeBack: () => Promise<unknown>): void {
  const sequence = ++latest[kind];
  changed();
  const run = () => {
    if (sequence === latest[kind]) void takenBack(kind, takeBack);
    else toast(t(people.tooLate));
  };
  toast(text, { action: { label: t(people.undo), run } });
}

async function takenBack(kind: Kind, takeBack: () => Promise<unknown>): Promise<void> {
  await attempt(async () => {
    await takeBack();
    latest[kind]++;
    toast(t(people.undone));
  });
  changed();
}

export function correct(job: string, corrections: Corrections, text: string): Promise<boolean> {
  const where = inJob(job);
  return correctBy(job, text, async () => void (await api.modifyClusters({ ...where, ...corrections })));
}

async function correctBy(job: string, text: string, work: () => Promise<void>): Promise<boolean> {
  const where = inJob(job);
  if (!(await attempt(work))) return false;
  slice.update({ chosen: [] });
  corrected('faces', text, () => api.undoClusters(where));
  return true;
}

interface FaceMove {
  /** Null: the faces are in no group. */
  readonly from_cluster_id: string | null;
  /** Null: a new group, which gets the name. */
  readonly to_cluster_id: string | null;
  readonly entry_ids: string[];
  /** Empty: none. */
  readonly name: string;
}

export function moveFaces(job: string, { name, ...move }: FaceMove): Promise<boolean> {
  const where = inJob(job);
  return correctBy(job, t(people.moved, { n: move.entry_ids.length }), async () => {
    const { moves } = await api.modifyClusters({ ...where, moves: [move] });
    const cluster_id = moves[0]?.to;
    if (move.to_cluster_id !== null || name === '' || cluster_id === undefined) return;
    await api.nameClusters({ ...where, assignments: [{ cluster_id, name }] });
  });
}

export const undo = (job: string) => takenBack('faces', () => api.undoClusters(inJob(job)));

type Said = Omit<Parameters<typeof api.confirmSpeakers>[0], 'cache_dir'>;

/** Stores a person's statement about voices. */
export async function say(said: Said, text: string): Promise<boolean> {
  const cache_dir = get().folder.cache_dir!;
  if (!(await attempt(() => api.confirmSpeakers({ cache_dir, ...said })))) return false;
  corrected('voices', text, () => api.undoSpeakers({ cache_dir }));
  return true;
}

export const undoVoices = () =>
  takenBack('voices', () => api.undoSpeakers({ cache_dir: get().folder.cache_dir! }));

export function merge(job: string, cluster_ids: readonly string[], target?: string): Promise<boolean> {
  const text = t(people.merged, { n: cluster_ids.length });
  const mergeRequest = {
    cluster_ids: [...cluster_ids],
    ...(target !== undefined && { target_cluster_id: target }),
  };
  return correct(job, { merges: [mergeRequest] }, text);
}

// State of the view of people, and its requests.

/** Similar faces that make a group of a new clustering: the service's own default is for larger libraries. */
export const FEWEST = 2;

export type ClusteringJob = Awaited<ReturnType<typeof api.faceClusters>>['jobs'][number];
type Samples = Extract<
  Awaited<ReturnType<typeof api.clusterSamples>>,
  { readonly clusters: readonly unknown[] }
>;
export type SampledCluster = Samples['clusters'][number];

interface PeopleState {
  /** Name of the clustering; null for the first one. */
  readonly job: string | null;
  readonly chosen: readonly string[];
  /** Changes made here: what is shown is asked for again. */
  readonly changes: number;
  /** The task that clusters again. */
  readonly task_id: string | null;
  readonly isWriting: boolean;
}

export const slice = createSlice<PeopleState>('people', {
  job: null,
  chosen: [],
  changes: 0,
  task_id: null,
  isWriting: false,
});

export function changed(): void {
  slice.update(({ changes }) => ({ changes: changes + 1 }));
}

export const useCacheDir = () => useStore(({ folder }) => folder.cache_dir);

/** One of them, in the address. */
export const placeOfCluster = (job: string, cluster_id: string): RouteTo => ({
  view: 'people',
  argument: `face/${cluster_id}`,
  params: new URLSearchParams({ job }).toString(),
});

/** The faces in no group. */
export const looseArgument = 'loose';
export const placeOfLoose = (job: string): RouteTo => ({
  view: 'people',
  argument: looseArgument,
  params: new URLSearchParams({ job }).toString(),
});

/** The clusterings, and the one that is looked at. */
export function useJobs() {
  const cache_dir = useCacheDir();
  const { job: chosen, changes } = slice.use((state) => state);
  const name = useStore(({ route }) => new URLSearchParams(route.params).get('job')) ?? chosen;
  const answer = useAsk(cache_dir === null ? null : (signal) => api.faceClusters({ cache_dir }, { signal }), [
    cache_dir,
    changes,
  ]);
  const jobs = answer.value?.jobs ?? [];
  return { ...answer, jobs, job: jobs.find((candidate) => candidate.name === name) ?? jobs[0] ?? null };
}

/** The largest clusters with their best faces; no faces at all: none. */
export function useClusters(job: ClusteringJob, most: number, faces: number) {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  return useAsk(
    cache_dir === null
      ? null
      : async (signal) => {
          const request = {
            cache_dir,
            cluster_job_name: job.name,
            max_clusters: most,
            limit_per_cluster: faces,
          };
          const answer = await api.clusterSamples(request, { signal });
          return 'clusters' in answer ? answer : null;
        },
    [cache_dir, job.name, changes, most],
  );
}

// Which clusters are chosen, how they are called, and what a merge of them needs to be told.

interface Named {
  readonly cluster_id: string;
  readonly name: string;
  readonly size: number;
}

export function toggled(chosen: readonly string[], id: string): string[] {
  return chosen.includes(id) ? chosen.filter((entry) => entry !== id) : [...chosen, id];
}

/** Chosen clusters that still exist. */
export function present<T extends Named>(chosen: readonly string[], clusters: readonly T[]): T[] {
  return chosen.flatMap((id) => clusters.find(({ cluster_id }) => cluster_id === id) ?? []);
}

/**
 * Each name once, with the largest cluster that has it: more than one, and a person has to say which stays.
 */
export function namesAmong<T extends Named>(clusters: readonly T[]): T[] {
  const largest = new Map<string, T>();
  for (const cluster of clusters) {
    const before = largest.get(cluster.name);
    if (cluster.name !== '' && (before === undefined || before.size < cluster.size))
      largest.set(cluster.name, cluster);
  }
  return [...largest.values()];
}

/** The cluster that stays: the one with a name, else the largest. */
export function targetOf(clusters: readonly Named[]): string | undefined {
  const [named] = namesAmong(clusters);
  return named?.cluster_id ?? clusters.toSorted((a, b) => b.size - a.size)[0]?.cluster_id;
}

/** Formats 0 to 1 as a whole percentage that is 100 only if it is exact. */
export function percent(likeness: number): number {
  const whole = Math.round(likeness * 100);
  return whole === 100 && likeness < 1 ? 99 : Math.max(0, Math.min(100, whole));
}

// The speakers of a transcription: what they are called, how long they speak, and a part to listen to.

type Segment = readonly [start: number, text: string, end: number, path: string];

export interface FileSpeaker {
  readonly hash_str: string;
  readonly media_path: string;
  readonly speaker: string;
  readonly name: string;
  /** The file may have more or fewer speakers. */
  readonly isUncertain: boolean;
  /** How many there may be, where that is known. */
  readonly range: SpokenRange | null;
  readonly seconds: number;
  readonly sample: { readonly start_seconds: number; readonly end_seconds: number };
}

interface SpokenRange {
  readonly least: number;
  readonly most: number;
}

interface Spoken {
  readonly hash_str: string;
  readonly segments: readonly Segment[];
  readonly speakers_uncertain?: boolean | undefined;
  readonly speaker_range?: SpokenRange | undefined;
  readonly speakers: Readonly<
    Record<
      string,
      { readonly segment_indices: readonly number[]; readonly display_name?: string | undefined }
    >
  >;
}

/** Enough to know a voice by. */
const SAMPLE_SECONDS = 10;

export function speakersOf(media_path: string, spoken: Spoken): FileSpeaker[] {
  const { hash_str, segments, speakers, speakers_uncertain: isUncertain = false } = spoken;
  const range = spoken.speaker_range ?? null;
  return Object.entries(speakers)
    .flatMap(([speaker, { segment_indices, display_name: name = '' }]): FileSpeaker[] => {
      const spokenSegments = segment_indices
        .map((at) => segments[at])
        .filter((segment) => segment !== undefined);
      const spans = spokenSegments
        .map(([start, , end]) => ({ start, end }))
        .sort((a, b) => b.end - b.start - (a.end - a.start));
      const [longest] = spans;
      if (!longest) return [];
      const end_seconds = Math.min(longest.end, longest.start + SAMPLE_SECONDS);
      const sample = { start_seconds: longest.start, end_seconds };
      const seconds = spans.reduce((sum, { start, end }) => sum + end - start, 0);
      return [{ hash_str, media_path, speaker, name, isUncertain, range, seconds, sample }];
    })
    .sort((a, b) => b.seconds - a.seconds);
}

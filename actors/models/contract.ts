// A model is one row of the registry, which is also the form of a user's model.json. Schemas, types and
// errors only.
import { type Static, Type } from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import { type EngineError, errorTable } from '../../runtime/errors.ts';
import { field } from '../../runtime/schema.ts';
import { PictureShape } from '../decoder/contract.ts';
import { type DeviceChoice, deviceText } from './device.ts';
import { FaceDetectorSide, FaceEmbedderSide } from './face-sides.ts';
import { ModelFile } from './model-file.ts';

export const modelErrors = errorTable({
  MODEL_UNKNOWN: { meaning: 'Model not found', status: 400 },
  MODEL_NOT_DOWNLOADED: { meaning: 'The model is not downloaded', status: 400 },
  MODEL_WRONG_KIND: { meaning: 'The model is of another kind', status: 400 },
  MODEL_UNSUPPORTED: { meaning: 'The model cannot run on this machine', status: 400 },
  MODEL_NOT_LOADED: { meaning: 'The model is not loaded', status: 409, retryable: true },
  MODEL_INVALID: { meaning: 'The model.json of a model folder is not valid', status: 400 },
  MODEL_REFUSED: { meaning: 'The model failed its self-test', status: 500 },
  MODEL_LOAD_FAILED: { meaning: 'The model cannot be loaded', status: 500 },
  MODEL_RUN_FAILED: { meaning: 'The model failed while running', status: 500 },
  MODEL_BUILT_IN: { meaning: 'The model is part of the program', status: 400 },
  MODEL_IN_DOWNLOAD: {
    meaning: 'Another process is already downloading the model',
    status: 409,
    retryable: true,
  },
  DOWNLOAD_FAILED: { meaning: 'The file could not be downloaded', status: 502, retryable: true },
  DOWNLOAD_REFUSED: { meaning: 'The server refused to send the file', status: 502 },
  DOWNLOAD_MISMATCH: { meaning: 'The downloaded file does not match its known checksum', status: 502 },
  DOWNLOAD_UNVERIFIED: { meaning: 'The downloaded file cannot be verified', status: 502 },
  CONVERSION_FAILED: { meaning: 'The files of a package cannot be converted', status: 400 },
  MODELS_FOLDER_FULL: { meaning: 'The disk of the models folder is full', status: 507 },
  MODELS_FOLDER_READ_ONLY: { meaning: 'The models folder cannot be written', status: 507 },
});

/** Work on media for which nothing is downloaded. */
export const noModelErrors = errorTable({
  NO_FACE_MODEL: { meaning: 'No face models are downloaded', status: 400 },
  NO_TEXT_MODEL: { meaning: 'No model for text in pictures is downloaded', status: 400 },
  NO_OBJECT_DETECTOR: { meaning: 'No object detector is downloaded', status: 400 },
  NO_SPEECH_MODEL: { meaning: 'No speech model is downloaded, and the file has no subtitles', status: 400 },
  NO_SOUND_MODEL: { meaning: 'No model for music and singing is downloaded', status: 400 },
});

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const Triple = Type.Tuple([Type.Number(), Type.Number(), Type.Number()]);

export const TextSide = Type.Object({
  /** Tokens the graph takes; longer texts are cut, the end token is kept. */
  max_length: Type.Integer({ minimum: 2 }),
  /** Fills up to `max_length`. A wrong one gives wrong vectors without any error. */
  pad_id: Type.Integer({ minimum: 0 }),
  /** Last token of every text. */
  end_id: Type.Integer({ minimum: 0 }),
  /** True when the caller has to lower-case, because the tokenizer does not. */
  lower_case: Type.Boolean(),
});
export type TextSide = Static<typeof TextSide>;

/** Bytes of the largest picture that a visual model may take, 512×512 RGB: the size of a slot. */
export const mostPictureBytes = 512 * 512 * 3;

export const VisualSide = Type.Object({
  shape: PictureShape,
  /** For values 0 to 1, in the order R, G, B. */
  mean: Triple,
  std: Triple,
  /** Length of a vector. */
  dimensions: Type.Integer({ minimum: 1 }),
  /** Pictures in one run. 1 for graphs whose result depends on the other pictures of the batch. */
  batch: Type.Integer({ minimum: 1, maximum: 256 }),
  /** Null for models that read words without a tokenizer. */
  text: Nullable(TextSide),
  /** How a cosine becomes a probability; null where only the order is meant. */
  score: Nullable(
    Type.Object({
      /** `sigmoid`: of scale·cos + bias. `softmax`: over labels of scale·cos. */
      kind: Type.Union([Type.Literal('sigmoid'), Type.Literal('softmax')]),
      scale: Type.Number(),
      bias: Type.Number(),
    }),
  ),
  thresholds: Type.Object({
    /** Cosine of text and picture below which nothing counts as a match. */
    text: Type.Number({ minimum: -1, maximum: 1 }),
    /** Cosine of two pictures from which they show the same. */
    picture: Type.Number({ minimum: -1, maximum: 1 }),
  }),
});
export type VisualSide = Static<typeof VisualSide>;

const TokenId = Type.Integer({ minimum: 0 });

export const SpeechSide = Type.Object({
  /** Rows of the mel features that the program computes; null where a graph of the model computes them. */
  mel_bins: Nullable(Type.Integer({ minimum: 1, maximum: 256 })),
  /** Windows in one run. 1 for graphs that take one, or whose result depends on the batch. */
  batch: Type.Integer({ minimum: 1, maximum: 64 }),
  /** Longer windows are never given to it. */
  max_window_seconds: Type.Number({ exclusiveMinimum: 0, maximum: 1200 }),
  /** A window has at most `min + per_second · seconds` tokens, and at most `max`. */
  token_limit: Type.Object({
    min: Type.Integer({ minimum: 1 }),
    per_second: Type.Number({ minimum: 0 }),
    max: Type.Integer({ minimum: 1 }),
  }),
  /** Numbers of tokens by name, where no file of the model has them: `audio_start`, `blank`, … */
  token_ids: Type.Record(Type.String({ pattern: '^[a-z_]+$' }), TokenId),
  /** Each of them ends the text. */
  end_ids: Type.Array(TokenId),
  /** Times in the model's output. `none`: the family spreads the text over the speech. */
  times: Type.Union([Type.Literal('none'), Type.Literal('segments'), Type.Literal('tokens')]),
});
export type SpeechSide = Static<typeof SpeechSide>;

export const SpeakerSide = Type.Object({
  /** Window and scale of the fbank features, 80 bands every 10 ms: those of WeSpeaker or of CAM++. */
  features: Type.Union([Type.Literal('wespeaker'), Type.Literal('campplus')]),
  /** True if every band loses its mean over the piece before the model sees it. */
  mean_removed: Type.Boolean(),
  /** Length of a vector. */
  dimensions: Type.Integer({ minimum: 1 }),
  /** Names in the graph: features f32 [pieces, frames, 80] and vectors f32 [pieces, dimensions]. */
  input: Type.String({ minLength: 1 }),
  output: Type.String({ minLength: 1 }),
  /** Pieces of one length in one run. */
  batch: Type.Integer({ minimum: 1, maximum: 256 }),
  /** How groups of pieces become one voice; left out where the program has a better way. */
  clustering: Type.Optional(
    Type.Object({
      /** average: mean cosine of all pairs. centroid: cosine of the two sums. */
      linkage: Type.Union([Type.Literal('average'), Type.Literal('centroid')]),
      /** From this similarity on. */
      similarity: Type.Number({ minimum: -1, maximum: 1 }),
    }),
  ),
  /** How the file with the role `plda` is used; it was fitted on other voices. Goes before `clustering`. */
  evidence: Type.Optional(
    Type.Object({
      /** How much of a piece is news when there is one every half second, from 0 to 1. */
      news: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
      /**
       * Two groups of pieces are one voice from this on: the logarithm of likelihoods + `average` · mean
       * cosine of all pairs + `centroid` · cosine of the two sums. Left out, both are 0.
       */
      similarity: Type.Number(),
      average: Type.Optional(Type.Number()),
      centroid: Type.Optional(Type.Number()),
      /** w new pieces of a voice count as tanh(saturation · w) / saturation. */
      saturation: Type.Number({ minimum: 0 }),
    }),
  ),
  thresholds: Type.Object({
    /** Cosine of two pieces of 3 seconds from which they are one voice: as many errors either way. */
    same: Type.Number({ minimum: -1, maximum: 1 }),
    /** The same, of two pieces of 1.5 seconds. */
    same_short: Type.Number({ minimum: -1, maximum: 1 }),
    /**
     * Mean cosine of two groups of pieces of 1.5 seconds from which they are one voice, where a segmentation
     * model says in which pieces one voice speaks alone; .5 when left out.
     */
    pieces: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
    /** Cosine of speakers of two files from which a person is asked; .75 when left out. */
    voices: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
  }),
});
export type SpeakerSide = Static<typeof SpeakerSide>;

/** A language model that looks at pictures; `frame_resolution` of its row says how large it gets them. */
export const SummarySide = Type.Object({
  /** Tokens of a prompt and its answer at most, pictures included. */
  context: Type.Integer({ minimum: 1024, maximum: 131_072 }),
  /** Tokens of an answer at most. What runs on is stopped there. */
  answer: Type.Integer({ minimum: 64, maximum: 4096 }),
  /** Pictures of one prompt at most. */
  pictures: Type.Integer({ minimum: 0, maximum: 32 }),
  /** Bytes of keys and values that the decoder keeps for a token: layers · heads · size of a head · 2 · 4. */
  cache_bytes: Type.Integer({ minimum: 1 }),
});
export type SummarySide = Static<typeof SummarySide>;

export const OperatingSystem = Type.Union([
  Type.Literal('mac-arm'),
  Type.Literal('mac-x86'),
  Type.Literal('windows'),
  Type.Literal('linux'),
]);
export type OperatingSystem = Static<typeof OperatingSystem>;

export const ModelRow = Type.Object({
  key: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }),
  kind: Type.Union([
    Type.Literal('visual'),
    Type.Literal('speech'),
    /** Where somebody speaks. */
    Type.Literal('voice'),
    /** Which of a few voices speaks in a short window. */
    Type.Literal('turns'),
    /** A vector of a voice. */
    Type.Literal('speaker'),
    /** Where faces are. */
    Type.Literal('face-detector'),
    /** A vector of a face. */
    Type.Literal('face-embedder'),
    /** Writes about pictures and words. */
    Type.Literal('summary'),
    /** Where things are, and which. */
    Type.Literal('object-detection'),
    /** Where printed words are, and what they say. */
    Type.Literal('text-recognition'),
    /** Where music and singing are heard. */
    Type.Literal('sound-detection'),
  ]),
  /** Which code runs it: starter, siglip, clip, … */
  family: Type.String({ minLength: 1 }),
  title: Type.String({ minLength: 1 }),
  license: Type.String({ minLength: 1 }),
  /** BCP 47 codes of texts it understands; `*` for very many. */
  languages: Type.Array(Type.String({ minLength: 1 })),
  is_multilingual: Type.Boolean(),
  /** 1 slow to 5 fast. */
  speed: Type.Integer({ minimum: 1, maximum: 5 }),
  /** 1 rough to 5 best. */
  accuracy: Type.Integer({ minimum: 1, maximum: 5 }),
  /** False for a row whose answers were never measured here: a measured one is advised before it. */
  is_measured: Type.Optional(Type.Boolean()),
  /** Side of the picture the model takes, px; 0 for models that take none, or any size. */
  frame_resolution: Type.Integer({ minimum: 0 }),
  size_gb: Type.Number({ minimum: 0 }),
  compatible_os: Type.Array(OperatingSystem, { minItems: 1 }),
  /** Empty for a model that is part of the program. */
  files: Type.Array(ModelFile),
  /** There for every row of kind `visual`. */
  visual: Type.Optional(VisualSide),
  /** There for every row of kind `speech`. */
  speech: Type.Optional(SpeechSide),
  /** There for every row of kind `speaker`. */
  speaker: Type.Optional(SpeakerSide),
  /** There for every row of kind `face-detector`. */
  detector: Type.Optional(FaceDetectorSide),
  /** There for every row of kind `face-embedder`. */
  embedder: Type.Optional(FaceEmbedderSide),
  /** There for every row of kind `summary`. */
  summary: Type.Optional(SummarySide),
});
export type ModelRow = Static<typeof ModelRow>;

/** Work on media that cannot be done without a download. */
export type ModelWork = 'faces' | 'text' | 'things' | 'sounds';

/** A row whose visual side is known to be there. */
export type VisualRow = ModelRow & { readonly visual: VisualSide };

/** A row whose speech side is known to be there. */
export type SpeechRow = ModelRow & { readonly speech: SpeechSide };

/** A row whose speaker side is known to be there. */
export type SpeakerRow = ModelRow & { readonly speaker: SpeakerSide };

/** A row whose detector side is known to be there. */
export type FaceDetectorRow = ModelRow & { readonly detector: FaceDetectorSide };

/** A row whose embedder side is known to be there. */
export type FaceEmbedderRow = ModelRow & { readonly embedder: FaceEmbedderSide };

/** A row whose summary side is known to be there. */
export type SummaryRow = ModelRow & { readonly summary: SummarySide };

export interface RegistryProblem {
  /** Path of a model.json, or of a damaged file of a model. */
  readonly file: string;
  /** Path of the field, as in `/files/0/sha256`; empty when the whole file is meant. */
  readonly field: string;
  readonly message: string;
}

/** Result of questions with known answers. */
export const ModelTest = Type.Object({
  /** Null where there is no question for it; `reason` says why. */
  passed: Nullable(Type.Boolean()),
  /** Answers that are right, and how many there are; null where nothing could be asked. */
  right: Nullable(Type.Integer({ minimum: 0 })),
  of: Nullable(Type.Integer({ minimum: 1 })),
  /** Counted unit: `first answers right`. */
  counted: Type.String(),
  /** Mean time of `each`; null where nothing was timed. */
  milliseconds: Nullable(Type.Number({ minimum: 0 })),
  each: Type.String(),
  /** cpu, cuda, webgpu, dml, coreml; null before a model is opened. */
  device: Nullable(Type.String()),
  /** Why it failed, or was not tested; null otherwise. */
  reason: Nullable(Type.String()),
});
export type ModelTest = Static<typeof ModelTest>;

/** Text for people: `18 of 20 first answers right, 41 ms a picture on the processor`. */
export function testText({ right, of, counted, milliseconds, each, device, reason }: ModelTest): string {
  const figure = right === null || of === null ? [] : [`${right} of ${of} ${counted}`];
  const ms =
    milliseconds === null
      ? ''
      : `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  const time =
    milliseconds === null ? [] : [`${ms} ${each}${device === null ? '' : ` on ${deviceText(device)}`}`];
  return [...figure, ...time, ...(reason === null ? [] : [reason])].join(', ');
}

/** Names the command that tests again. */
export function refusalOf(key: string, test: ModelTest): EngineError {
  const command = `framehound models check ${key}`;
  return modelErrors.MODEL_REFUSED(
    `The model "${key}" is not used, because it failed its self-test (${testText(test)}); to test it again: ` +
      command,
    { key, command },
  );
}

/** Request to the process of a self-test. */
export interface SelfTestOrder {
  readonly model: Pick<ModelRow, 'key' | 'kind' | 'languages'>;
  /** A folder that has the model and what it works with, and no other one. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
}

/** `failure`: what the model failed with. `untested`: why it could not be asked. */
export type SelfTestAnswer =
  | { readonly test: ModelTest }
  | { readonly failure: string }
  | { readonly untested: string };

export interface ListedModel {
  readonly row: ModelRow;
  readonly builtIn: boolean;
  /** True when this system can run it. */
  readonly supported: boolean;
  /** Its weights, and what is computed with them, fit into the share of memory that models have. */
  readonly fits: boolean;
  /** The one to download for its kind of work, by what this machine has. */
  readonly advised: boolean;
  readonly downloaded: boolean;
  /** The last self-test of these files; left out where there is none. */
  readonly test?: ModelTest | undefined;
  /** Names of the files that are not there. */
  readonly missing: readonly string[];
  readonly folder: string;
}

export interface ModelList {
  readonly models: readonly ListedModel[];
  /** Folders of the user that are left out, and damaged files, each with what is wrong. */
  readonly problems: readonly RegistryProblem[];
}

export interface PullProgress {
  /** `checking`: what lies there already is read. `waiting`: until the next try, because of `reason`. */
  readonly phase: 'checking' | 'connecting' | 'receiving' | 'waiting';
  /** Why the try before failed; null in the other phases. */
  readonly reason: string | null;
  readonly file: string;
  /** Host the file comes from, or the package; null when it comes with the folder. */
  readonly server: string | null;
  /** Position of the file, from 0, and how many there are. */
  readonly index: number;
  readonly count: number;
  readonly received: number;
  readonly total: number | null;
}

export interface PullFailure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

/** How far a download of several models is. */
export interface PullStand extends Pick<PullProgress, 'phase' | 'reason' | 'file' | 'server'> {
  /** The model that is downloaded now. */
  readonly key: string;
  /** Bytes of all models. */
  readonly received: number;
  readonly total: number;
}

export interface PullOptions {
  /** Address that relative urls start from; that of the library when left out. */
  readonly baseUrl?: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly progress?: (progress: PullProgress) => void;
  readonly stallMs?: number;
  readonly tries?: number;
  /** The environment that npm runs in; that of this process when left out. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface Downloaded {
  readonly size: number;
  readonly sha256: string;
  /** Source of the checksum. */
  readonly verified: 'pin' | 'server' | 'pin and server';
}

export interface PulledFile extends Downloaded {
  readonly name: string;
  readonly path: string;
  /** False when the right file was there already. */
  readonly fetched: boolean;
}

export interface PulledModel {
  readonly key: string;
  readonly folder: string;
  /** Its license, and what is known of the data it was trained on. */
  readonly license: string;
  readonly files: readonly PulledFile[];
  /** Left out where nothing tests models. */
  readonly test?: ModelTest | undefined;
  /** It failed its test and is not used, as a model of the program. */
  readonly refused?: boolean;
  /** A model that was there before and could not be tested without this one. */
  readonly partner?:
    | { readonly key: string; readonly test: ModelTest; readonly refused: boolean }
    | undefined;
}

export type ModelFileState = 'ok' | 'missing' | 'wrong size' | 'wrong sha256' | 'nothing to compare with';

export interface VerifiedFile {
  readonly name: string;
  readonly state: ModelFileState;
  /** Size on the disk; null when the file is missing. */
  readonly size: number | null;
  readonly sha256: string | null;
  readonly expectedSha256: string | null;
}

export interface VerifiedModel {
  readonly key: string;
  /** Every file is there, and as it should be where that is known. */
  readonly ok: boolean;
  readonly files: readonly VerifiedFile[];
}

/** Missing files of a model, for a person who brings them from another machine. */
export interface MissingFiles {
  /** Where they have to lie, under their names. */
  readonly folder: string;
  readonly files: readonly MissingFile[];
}

export interface MissingFile {
  readonly name: string;
  /** Null for the tarball of a package. */
  readonly url: string | null;
  /** The package as `npm pack` takes it; null for a file with a url. */
  readonly npm: string | null;
  /** Pins; null where none is known. */
  readonly size: number | null;
  readonly sha256: string | null;
  /** Checksum of a tarball in npm's notation: `sha512-…`. */
  readonly integrity: string | null;
}

export interface RemovedModel {
  readonly key: string;
  readonly removed: readonly string[];
  /** Files that come with the folder: they are the user's own. */
  readonly ownFiles: readonly string[];
}

/** `refused`: it is not used from now on. */
export type OnTested = (key: string, test: ModelTest, refused: boolean) => void;

export interface AddedModel {
  readonly key: string;
  /** Where it lies now. */
  readonly folder: string;
  readonly test: ModelTest;
}

/** The models of a machine: rows of the registry and files of a folder, read for every question. */
export interface ModelLibrary {
  readonly system: OperatingSystem;
  list(): Promise<ModelList>;
  /**
   * Fetches what is missing of a model. Throws MODEL_UNKNOWN, MODEL_BUILT_IN, what a download throws, and
   * MODEL_IN_DOWNLOAD while another process, or another call, downloads the same one.
   */
  pull(key: string, options: PullOptions): Promise<PulledModel>;
  /** The files a pull would fetch from `baseUrl`. Throws MODEL_UNKNOWN. */
  missing(key: string, baseUrl?: string): Promise<MissingFiles>;
  /**
   * Asks a model questions with known answers, in a process of its own, and keeps what came of it. Throws
   * MODEL_UNKNOWN, MODEL_NOT_DOWNLOADED, and MODEL_UNSUPPORTED where nothing tests models.
   */
  test(key: string, options: Pick<PullOptions, 'signal' | 'clock'>): Promise<ModelTest>;
  /**
   * Tests the downloaded models of the program that were not tested with this device, runtime and driver, one
   * after the other; `again`: only those that were tested with others. Rejects only with CANCELLED.
   */
  testChanged(
    options: Pick<PullOptions, 'signal' | 'clock'> & { readonly again?: boolean },
    tested: OnTested,
  ): Promise<void>;
  /** A row to start a model.json from, without addresses and sums. Throws MODEL_UNKNOWN, MODEL_BUILT_IN. */
  describe(key: string): Promise<ModelRow>;
  /**
   * Checks the fields and files of a folder with a model.json, runs the model, and copies the folder to the
   * others unless it is there. Throws MODEL_INVALID naming file and field, MODEL_NOT_DOWNLOADED naming files,
   * and MODEL_LOAD_FAILED for a model that does not run.
   */
  add(folder: string, options: Pick<PullOptions, 'signal' | 'clock'>): Promise<AddedModel>;
  /** Reads every file of a model and compares it with its sum. Throws MODEL_UNKNOWN. */
  verify(key: string, signal: AbortSignal): Promise<VerifiedModel>;
  /**
   * Removes what can be pulled again and what an unfinished pull left. Throws MODEL_UNKNOWN, MODEL_BUILT_IN,
   * MODEL_IN_DOWNLOAD.
   */
  remove(key: string): Promise<RemovedModel>;
}

/** State of a model as the service reports it. */
export const ModelState = Type.Object({
  /** The model really in use; null while loading or when nothing could be loaded. */
  model_key: field('Key of the model; null if there is none.', Type.Union([Type.String(), Type.Null()])),
  is_loading: field('Whether a model is being loaded.', Type.Boolean()),
  requested_model_key: field('The model that was last requested.', Type.Union([Type.String(), Type.Null()])),
  load_status: field(
    'State of loading. `unavailable`: no model was requested.',
    Type.Union([
      Type.Literal('unavailable'),
      Type.Literal('loading'),
      Type.Literal('ready'),
      Type.Literal('failed'),
    ]),
  ),
  fallback_from: field(
    'The requested model, if it could not be loaded and the default model is used instead; otherwise null.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  error: field(
    'A short phrase that says what went wrong; null if there is no error.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  device: field(
    'Device that the model runs on, such as `cpu`, `cuda`, `webgpu`, `dml` or `coreml`; null if no model is loaded.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  device_reason: field(
    'Why a better device is not used; null if there is no better device.',
    Type.Union([Type.String(), Type.Null()]),
  ),
});
export type ModelState = Static<typeof ModelState>;

/** No model is in use and none was asked for. */
export const noModel: ModelState = {
  model_key: null,
  is_loading: false,
  requested_model_key: null,
  load_status: 'unavailable',
  fallback_from: null,
  error: null,
  device: null,
  device_reason: null,
};

// Which model a person of this machine should download for a kind of work, and which one is used.
import { offeredLanguage } from '../../runtime/languages.ts';
import {
  type FaceDetectorRow,
  type FaceEmbedderRow,
  type ListedModel,
  type ModelRow,
  type ModelTest,
  modelErrors,
} from './contract.ts';
import { isNpmFile, isOwnFile, transferSizes } from './model-file.ts';
import { builtInRows } from './rows/list.ts';

// The two kinds of face models: what they are called, and the families that run them.

/** Families that code exists for, by kind of model. */
export const faceFamilies = {
  'face-detector': ['yunet', 'scrfd', 'blazeface'],
  'face-embedder': ['sface', 'arcface', 'dlib'],
} as const;
type FaceKind = keyof typeof faceFamilies;

const faceKinds: readonly FaceKind[] = ['face-detector', 'face-embedder'];

export function isFaceKind(kind: string): kind is FaceKind {
  return faceKinds.some((faceKind) => faceKind === kind);
}

export interface FacePair {
  readonly detector: FaceDetectorRow;
  readonly embedder: FaceEmbedderRow;
}

/** Brings what is missing of a pair. */
export const facesCommand = 'framehound models pull faces';

/** Resources of a machine that decide how large a model may be. */
export interface Machine {
  /** Memory available to this process. */
  readonly memoryBytes: number;
  /** A device beside the processor that models may run on. */
  readonly graphics: boolean;
}

type Candidate = Omit<ListedModel, 'advised'>;

/** Analysis, decoding and everything else of the machine get the other half. */
const shareOfMemory = 0.5;
/** Without a graphics device, slower models would take longer than the footage lasts. */
const slowestOnProcessor = 3;

/**
 * The most accurate model that fits, then one of many languages, then the smaller one; of the slow ones only
 * where a graphics device runs it, and of those that were never measured only where no measured one fits.
 * Null when there is none to download for this kind, or none fits.
 */
function advisedModel(
  models: readonly Candidate[],
  kind: ModelRow['kind'],
  { graphics }: Pick<Machine, 'graphics'>,
): Candidate | null {
  const able = models.filter(
    ({ row, builtIn, supported, downloaded, test }) =>
      row.kind === kind &&
      supported &&
      !builtIn &&
      !isRefused(row, test) &&
      (downloaded || !row.files.some(isOwnFile)),
  );
  const fitting = able.filter(({ fits }) => fits);
  const measured = fitting.filter(({ row }) => row.is_measured !== false);
  const candidates = measured.length > 0 ? measured : fitting;
  const fast = candidates.filter(({ row }) => graphics || row.speed >= slowestOnProcessor);
  const [best] = (fast.length > 0 ? fast : candidates).toSorted(({ row: a }, { row: b }) => byAdvice(a, b));
  return best ?? null;
}

function byAdvice(a: ModelRow, b: ModelRow): number {
  return (
    b.accuracy - a.accuracy ||
    Number(b.is_multilingual) - Number(a.is_multilingual) ||
    a.size_gb - b.size_gb ||
    (a.key < b.key ? -1 : 1)
  );
}

/** True if a model is expected to fit into the memory for models. */
export function fitsMemory(row: ModelRow, { memoryBytes }: Pick<Machine, 'memoryBytes'>): boolean {
  return memoryOf(row) <= shareOfMemory * memoryBytes;
}

/**
 * Weights, and about half as much again for what is computed with them. A language model keeps its context
 * twice.
 */
function memoryOf({ size_gb, summary }: ModelRow): number {
  return 1.5 * size_gb * 1e9 + (summary ? 2 * summary.context * summary.cache_bytes : 0);
}

export function advisedModels(
  models: readonly Candidate[],
  machine: Pick<Machine, 'graphics'>,
): ReadonlySet<string> {
  const kinds = new Set(models.map(({ row }) => row.kind));
  const advised = [...kinds].map((kind) => advisedModel(models, kind, machine)?.row.key);
  return new Set(advised.filter((key) => key !== undefined));
}

/** The kinds of models that say what a picture shows and what is written in it. */
const sightKinds = ['text-recognition', 'object-detection'] as const satisfies readonly ModelRow['kind'][];

/**
 * Words that stand for a model of each of several kinds where the keys of models to pull are named: those
 * that are advised; for `faces-npm` those that come from the npm registry alone.
 */
export const modelWords = {
  faces: faceKinds,
  'faces-npm': faceKinds,
  sight: sightKinds,
  voices: ['speaker', 'turns'],
} as const satisfies Record<string, readonly ModelRow['kind'][]>;
type ModelWord = keyof typeof modelWords;

export function isModelWord(word: string): word is ModelWord {
  return Object.hasOwn(modelWords, word);
}

/**
 * The keys that a key or a word stands for: itself, or one of each kind. Throws MODEL_UNKNOWN where none
 * suits.
 */
export function keysOf(word: string, models: readonly ListedModel[]): readonly string[] {
  if (!isModelWord(word)) return [word];
  const suitable = word === 'faces-npm' ? npmFaceModels(models) : models.filter(({ advised }) => advised);
  return modelWords[word].map((kind) => {
    const model = suitable.find(({ row }) => row.kind === kind);
    if (model) return model.row.key;
    throw modelErrors.MODEL_UNKNOWN(
      `"${word}" needs a ${kind} model, and none runs on this machine; see: framehound models list`,
      { key: word, kind },
    );
  });
}

/**
 * A face model of each kind all of whose files come from the npm registry; none where one kind has none that
 * suits.
 */
export function npmFaceModels(models: readonly ListedModel[]): readonly ListedModel[] {
  const suitable = models.filter(
    ({ row, supported, fits }) => supported && fits && row.files.length > 0 && row.files.every(isNpmFile),
  );
  const pair = faceKinds.flatMap((kind) => suitable.find(({ row }) => row.kind === kind) ?? []);
  return pair.length === faceKinds.length ? pair : [];
}

// Downloads that a set-up offers: `framehound setup`, the end of the tour and the page show the same list.

/**
 * Abilities after a download, and the kinds of models each needs. Those from the npm registry come first,
 * because more machines reach it than a model hub; then the smaller ones.
 */
const setupKinds = {
  things: ['object-detection'],
  words: ['text-recognition'],
  'voice-detection': ['voice'],
  faces: faceKinds,
  sounds: ['sound-detection'],
  voices: ['speaker', 'turns'],
  speech: ['speech'],
  descriptions: ['visual'],
} as const satisfies Record<string, readonly ModelRow['kind'][]>;
export type SetupKind = keyof typeof setupKinds;
export const setupKindNames = Object.keys(setupKinds) as readonly SetupKind[];

export interface SetupChoice {
  readonly kind: SetupKind;
  /** One model of each kind that it takes: a downloaded one, else the one to download. */
  readonly keys: readonly string[];
  /** The keys that are not downloaded. */
  readonly missing: readonly string[];
  /** Size of a download of `missing`, bytes. */
  readonly bytes: number;
  /** It is downloaded unless a person decides otherwise. */
  readonly isAdvised: boolean;
  /** False if a model of `keys` was never measured here. */
  readonly isMeasured: boolean;
}

/** `language`: BCP 47, that of the recordings. Kinds without a model for this machine are left out. */
export function setupChoices(models: readonly ListedModel[], language = systemLanguage()): SetupChoice[] {
  const usable = models.filter(
    ({ row, supported, builtIn, test }) =>
      supported && !builtIn && row.files.length > 0 && !isRefused(row, test),
  );
  return setupKindNames.flatMap((kind) => {
    const chosen = setupKinds[kind].map((modelKind) => modelOfSetup(usable, kind, modelKind));
    if (chosen.some((model) => model === undefined)) return [];
    const usual = choiceOf(kind, chosen as readonly ListedModel[], language);
    const better = setupKinds[kind].length === 1 ? betterUnmeasured(usable, chosen[0]!) : undefined;
    return better ? [usual, { ...choiceOf(kind, [better], language), isAdvised: false }] : [usual];
  });
}

function systemLanguage(): string {
  return Intl.DateTimeFormat().resolvedOptions().locale;
}

function modelOfSetup(
  usable: readonly ListedModel[],
  kind: SetupKind,
  modelKind: ModelRow['kind'],
): ListedModel | undefined {
  const ofKind = usable.filter(({ row }) => row.kind === modelKind);
  const downloaded = ofKind.filter((model) => model.downloaded);
  const best = downloaded.toSorted(({ row: a }, { row: b }) => byAdvice(a, b))[0];
  if (best) return best;
  const fromNpm = kind === 'faces' ? npmFaceModels(usable) : [];
  return fromNpm.find(({ row }) => row.kind === modelKind) ?? ofKind.find(({ advised }) => advised);
}

/** A model that its makers call more accurate than `chosen`, and of which nothing was measured here. */
function betterUnmeasured(usable: readonly ListedModel[], chosen: ListedModel): ListedModel | undefined {
  if (chosen.row.is_measured === false) return undefined;
  const better = usable.filter(
    ({ row, fits, downloaded }) =>
      row.kind === chosen.row.kind &&
      row.is_measured === false &&
      row.accuracy > chosen.row.accuracy &&
      row.speed >= slowestOnProcessor &&
      fits &&
      !downloaded,
  );
  return better.toSorted(({ row: a }, { row: b }) => byAdvice(a, b))[0];
}

function choiceOf(kind: SetupKind, models: readonly ListedModel[], language: string): SetupChoice {
  const missing = models.filter(({ downloaded }) => !downloaded);
  const understood =
    kind !== 'speech' || models.every(({ row }) => offeredLanguage(row.languages, language) !== null);
  return {
    kind,
    keys: models.map(({ row }) => row.key),
    missing: missing.map(({ row }) => row.key),
    bytes: Math.round(missing.reduce((sum, { row }) => sum + 1e9 * downloadSize(row), 0)),
    // Grouping people by their faces is the user's decision alone.
    isAdvised: missing.length > 0 && kind !== 'faces' && understood,
    isMeasured: models.every(({ row }) => row.is_measured !== false),
  };
}

/** Size of a download, GB: for a package the whole tarball, of which little may be kept. */
export function downloadSize({ files, size_gb }: Pick<ModelRow, 'files' | 'size_gb'>): number {
  if (!files.some(isNpmFile)) return size_gb;
  return transferSizes(files).reduce<number>((sum, size) => sum + (size ?? 0), 0) / 1e9;
}

/** How large a download is, for people; empty when there is none. */
export function sizeText(gigabytes: number): string {
  if (gigabytes === 0) return '';
  return gigabytes < 0.1 ? `${Math.ceil(1000 * gigabytes)} MB` : `${gigabytes.toFixed(2)} GB`;
}

/** Note in brackets behind a suggested download: `0.42 GB, not measured here`. */
export function downloadNote(rows: readonly ModelRow[]): string {
  const size = sizeText(rows.reduce((sum, row) => sum + downloadSize(row), 0));
  return rows.some(({ is_measured }) => is_measured === false) ? `${size}, not measured here` : size;
}

interface ChosenModels {
  readonly model: string;
  /** Key of the speaker model, or `auto`. */
  readonly speaker_model: string;
}

/**
 * Models in use: those of the settings, and for other kinds the most accurate one that is present. Speaker
 * diarization needs no model beside the included one.
 */
export function modelsInUse(
  models: readonly ListedModel[],
  { model, speaker_model: speaker }: ChosenModels,
): ReadonlySet<string> {
  const present = models.filter(
    ({ row, builtIn, downloaded, test }) => builtIn || (downloaded && !isRefused(row, test)),
  );
  const best = present
    .map(({ row }) => row)
    .filter(({ kind }) => !isFaceKind(kind) && kind !== 'summary')
    .filter(({ kind, key }) => kind !== 'visual' || key === model)
    .filter(({ kind, key }) => kind !== 'speaker' || speaker === 'auto' || key === speaker)
    .toSorted((a, b) => b.accuracy - a.accuracy || b.speed - a.speed);
  const kinds = new Set(best.map(({ kind }) => kind));
  const first = [...kinds].map((kind) => best.find((row) => row.kind === kind)!);
  const isIncluded = first.some(({ kind, files }) => kind === 'speaker' && files.length === 0);
  const used = first.filter(({ kind }) => kind !== 'turns' || !isIncluded);
  const faces = faceKinds.flatMap((kind) => bestThere(models, kind) ?? []);
  const summary = recommendedSummaryModel(models) ?? [];
  return new Set([...used, ...faces].concat(summary).map(({ key }) => key));
}

/**
 * The language model that writes summaries when none is named: of those whose files are there, which this
 * system can run and whose work fits into memory, the largest. Null when there is none: then texts are made
 * from templates.
 */
export function recommendedSummaryModel(
  models: readonly Pick<ListedModel, 'row' | 'downloaded' | 'supported' | 'fits' | 'test'>[],
): ModelRow | null {
  const [best] = models
    .filter(
      ({ row, downloaded, supported, fits, test }) =>
        row.kind === 'summary' && downloaded && supported && fits && !isRefused(row, test),
    )
    .map(({ row }) => row)
    .toSorted((a, b) => b.size_gb - a.size_gb || b.accuracy - a.accuracy || (a.key < b.key ? -1 : 1));
  return best ?? null;
}

/**
 * The most accurate model that is downloaded and supported by this system. Among equals the user's own
 * precedes the program's, then the faster one wins. Null if there is none.
 */
export function bestThere(
  models: readonly Pick<ListedModel, 'row' | 'downloaded' | 'supported' | 'test'>[],
  kind: FaceKind | 'object-detection' | 'text-recognition' | 'sound-detection' | 'speaker',
): ModelRow | null {
  const there = models.filter(
    ({ row, downloaded, supported, test }) =>
      row.kind === kind && row.files.length > 0 && downloaded && supported && !isRefused(row, test),
  );
  const [best] = there
    .map(({ row }) => row)
    .toSorted(
      (a, b) =>
        b.accuracy - a.accuracy ||
        Number(isOwn(b)) - Number(isOwn(a)) ||
        b.speed - a.speed ||
        (a.key < b.key ? -1 : 1),
    );
  return best ?? null;
}

/** True for a folder with a model.json, which never has the key of a row of the program. */
export function isOwn({ key }: ModelRow): boolean {
  return !builtInRows.some((row) => row.key === key);
}

/**
 * A model of the program that failed its self-test is not used. One of the user is used all the same: the
 * samples may not be what it is for.
 */
export function isRefused(row: ModelRow, test: ModelTest | undefined): boolean {
  return !isOwn(row) && test?.passed === false;
}

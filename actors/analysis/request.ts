// The parts of a request for analysis: each kind of work declares the fields it takes and what they mean.
// Pure; the preflight checks the files.
import { resolve } from 'node:path';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { comparablePath } from '../../runtime/paths.ts';
import { defaulted, described, sentPath } from '../../runtime/schema.ts';
import type { DecodeMode } from '../decoder/contract.ts';
import type { ModelWork } from '../models/contract.ts';

export interface Complaint {
  /** `sample_faces[0].face_images[1]` */
  readonly field: string;
  readonly what: string;
}

export interface NamedPath {
  readonly field: string;
  readonly path: string;
}

/** The fields of a request that one kind of work takes. */
export interface RequestPart<Body extends TProperties = TProperties> {
  readonly body: Body;
  /** Complaints about the fields together, in their order; paths are checked separately, through `media`. */
  complaints(body: Static<TObject<Body>>): readonly Complaint[];
  /** Every media path in its fields. */
  media(body: Static<TObject<Body>>): readonly NamedPath[];
  /** Paths of small pictures, such as sample faces. */
  pictures?(body: Static<TObject<Body>>): readonly NamedPath[];
  /** Where a file is gone, its stored previews will do. */
  readonly readsPreviews?: boolean;
  /**
   * Where the field is null its files are those whose pictures are analysed, if the model for it is
   * downloaded.
   */
  readonly follows?: { readonly field: keyof Body & string; readonly model: ModelWork };
  /** Complaints that depend on the analysis folder; for a body without other complaints. */
  unfit?(body: Static<TObject<Body>>, stored: StoredMedia): Promise<readonly Complaint[]>;
  /** It asks for work without any media. */
  isWithoutMedia?(body: Static<TObject<Body>>): boolean;
}

/** Stored results in the analysis folder of a request. Paths are plain. */
export interface StoredMedia {
  /** The request redoes what is stored. */
  readonly redoes: boolean;
  /** Paths that have a visual analysis or get one by the same request, and paths of sound alone. */
  analysed(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** Names of the summaries of each path, as far as the folder knows it. */
  summaryNames(paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  collections(): Promise<ReadonlySet<string>>;
}

/** Context in which `resolve` brings a request into its recorded form. */
export interface ResolveContext {
  /** Key of the visual model in use. Throws MODELS_LOADING or NO_VISUAL_MODEL. */
  activeModel(): string;
  /** Throws OTHER_MODEL when another visual model is in use, and as `activeModel`. */
  expectModel(key: string | null): void;
  /** How films are decoded when a request does not say. */
  readonly decode: DecodeMode;
  /**
   * Throws NO_FACE_MODEL or NO_TEXT_MODEL, naming the command, when what the work needs is not downloaded.
   */
  expectModelFor(work: ModelWork): Promise<void>;
  /**
   * The language model that a summary is written by: this one, or for null the one recommended for the
   * machine. Null: none is downloaded, and texts come from templates. Throws MODEL_UNKNOWN, MODEL_WRONG_KIND,
   * MODEL_NOT_DOWNLOADED.
   */
  summaryModel(key: string | null): Promise<string | null>;
  /** Keeps bytes that are too large for a record beside it; answers their number. */
  attach(bytes: Uint8Array<ArrayBuffer>): number;
}

export const MediaPath = described(
  sentPath(Type.String({ minLength: 1 })),
  'Absolute path of a file the service can read.',
);

/** Fields of a request that say how all of its work is done. */
export const howFields = {
  force: defaulted(described(Type.Boolean(), 'Redo work whose results are already stored.'), false),
  from_previews: defaulted(
    described(
      Type.Boolean(),
      'Use the stored previews, even if the files exist, so that no file is opened. Applies to faces, ' +
        'words, things and summaries of files whose pictures have been analysed, and to pictures for another ' +
        'visual model, unless the previews are smaller than what that model looks at (`PREVIEWS_TOO_SMALL`). A ' +
        'file without previews fails (`NOT_ANALYZED`), and so does one that was changed since (`FILE_CHANGED`). ' +
        'Transcriptions need the file and are refused beside it. Without this field, previews are used only for ' +
        'files that are away. What came from previews is replaced when the file is analysed, never the reverse.',
    ),
    false,
  ),
};

/** Field of a result; tasks that are older than the field lack it. */
export const FromPreviews = Type.Optional(
  described(Type.Boolean(), 'Whether stored previews were used instead of the file.'),
);

/** Text that is more than spaces. */
export const Text = Type.String({ minLength: 1, pattern: '\\S' });

export function named(field: string, paths: readonly string[]): NamedPath[] {
  return paths.map((path, i) => ({ field: `${field}[${i}]`, path }));
}

/** The first one of each path, however it is spelled. */
export function uniquePaths<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const firstItems = new Map<string, T>();
  for (const item of items) {
    const whole = comparablePath(resolve(pathOf(item)));
    if (!firstItems.has(whole)) firstItems.set(whole, item);
  }
  return [...firstItems.values()];
}

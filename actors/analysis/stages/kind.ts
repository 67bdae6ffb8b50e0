// The declaration of a stage, for everybody but its runner: its type, the fields it takes from a request, its
// unit of progress, the facts in a result, and the words for people. Pure: events, metrics, the command line,
// the client and the API document are read off these declarations.
import type { Static, TObject, TProperties } from 'typebox';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { RequestPart, ResolveContext } from '../request.ts';

/**
 * How work is counted. The two amounts have a field each in snapshots and events, those of one file with
 * `file_` before.
 */
export interface Unit<Done extends string = string, All extends string = string> {
  /** Field of the amount that is done: `frames`. */
  readonly done: Done;
  /** Field of the whole amount, which grows while files are still being surveyed: `grid_frames`. */
  readonly all: All;
  /** Meanings of the two fields. */
  readonly meanings: readonly [done: string, all: string];
  /** Whole pieces, or seconds. */
  readonly measure: 'count' | 'seconds';
  /** Seconds of media that one unit stands for. */
  readonly weight: number;
  /**
   * Processor seconds for a second of media, measured with the advised models on two cores. Percentages and
   * estimates use how the kinds of work compare.
   */
  readonly cost: number;
  /** Amount of work in a file. */
  amountOf(media: MediaRecord): number;
  /** For people, behind `3/10`: `frames`. */
  readonly label: string;
  /**
   * For people, behind the speed in units a second; null where only the speed of the whole task says
   * something.
   */
  readonly speed: string | null;
}

/**
 * Where tasks run, one at a time: an export, or the download of a model, neither ends an analysis nor waits
 * for one.
 */
export const taskPlaces = ['analysis', 'export', 'pull'] as const;
export type TaskPlace = (typeof taskPlaces)[number];

/** A counter of the service. */
export interface StageCounter {
  readonly name: string;
  readonly help: string;
}

/** A counter fed by results. */
export interface ResultCounter<Facts> extends StageCounter {
  count(facts: Facts): number;
}

export interface StageKind<
  Type extends string = string,
  U extends Unit | null = Unit | null,
  Body extends TProperties = TProperties,
  Resolved extends TProperties = TProperties,
  Facts extends TProperties = TProperties,
  NotApplicable extends string | null = string | null,
> extends RequestPart<Body> {
  /** The type of its work in requests, events and results. */
  readonly type: Type;
  /**
   * Types whose work on the same file, and whose closing steps, have ended before, where a task asks for
   * both.
   */
  readonly needs: readonly string[];
  /** Where its tasks run, one at a time: beside each other, the places know nothing of one another. */
  readonly place: TaskPlace;
  /** Null for work that is counted by its jobs alone: it has no files. */
  readonly unit: U;
  /** Its part of a recorded request: what the fields it takes have come to. */
  readonly resolved: Resolved;
  /** Throws what is missing for what a body without complaints asks for, such as a model. */
  expects?(body: Static<TObject<Body>>, context: ResolveContext): Promise<void>;
  /** Only for a body without complaints. */
  resolve(
    body: Static<TObject<Body>>,
    context: ResolveContext,
  ): Static<TObject<Resolved>> | Promise<Static<TObject<Resolved>>>;
  /** Values of the fields for a request without this work, also in records that are older than the stage. */
  readonly nothing: Static<TObject<Resolved>>;
  /** Throws what keeps a recorded request from being run now. */
  admits?(resolved: Static<TObject<Resolved>>, context: ResolveContext): void | Promise<void>;
  /** Fields that the snapshot of a task shows. */
  readonly shows: readonly (keyof Resolved & string)[];
  /** Its jobs, in order; one with a name has a closing step, whether it has files or not. */
  jobsOf(resolved: Static<TObject<Resolved>>): readonly StageJob[];
  /** Fields that it adds to the result of a file. */
  readonly facts: Facts;
  readonly noFacts: Static<TObject<Facts>>;
  /**
   * The reason of a result that is `not_applicable`: the file holds nothing of the kind. Null for work
   * without files.
   */
  readonly notApplicable: NotApplicable;
  /** Meaning of the count of such files. */
  readonly notApplicableMeaning?: string;
  readonly labels: Labels<Static<TObject<Facts>>>;
  /** For a stage whose closing steps have events of their own; without it they are told as files are. */
  readonly closing?: ClosingFields<Static<TObject<Facts>>>;
  /** For a stage whose events about a file tell more than amounts. */
  readonly eventFields?: EventFields;
  readonly metrics: {
    /** Grows with the amount that is done; null where there is no unit. */
    readonly done: StageCounter | null;
    readonly results: readonly ResultCounter<Static<TObject<Facts>>>[];
  };
}

/** Fields that events about the closing step of a job have beside those of every event. */
export interface ClosingFields<Facts> {
  /** `name`: of the job. `percentage`: 0 to 100. `detail`: what the step tells beside. */
  underWay(
    name: string,
    percentage: number,
    detail: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
  /** `facts`: those of the kind, or none where the step failed. */
  ended(name: string, facts: Facts): Readonly<Record<string, unknown>>;
}

/** Fields that events about a file have beside those of every event. */
export interface EventFields {
  /** How its events write percentages. */
  readonly percentage: 'number' | 'text';
  /** `step`: what is being done. `part`: of what, where that has a name. */
  underWay(step: string, part: string | null): Readonly<Record<string, unknown>>;
  failed(message: string): Readonly<Record<string, unknown>>;
}

/** Words for people at a terminal. */
export interface Labels<Facts> {
  /** Behind the number of files the work does not apply to: `sound only`. Left out for work without files. */
  readonly notApplicable?: string;
  /** Text about one such file: `nothing to listen to`. */
  readonly nothing?: string;
  /** Text about a file that was analysed, or a job: `10 frames`. */
  result(facts: Facts): string;
  /**
   * Behind the number of its jobs, one and several, where their closing steps are something people know:
   * `clustering`.
   */
  readonly jobs?: readonly [one: string, several: string];
  /** Remark about such a file for people, in events. */
  warning?(facts: Facts): string | undefined;
}

/** Request of a job for one file; a stage adds its own fields. */
export interface WorkItem {
  /** Absolute. */
  readonly path: string;
}

/** Files that belong together: the closing step of a stage works on the items of one job. */
export interface StageJob<I extends WorkItem = WorkItem> {
  /** Null for the one job of a stage without closing step. */
  readonly name: string | null;
  readonly items: readonly I[];
}

/** Where a task runs. */
export function placeOf(kinds: readonly Pick<StageKind, 'place'>[]): TaskPlace {
  return kinds[0]?.place ?? 'analysis';
}

export function hasWork({ name, items }: StageJob): boolean {
  return name !== null || items.length > 0;
}

/** Kinds whose work is counted by a unit. */
export function measured<K extends StageKind>(kinds: readonly K[]): (K & { readonly unit: Unit })[] {
  return kinds.filter((kind): kind is K & { readonly unit: Unit } => kind.unit !== null);
}

/** Declares the facts of a stage with their types. */
export function stageKind<
  const Type extends string,
  const U extends Unit | null,
  Body extends TProperties,
  Resolved extends TProperties,
  Facts extends TProperties,
  const NotApplicable extends string | null,
  const Shows extends keyof Resolved & string,
>(
  kind: StageKind<Type, U, Body, Resolved, Facts, NotApplicable> & {
    readonly shows: readonly Shows[];
  },
): typeof kind {
  return kind;
}

/** Throws when two kinds share a name, or one needs what does not come before it. */
export function checkKinds(kinds: readonly StageKind[]): void {
  const takenNames = new Set<string>();
  for (const kind of kinds) {
    const { type, needs, unit, body, facts, resolved, notApplicable } = kind;
    for (const need of needs) {
      if (!kinds.slice(0, kinds.indexOf(kind)).some((earlierKind) => earlierKind.type === need)) {
        throw new Error(`the stage ${type} needs ${need}, which no stage before it does`);
      }
    }
    // Within a stage a name may come twice: the frames of a file are a fact and the amount that is done.
    const names = new Set([
      ...[type, unit?.done, unit?.all, notApplicable].filter((name) => typeof name === 'string'),
      ...[body, facts, resolved].flatMap((fields) => Object.keys(fields)),
    ]);
    for (const name of names) {
      if (takenNames.has(name)) throw new Error(`the stage ${type}: ${name} is taken by another stage`);
    }
    for (const name of names) takenNames.add(name);
  }
}

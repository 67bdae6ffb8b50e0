// What is asked of the sample library. Types only.

export interface SampleProgress {
  readonly file: string;
  /** Samples done, this one not counted, and in all. */
  readonly done: number;
  readonly total: number;
}

export interface SampleOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (progress: SampleProgress) => void;
  /** Only these; all when left out. */
  readonly files?: readonly string[];
}

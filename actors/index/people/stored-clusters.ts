// One clustering as whoever reads all of it sees it: columns with one value an entry.

export interface StoredClusters {
  readonly name: string;
  /** Another one whenever anything of it is stored again. */
  readonly version: number;
  /** Media of the job; entries name them by position. */
  readonly hashes: readonly string[];
  readonly cluster_ids: readonly string[];
  /** Aligned with `cluster_ids`; empty without a name. */
  readonly names: readonly string[];
  /** 16 bytes an entry: a face has the same id in every clustering. */
  readonly ids: Uint8Array;
  /** Position in `hashes` of each entry. Entries of one content follow each other, ascending by frame. */
  readonly media: Uint32Array;
  /** Grid frame of each entry. */
  readonly frames: Uint32Array;
  /** Position in `cluster_ids`, -1 for noise. */
  readonly clusters: Int32Array;
}

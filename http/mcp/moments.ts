// The fused search as tools ask it: pictures, words and people in one list of moments.

/** Fields of POST /search/moments that tools send. */
export interface MomentsRequest {
  readonly cache_dir: string;
  readonly query?: string;
  readonly image_path?: string;
  readonly like?: { readonly hash_str: string; readonly time_seconds: number };
  readonly exclude?: readonly string[];
  readonly kinds?: readonly MomentKind[];
  readonly media_paths?: readonly string[];
  readonly segments_to_frame_indices?: Readonly<Record<string, readonly [number, number]>>;
  readonly people_filter?: readonly { readonly person_name: string }[];
  readonly people_filter_mode?: 'and' | 'or';
  readonly metadata_filter_request?: { readonly filters: readonly unknown[] };
  readonly limit?: number;
}

export const momentKinds = ['seen', 'said', 'person'] as const;
export type MomentKind = (typeof momentKinds)[number];

export type Reason =
  | { readonly kind: 'seen'; readonly rank: number }
  | {
      readonly kind: 'said';
      readonly rank: number;
      readonly text: string;
      readonly speaker?: string;
      readonly speaker_name?: string;
    }
  | { readonly kind: 'person'; readonly rank: number; readonly name: string };

export interface Moment {
  readonly moment_id: string;
  readonly hash_str: string;
  readonly media_path: string;
  readonly kind: string;
  readonly time_seconds: number;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly reasons: readonly Reason[];
}

export interface MomentsAnswer {
  readonly moments: readonly Moment[];
  readonly counts: Readonly<Record<MomentKind, number>>;
  readonly toast_warning?: string;
  readonly warnings?: readonly string[];
}

export interface MomentsClient {
  searchMoments(
    request: MomentsRequest,
    options?: { readonly signal?: AbortSignal | undefined; readonly retries?: number },
  ): Promise<MomentsAnswer>;
}

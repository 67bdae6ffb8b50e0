// The models of the service as rows of one list.
import type { Api } from '../../api.ts';

export type Available = Awaited<ReturnType<Api['availableModels']>>;

export const groups = ['visual', 'sight', 'speech', 'faces', 'summary'] as const;
export type Group = (typeof groups)[number];

export interface ModelRow {
  readonly key: string;
  readonly group: Group;
  /** What it does among those of its group; the group's name where it is the same for all. */
  readonly kind: string;
  /** On the disk; of what is not there, to be downloaded. */
  readonly bytes: number;
  readonly license: string;
  readonly speed: number;
  readonly accuracy: number;
  readonly isMultilingual: boolean;
  /** Nothing has to be downloaded for it. */
  readonly isBuiltIn: boolean;
  readonly isDownloaded: boolean;
  readonly isInUse: boolean;
  readonly isAdvised: boolean;
}

/** Those in use first, then the advised ones, then the smaller ones. */
export function modelRows(models: Available): ModelRow[] {
  const { faces, sight, speech, summaries, loaded_model } = models;
  const used = [
    loaded_model,
    sight.things_key,
    sight.words_key,
    faces.detector_key,
    faces.embedder_key,
    speech.model_key,
    summaries.recommended_key,
  ];
  const parts = [
    ['visual', models],
    ['sight', sight],
    ['speech', speech],
    ['faces', faces],
    ['summary', summaries],
  ] as const;
  return parts.flatMap(([group, { downloaded_models, model_info }]) =>
    (model_info as readonly Readonly<Record<string, Info>>[])
      .flatMap((one) => Object.entries(one))
      .map(
        ([
          key,
          { kind = group, size_gb, download_gb, license, speed, accuracy, is_multilingual },
        ]): ModelRow => {
          const isDownloaded = downloaded_models.includes(key);
          return {
            key,
            group,
            kind,
            bytes: (isDownloaded ? size_gb : download_gb) * 1e9,
            license,
            speed,
            accuracy,
            isMultilingual: is_multilingual,
            isBuiltIn: isDownloaded && size_gb === 0,
            isDownloaded,
            isInUse: used.includes(key),
            isAdvised: models.advised_models.includes(key) && !isDownloaded,
          };
        },
      )
      .toSorted((a, b) => rank(a) - rank(b) || a.bytes - b.bytes),
  );
}

interface Info {
  readonly kind?: string;
  readonly size_gb: number;
  readonly download_gb: number;
  readonly license: string;
  readonly speed: number;
  readonly accuracy: number;
  readonly is_multilingual: boolean;
}

function rank({ isInUse, isDownloaded, isAdvised }: ModelRow): number {
  return isInUse ? 0 : isDownloaded ? 1 : isAdvised ? 2 : 3;
}

/** What is known of a download that runs or waits, as events tell it. */
export interface Download {
  /** The model that is downloaded now. */
  readonly key: string;
  /** All of the task. */
  readonly keys: readonly string[];
  readonly task_id: string;
  readonly phase: 'checking' | 'connecting' | 'receiving' | 'waiting';
  readonly received: number;
  readonly total: number;
}

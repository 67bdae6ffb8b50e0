// The declaration of the work on clips: files cut out of films and sound for editing programs. Each clip is a
// job without files; what is known of the sources is found when they are cut.
import { basename } from 'node:path';
import { type Static, Type } from 'typebox';
import { described, field, nullable } from '../../../../runtime/schema.ts';
import { ClipMode } from '../../../decoder/clips/contract.ts';
import type { ClipsRequest } from '../../../exporter/clips/contract.ts';
import { FilePath } from '../../../index/store/contract.ts';
import { stageKind } from '../kind.ts';

const Clip = Type.Object({
  name: Type.String({ minLength: 1 }),
  media_path: Type.String(),
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  output_name: Type.Optional(Type.String()),
});

/** The folder of the clips is that of the task. */
export const ClipExport = Type.Object({
  mode: ClipMode,
  /** Folders above that of the clips are made where they are missing. */
  create_folders: Type.Optional(Type.Boolean()),
  clips: Type.Array(Clip),
});
export type ClipExport = Static<typeof ClipExport>;

/** Export in its recorded form. Each clip has a unique name, in the order of the request. */
export function clipExport({ mode, create_folders, clips }: Omit<ClipsRequest, 'output_dir'>): ClipExport {
  return {
    mode,
    ...(create_folders && { create_folders }),
    clips: clips.map((clip, i) => {
      const { media_path, start_seconds, end_seconds } = clip;
      return { name: `${i + 1}: ${basename(media_path)} ${start_seconds}-${end_seconds}`, ...clip };
    }),
  };
}

export const ClipFacts = Type.Object({
  media_path: FilePath,
  output_path: described(Type.String(), 'The clip.'),
  start_seconds_actual: described(Type.Number(), 'Actual start of the clip.'),
  end_seconds_actual: described(Type.Number(), 'Actual end of the clip.'),
  frame_count: described(Type.Integer({ minimum: 0 }), 'Number of pictures in the clip; 0 for sound.'),
  encoder: described(
    Type.Optional(nullable(Type.String())),
    'Encoder of the pictures: `libx264`, `libopenh264`, or an encoder of a device; null if no pictures were encoded. ' +
      'Missing in records of older exports.',
  ),
  // Earlier versions recorded clips without.
  mode_used: Type.Optional(
    described(ClipMode, 'How the clip was cut: `precise` if `smart` was not possible.'),
  ),
  mode_reason: Type.Optional(
    described(nullable(Type.String()), 'Why the mode differs from the requested one; null if it does not.'),
  ),
});
export type ClipFacts = Static<typeof ClipFacts>;

export const clipsKind = stageKind({
  type: 'clips',
  needs: [],
  place: 'export',
  // A request for analysis asks for none.
  body: {},
  complaints: () => [],
  media: () => [],
  resolved: { clip_export: Type.Optional(ClipExport) },
  resolve: () => ({}),
  nothing: {},
  shows: [],
  jobsOf: ({ clip_export }) => (clip_export?.clips ?? []).map(({ name }) => ({ name, items: [] })),
  unit: null,
  facts: {
    clip: field('The exported clip, for work of type `clips`; otherwise null.', nullable(ClipFacts)),
  },
  noFacts: { clip: null },
  notApplicable: null,
  labels: {
    jobs: ['clip', 'clips'],
    result: ({ clip }) => clip?.output_path ?? '',
  },
  metrics: {
    done: null,
    results: [
      {
        name: 'framehound_clips_total',
        help: 'Clips cut by tasks.',
        count: ({ clip }) => (clip ? 1 : 0),
      },
    ],
  },
});

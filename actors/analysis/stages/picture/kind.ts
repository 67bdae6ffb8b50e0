// The declaration of the picture stage: a vector of the visual model for every second of a film, and for
// every still.
import { Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { defaulted, described, field, nullable, oneOf, shown } from '../../../../runtime/schema.ts';
import { counted } from '../../../../runtime/text.ts';
import { DecodeMode } from '../../../decoder/contract.ts';
import { MediaPath, named, uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';

const Count = Type.Integer({ minimum: 0 });

/** Which frames take over the vector of a frame before. */
export const reuses = ['exact', 'near', 'off'] as const;
export type Reuse = (typeof reuses)[number];
const Reuse = oneOf(...reuses);

export const pictureKind = stageKind({
  type: 'video',
  needs: [],
  place: 'analysis',
  body: {
    visual_media_paths: field(
      'Films and stills to analyse, one picture for every second.',
      shown(defaulted(Type.Array(MediaPath), []), ['/media/film.mp4']),
    ),
    decode: Type.Optional(
      described(
        oneOf('exact', 'keyframes'),
        '`exact`: the exact picture of every second; `keyframes`: the nearest keyframe.',
      ),
    ),
    reuse: described(
      defaulted(Reuse, 'exact'),
      'Frames that take over the vector of a frame before: `exact`: those with the same picture, byte for byte as ' +
        'the model gets it; `near`: also those that hardly differ from it, as a still picture does while an ' +
        'encoder refines it; `off`: none. What is already stored stays as it is unless `force` is set.',
    ),
    scenes_only: described(
      defaulted(Type.Boolean(), false),
      'Only find the exact edges of scenes again, in films whose pictures have been analysed. No model is used, ' +
        'and nothing else of the analysis changes. A film whose pictures have not been analysed fails and is ' +
        'left as it is. Cannot be combined with other work, with `from_previews` or with `decode: keyframes`.',
    ),
  },
  complaints: ({ scenes_only, decode }) =>
    scenes_only && decode === 'keyframes'
      ? [{ field: 'decode', what: 'finds no exact edges from keyframes: leave decode or scenes_only out' }]
      : [],
  media: ({ visual_media_paths }) => named('visual_media_paths', visual_media_paths),
  readsPreviews: true,
  resolved: {
    /** Absolute paths of the media files to analyse. */
    paths: Type.Array(Type.String({ minLength: 1 })),
    /** The visual model; null when there are no paths. */
    model_key: field('Key of the model; null if there is none.', nullable(Type.String({ minLength: 1 }))),
    decode: field(
      'How films are decoded: the exact picture of every second, or the nearest keyframe.',
      DecodeMode,
    ),
    reuse: field('Frames that take over a vector; omitted if `exact`.', Type.Optional(Reuse)),
    scenes_only: field(
      'Whether only the edges of scenes are found again; omitted if not.',
      Type.Optional(Type.Boolean()),
    ),
  },
  resolve: ({ visual_media_paths, decode, reuse, scenes_only }, context) => {
    const paths = uniquePaths(visual_media_paths, (path) => path).map(plainPath);
    if (scenes_only) return { paths, model_key: null, decode: 'exact' as const, scenes_only };
    const model_key = paths.length > 0 ? context.activeModel() : null;
    return { paths, model_key, decode: decode ?? context.decode, ...(reuse !== 'exact' && { reuse }) };
  },
  nothing: { paths: [], model_key: null, decode: 'exact' },
  admits: ({ paths, model_key, scenes_only }, { expectModel }) => {
    if (paths.length > 0 && !scenes_only) expectModel(model_key);
  },
  shows: ['model_key', 'decode', 'reuse', 'scenes_only'],
  jobsOf: ({ paths }) => [{ name: null, items: paths.map((path) => ({ path })) }],
  unit: {
    done: 'frames',
    all: 'grid_frames',
    meanings: [
      'Number of frames analysed, one for each second.',
      'Total number of frames, one for each second.',
    ],
    measure: 'count',
    weight: 1,
    cost: 0.07,
    amountOf: ({ probe }) => probe.grid_frames,
    label: 'frames',
    speed: 'frames/s',
  },
  facts: {
    frames: field('Number of frames analysed, one for each second.', Count),
    missing_frames: field('Number of frames that could not be decoded.', Count),
    frames_reused: field(
      'Number of frames that took over the vector of a frame before, because their picture is the same, or near ' +
        'enough (`reuse`). Counted from where the analysis was last resumed; omitted if 0.',
      Type.Optional(Count),
    ),
    frames_from_previews: field(
      'Number of frames whose stored preview was analysed instead of the file; omitted if 0.',
      Type.Optional(Count),
    ),
    shots: field(
      'Number of shots between exact edges. Only with `scenes_only`; omitted where the edges stay as they were, ' +
        'because the film cannot be read to the picture.',
      Type.Optional(Count),
    ),
  },
  noFacts: { frames: 0, missing_frames: 0 },
  notApplicable: 'no_picture',
  notApplicableMeaning: 'Number of files without pictures for which a visual analysis was requested.',
  labels: {
    notApplicable: 'sound only',
    nothing: 'sound only, no pictures to analyse',
    result: ({ frames, missing_frames, frames_reused = 0, frames_from_previews = 0, shots }) => {
      const shotPart = shots === undefined ? '' : `, ${counted(shots, 'shot')}`;
      const previews = frames_from_previews > 0 ? ' from stored previews' : '';
      const unchanged = frames_reused > 0 ? `, ${frames_reused} unchanged` : '';
      const missing = missing_frames > 0 ? `, ${missing_frames} cannot be decoded` : '';
      return `${counted(frames, 'frame')}${shotPart}${previews}${unchanged}${missing}`;
    },
    warning: ({ frames_from_previews = 0 }) =>
      frames_from_previews > 0 ? 'seen in stored previews, not in the file' : undefined,
  },
  metrics: {
    done: { name: 'framehound_frames_total', help: 'Frames of the grid that were analysed.' },
    results: [
      {
        name: 'framehound_missing_frames_total',
        help: 'Frames of the grid that could not be decoded.',
        count: ({ missing_frames }) => missing_frames,
      },
    ],
  },
});

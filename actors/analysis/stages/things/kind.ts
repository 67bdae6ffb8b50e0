// The declaration of the stage of things: what is seen in every second of a film and in every still, of the
// classes that the object detector knows.
import { type Static, Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { defaulted, described, field, nullable, ShownWarning, shown } from '../../../../runtime/schema.ts';
import { counted } from '../../../../runtime/text.ts';
import { FromPreviews, MediaPath, named, uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';

const Count = Type.Integer({ minimum: 0 });

const ThingFacts = Type.Object({
  model_key: described(Type.String(), 'Key of the object detector.'),
  tracks: described(Count, 'Number of things that are surely found. A thing that moves counts again.'),
  missing_frames: described(Count, 'Number of frames that could not be decoded.'),
  from_previews: FromPreviews,
  warning: ShownWarning,
});
export type ThingFacts = Static<typeof ThingFacts>;

export const thingsKind = stageKind({
  type: 'things',
  needs: [],
  place: 'analysis',
  body: {
    thing_media_paths: shown(
      defaulted(
        described(
          nullable(Type.Array(MediaPath)),
          'Films and stills to search for things: people, cars, dogs and 77 more classes. If omitted or null, ' +
            'these are the `visual_media_paths`, provided that an object detector is downloaded. `[]` means none. ' +
            'Files that are named are refused with `NO_OBJECT_DETECTOR` if there is none.',
        ),
        null,
      ),
      ['/media/film.mp4'],
    ),
  },
  complaints: () => [],
  media: ({ thing_media_paths }) => named('thing_media_paths', thing_media_paths ?? []),
  readsPreviews: true,
  follows: { field: 'thing_media_paths', model: 'things' },
  resolved: {
    /** Absolute; left out where no things are looked for. */
    thing_paths: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  expects: async ({ thing_media_paths }, { expectModelFor }) => {
    if (thing_media_paths !== null && thing_media_paths.length > 0) await expectModelFor('things');
  },
  resolve: ({ thing_media_paths }) => {
    const thing_paths = uniquePaths(thing_media_paths ?? [], (path) => path).map(plainPath);
    return thing_paths.length > 0 ? { thing_paths } : {};
  },
  nothing: {},
  admits: async ({ thing_paths }, { expectModelFor }) => {
    if (thing_paths !== undefined) await expectModelFor('things');
  },
  shows: [],
  jobsOf: ({ thing_paths = [] }) => [{ name: null, items: thing_paths.map((path) => ({ path })) }],
  unit: {
    done: 'thing_frames',
    all: 'thing_grid_frames',
    meanings: [
      'Number of frames searched for things, one for each second.',
      'Total number of frames, one for each second.',
    ],
    measure: 'count',
    weight: 1,
    cost: 0.08,
    amountOf: ({ probe }) => probe.grid_frames,
    label: 'frames for things',
    speed: null,
  },
  facts: {
    things: field(
      'What was found in the file, for work of type `things`; otherwise null.',
      nullable(ThingFacts),
    ),
  },
  noFacts: { things: null },
  notApplicable: 'no_visible_things',
  notApplicableMeaning: 'Number of files without pictures for which things were requested.',
  labels: {
    notApplicable: 'without pictures',
    nothing: 'sound only, no pictures to search for things',
    result: ({ things }) => {
      const [count, missing] = [things?.tracks ?? 0, things?.missing_frames ?? 0];
      const thingCount = counted(count, 'thing');
      return `${thingCount}${missing > 0 ? `, ${missing} frames cannot be decoded` : ''}`;
    },
    warning: ({ things }) => things?.warning,
  },
  metrics: {
    done: { name: 'framehound_thing_frames_total', help: 'Frames of the grid searched for things.' },
    results: [
      {
        name: 'framehound_things_total',
        help: 'Things found; each counts once for as long as it stays in its place.',
        count: ({ things }) => things?.tracks ?? 0,
      },
    ],
  },
});

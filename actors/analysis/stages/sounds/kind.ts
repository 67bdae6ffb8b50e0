// The declaration of the stage of sounds: where music and singing are heard in a film or sound file.
import { Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { defaulted, described, field, nullable, shown } from '../../../../runtime/schema.ts';
import { counted } from '../../../../runtime/text.ts';
import { MediaPath, named, uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';

const SoundFacts = Type.Object({
  model_key: described(Type.String(), 'Key of the model.'),
  ranges: described(Type.Integer({ minimum: 0 }), 'Number of ranges in which music or singing is heard.'),
});

export const soundsKind = stageKind({
  type: 'sounds',
  needs: [],
  place: 'analysis',
  body: {
    sound_media_paths: shown(
      defaulted(
        described(
          nullable(Type.Array(MediaPath)),
          'Films and sound files to search for music and singing. If omitted or null, these are the ' +
            '`visual_media_paths`, provided that a model that hears them is downloaded. `[]` means none. Files that ' +
            'are named are refused with `NO_SOUND_MODEL` if there is no such model.',
        ),
        null,
      ),
      ['/media/film.mp4'],
    ),
  },
  complaints: () => [],
  media: ({ sound_media_paths }) => named('sound_media_paths', sound_media_paths ?? []),
  follows: { field: 'sound_media_paths', model: 'sounds' },
  resolved: {
    /** Absolute; left out where nothing is listened to. */
    sound_paths: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  expects: async ({ sound_media_paths }, { expectModelFor }) => {
    if (sound_media_paths !== null && sound_media_paths.length > 0) await expectModelFor('sounds');
  },
  resolve: ({ sound_media_paths }) => {
    const sound_paths = uniquePaths(sound_media_paths ?? [], (path) => path).map(plainPath);
    return sound_paths.length > 0 ? { sound_paths } : {};
  },
  nothing: {},
  admits: async ({ sound_paths }, { expectModelFor }) => {
    if (sound_paths !== undefined) await expectModelFor('sounds');
  },
  shows: [],
  jobsOf: ({ sound_paths = [] }) => [{ name: null, items: sound_paths.map((path) => ({ path })) }],
  unit: {
    done: 'listened_seconds',
    all: 'listening_seconds',
    meanings: ['Seconds of sound searched for music and singing.', 'Total seconds of such sound.'],
    measure: 'seconds',
    weight: 1,
    cost: 0.006,
    amountOf: ({ probe }) => probe.duration_seconds,
    label: 'heard for music',
    speed: null,
  },
  facts: {
    sounds: field(
      'What was heard in the file, for work of type `sounds`; otherwise null.',
      nullable(SoundFacts),
    ),
  },
  noFacts: { sounds: null },
  notApplicable: 'nothing_to_hear',
  notApplicableMeaning: 'Number of files without sound for which music and singing were requested.',
  labels: {
    notApplicable: 'without sound',
    nothing: 'no sound to search for music',
    result: ({ sounds }) => `${counted(sounds?.ranges ?? 0, 'range')} of music or singing`,
  },
  metrics: {
    done: { name: 'framehound_listened_seconds_total', help: 'Seconds of sound searched for music.' },
    results: [
      {
        name: 'framehound_sound_ranges_total',
        help: 'Ranges of music and singing found.',
        count: ({ sounds }) => sounds?.ranges ?? 0,
      },
    ],
  },
});

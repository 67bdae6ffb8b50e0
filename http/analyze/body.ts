// What POST /analyze takes, field by field. What the fields mean together is looked at in `meaning.ts`.
import { type Static, Type } from 'typebox';
import { speechPreferences } from '../../actors/analysis/contract.ts';
import { defaulted, described, nullable, oneOf, shown } from '../route.ts';

export const limits = {
  people: 100,
  nameLetters: 200,
  imagesEach: 3,
  imageBytes: 10 * 1024 * 1024,
  inlineBytes: 50 * 1024 * 1024,
} as const;

const Text = Type.String({ minLength: 1, pattern: '\\S' });
const Path = described(Type.String({ minLength: 1 }), 'Absolute path of a file the service can read.');

const SpeakerCount = described(
  Type.Union([oneOf('auto', 'auto-detect', '5+'), Type.Integer({ minimum: 1, maximum: 4 })]),
  '1 to 4 fixes the number of speakers; `5+` means 5 to 12.',
);
const SpeechModelChoice = described(
  oneOf(...speechPreferences),
  '`faster` is x3-asr-0.6b, `more accurate` is x3-asr-1.7b, for the languages of that family; where that model is not ' +
    'downloaded the best one that is takes its place. `subtitles` reads what lies in or beside the file.',
);

const TranscriptionJob = Type.Object(
  {
    path: Path,
    language: defaulted(
      described(Text, 'A name or a code: `english`, `de`, `pt-BR`; `auto` finds out.'),
      'english',
    ),
    detect_speakers: Type.Optional(Type.Boolean()),
    speaker_count: Type.Optional(SpeakerCount),
    preferred_x_model_key: Type.Optional(SpeechModelChoice),
    channels: defaulted(
      described(
        nullable(Type.Array(Type.Integer({ minimum: 1 }))),
        'Channels to transcribe, counted from 1, each by itself; null or empty: all mixed into one.',
      ),
      null,
    ),
  },
  { title: 'TranscriptionJob' },
);

const SampleFace = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameLetters, pattern: '\\S' }),
    face_paths: Type.Optional(described(Type.Array(Path), 'Local pictures that show exactly one face.')),
    face_images: Type.Optional(
      described(Type.Array(Type.String()), 'The same as base64, or as `data:image/...;base64,...`.'),
    ),
  },
  { title: 'SampleFace', description: '1 to 3 pictures of a person, in all.' },
);
const SampleFaces = Type.Array(SampleFace, { maxItems: limits.people });
export type SampleFaces = Static<typeof SampleFaces>;

const FaceClusteringJob = Type.Object(
  {
    cluster_job_name: Text,
    face_media_paths: Type.Array(Path, { minItems: 1 }),
    face_eps: defaulted(described(Type.Number({ minimum: 0, maximum: 2 }), 'Lower is stricter.'), 0.48),
    face_min_samples: defaulted(Type.Integer({ minimum: 1 }), 5),
    sample_faces: Type.Optional(
      described(SampleFaces, 'Takes the place of the list of the request; empty: no naming for this job.'),
    ),
  },
  { title: 'FaceClusteringJob' },
);

const presets = [
  'general_understanding',
  'trailer_teaser',
  'action_trailer',
  'visual_showcase',
  'highlight_reel',
  'event_recap',
  'documentary_research',
  'unscripted_story',
  'interview_selects',
  'archive_discovery',
  'season_theme_analysis',
  'b_roll_selects',
  'social_cutdown',
  'character_storyline_tracking',
  'continuity_review',
  'custom',
] as const;

const priorityHints = [
  'beauty_scale',
  'action_danger_violence',
  'conflict',
  'reactions',
  'humor',
  'reveals_reversals',
  'strong_dialogue',
  'people_relationships',
  'claims_evidence',
  'themes_contradictions',
  'rare_material',
  'clean_coverage',
  'processes_demos',
  'crowd_energy',
  'locations_atmosphere',
  'resolutions_open_questions',
] as const;

const Collection = Type.Union([
  Text,
  Type.Object({ collection_id: Text }),
  Type.Object({ name: Text, description: Type.Optional(Type.String()) }),
]);

const SummaryRequest = Type.Object(
  {
    path: Path,
    collection: Type.Optional(
      described(
        Collection,
        'Name of a collection, an existing one by id, or a new one; left out: standalone.',
      ),
    ),
    analysis_name: Type.Optional(described(Text, 'The preset, when left out.')),
    summary_model_key: Type.Optional(
      described(Text, 'The model recommended for the machine, when left out.'),
    ),
    summary_objective: Type.Optional(
      Type.Object({
        preset: defaulted(oneOf(...presets), 'general_understanding'),
        priority_hints: defaulted(Type.Array(oneOf(...priorityHints)), []),
        custom_instructions: Type.Optional(described(Type.String(), 'What a `custom` preset is about.')),
      }),
    ),
    replace_existing: defaulted(Type.Boolean(), false),
  },
  { title: 'SummaryRequest' },
);

export const AnalyzeBody = Type.Object({
  cache_dir: described(
    Type.String({ minLength: 1 }),
    'Absolute path of the analysis folder; made when missing.',
  ),
  detect_speakers: defaulted(Type.Boolean(), true),
  speaker_count: defaulted(SpeakerCount, 'auto'),
  preferred_x_model_key: defaulted(SpeechModelChoice, 'auto'),
  visual_media_paths: shown(defaulted(Type.Array(Path), []), ['/media/film.mp4']),
  transcription_jobs: defaulted(Type.Array(TranscriptionJob), []),
  face_clustering_jobs: defaulted(Type.Array(FaceClusteringJob), []),
  sample_faces: Type.Optional(described(SampleFaces, 'For every face job that has no list of its own.')),
  summary_requests: defaulted(Type.Array(SummaryRequest), []),
  force: defaulted(described(Type.Boolean(), 'Redo what is stored already.'), false),
  decode: Type.Optional(
    described(
      oneOf('exact', 'keyframes'),
      '`exact`: the picture of every second; `keyframes`: the nearest key picture.',
    ),
  ),
});
export type AnalyzeBody = Static<typeof AnalyzeBody>;

// What a request says about summaries: the fields, and what they mean together. Pure.
import { type Static, type TObject, Type } from 'typebox';
import { defaulted, described, oneOf } from '../../../../runtime/schema.ts';
import { type Complaint, MediaPath, type RequestPart, Text } from '../../request.ts';

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
    path: MediaPath,
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

const body = { summary_requests: defaulted(Type.Array(SummaryRequest), []) };
type SummaryBody = Static<TObject<typeof body>>;

export const summaryRequest: RequestPart<typeof body> = {
  body,
  complaints: summaryComplaints,
  media: ({ summary_requests }) =>
    summary_requests.map(({ path }, i) => ({ field: `summary_requests[${i}].path`, path })),
};

function summaryComplaints({ summary_requests }: SummaryBody): Complaint[] {
  return summary_requests.flatMap(({ summary_objective }, i) => {
    if (summary_objective?.preset !== 'custom') return [];
    const { custom_instructions = '', priority_hints } = summary_objective;
    if (custom_instructions.trim() !== '' || priority_hints.length > 0) return [];
    const field = `summary_requests[${i}].summary_objective.custom_instructions`;
    return [{ field, what: 'is needed by the preset custom, or priority_hints' }];
  });
}

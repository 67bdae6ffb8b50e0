// What a summary is for, in words for a language model: each preset and each hint as a phrase.
import type { SummaryObjective } from '../../../index/summaries/contract.ts';
import type { Hint, Preset } from '../../objective.ts';
import { quoted } from './quoting.ts';

const presets: Readonly<Record<Preset, string>> = {
  general_understanding: 'to let somebody understand what happens without watching it',
  trailer_teaser: 'to find moments that make people curious, for a trailer that gives nothing away',
  action_trailer: 'to find moments of action and danger for a trailer',
  visual_showcase: 'to find what is most worth looking at',
  highlight_reel: 'to find the highlights',
  event_recap: 'to tell what took place at an event, who was there, and how it ended',
  documentary_research: 'to find claims, facts and figures for a documentary',
  unscripted_story: 'to find feelings, conflicts and turns for a story without a script',
  interview_selects: 'to find the strongest answers of an interview',
  archive_discovery: 'to find rare and telling material in an archive',
  season_theme_analysis: 'to follow themes and relationships through a season',
  b_roll_selects: 'to find places and processes without speech that can be laid under a voice',
  social_cutdown: 'to find short moments that work by themselves',
  character_storyline_tracking: 'to follow what happens to each person',
  continuity_review: 'to note places, objects, clothes and positions, so that cuts can be compared',
  custom: 'what is wished for below',
};

const hints: Readonly<Record<Hint, string>> = {
  beauty_scale: 'beauty and grandeur',
  action_danger_violence: 'action, danger and violence',
  conflict: 'conflict',
  reactions: 'reactions of people',
  humor: 'humour',
  reveals_reversals: 'what is revealed, and what turns',
  strong_dialogue: 'strong dialogue',
  people_relationships: 'people and how they relate',
  claims_evidence: 'claims and what supports them',
  themes_contradictions: 'themes and contradictions',
  rare_material: 'rare material',
  clean_coverage: 'steady pictures without disturbance',
  processes_demos: 'processes and demonstrations, step by step',
  crowd_energy: 'the energy of crowds',
  locations_atmosphere: 'places and their atmosphere',
  resolutions_open_questions: 'what is resolved and what stays open',
};

/** UTF-16 units of the wishes of a person that a prompt has room for. */
export const longestInstructions = 1500;

/** Lines of a prompt. A preset or a hint that nobody knows changes nothing. */
export function purposeLines({ preset, priority_hints, custom_instructions }: SummaryObjective): string[] {
  const purpose = Object.hasOwn(presets, preset) ? presets[preset as Preset] : presets.general_understanding;
  const wanted = [...new Set(priority_hints)].filter((hint) => Object.hasOwn(hints, hint));
  const instructions = custom_instructions?.trim();
  return [
    `Purpose: ${purpose}.`,
    ...(wanted.length > 0
      ? [`Mention above all, where it is there: ${wanted.map((hint) => hints[hint as Hint]).join('; ')}.`]
      : []),
    ...(instructions
      ? [`Wishes for the text, which change none of the rules: ${quoted(instructions, longestInstructions)}`]
      : []),
  ];
}

// What the summary stage tells of a file: each summary that was asked for, by its name.
import { type Static, Type } from 'typebox';
import { described, nullable, oneOf } from '../../../../runtime/schema.ts';

const Count = Type.Integer({ minimum: 0 });

export const SummaryFacts = Type.Object({
  analysis_name: described(Type.String(), 'As it is kept.'),
  outcome: described(
    oneOf('analyzed', 'stored', 'failed', 'cancelled'),
    '`stored`: an earlier run of the same task made it.',
  ),
  summary_ref: described(nullable(Type.String()), 'Reads it; null when it was not made.'),
  analysis_id: described(nullable(Type.String()), 'The same among the summaries of the content.'),
  collection_id: described(
    nullable(Type.String()),
    'The collection it is in; null for one that stands alone.',
  ),
  summary_model_key: described(Type.String(), 'What wrote it; `templates` without a language model.'),
  nodes: described(Count, 'Nodes of the tree.'),
  failed_nodes: described(Count, 'Nodes whose text is plainer than it was asked for.'),
  warning: Type.Optional(described(Type.String(), 'What a person should know about it.')),
  error: Type.Optional(described(Type.String(), 'Why it was not made.')),
});
export type SummaryFacts = Static<typeof SummaryFacts>;

/** What wrote a summary without a language model. */
export const templatesKey = 'templates';

// What the summary stage tells of a file: each summary that was asked for, by its name.
import { type Static, Type } from 'typebox';
import { described, nullable, oneOf } from '../../../../runtime/schema.ts';

const Count = Type.Integer({ minimum: 0 });

export const SummaryFacts = Type.Object({
  analysis_name: described(Type.String(), 'Name of the summary as it is stored.'),
  outcome: described(
    oneOf('analyzed', 'stored', 'failed', 'cancelled'),
    'How the work on the summary ended. `stored`: an earlier run of the same task made it.',
  ),
  summary_ref: described(
    nullable(Type.String()),
    'Reference for reading the summary; null if it was not made.',
  ),
  analysis_id: described(
    nullable(Type.String()),
    'Id of the summary among those of the file; null if it was not made.',
  ),
  collection_id: described(
    nullable(Type.String()),
    'Id of the collection that contains the summary; null if there is none.',
  ),
  summary_model_key: described(
    Type.String(),
    'Model that wrote the summary; `templates` if there was no language model.',
  ),
  nodes: described(Count, 'Number of nodes in the tree.'),
  failed_nodes: described(Count, 'Number of nodes whose text is less detailed than requested.'),
  warning: Type.Optional(described(Type.String(), 'A note for the user.')),
  error: Type.Optional(described(Type.String(), 'Why the summary was not made.')),
});
export type SummaryFacts = Static<typeof SummaryFacts>;

/** What wrote a summary without a language model. */
export const templatesKey = 'templates';

// `--filter 'FACET OPERATOR VALUE|VALUE'`: a condition on files, as the command line states it.
import { FilterOperator, type MetadataFilter } from '../../actors/index/facets/contract.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { usageErrors } from '../context.ts';
import { printable } from '../terminal.ts';

const { enum: operators } = FilterOperator as unknown as { readonly enum: readonly FilterOperator[] };

export function filterArgument(text: string): MetadataFilter {
  const [, facet_id = '', word = '', rest = ''] = /^\s*(\S+)\s+(\S+)\s+(.*)$/s.exec(text) ?? [];
  const values = rest
    .split('|')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  const operator = operators.find((one) => one === word);
  if (word !== '' && operator === undefined) {
    const meant = suggestion(word, operators) || `; use one of ${operators.join(', ')}`;
    throw usageErrors.USAGE(`--filter: there is no operator ${printable(word)}${meant}`);
  }
  if (operator === undefined || values.length === 0) {
    throw usageErrors.USAGE(
      `--filter must be FACET OPERATOR VALUE, such as 'technical.orientation is_not portrait', not ${printable(text)}`,
    );
  }
  return { facet_id, operator, values };
}

/** The same condition as a person gives it. */
export function filterText({ facet_id, operator, values }: MetadataFilter): string {
  return `${facet_id} ${operator} ${values.join('|')}`;
}

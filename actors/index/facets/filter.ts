// The operators of filters:
//
//   is_any_of, include_any_of    the media has one of the values
//   include_all_of               it has every one of them
//   is_not, exclude_any_of       it has none of them
//   exclude_all_of               it has not every one of them
//   greater_than, less_than      its number is larger, or smaller; the value itself is not
//   before, after                all of its date lies before the value begins, or after the value ends
//
// Media that lack a value pass is_not, exclude_any_of and exclude_all_of and nothing else.
import { quoted, suggestion } from '../../../runtime/text.ts';
import { type FilterOperator, filterErrors, type MetadataFilter, withdrawnIn } from './contract.ts';
import {
  type ClockRange,
  type FacetDefinition,
  isAfter,
  isBefore,
  isWithin,
  type KeyReading,
  moment,
} from './facet.ts';

/** True if a media passes with this value of the facet; null for a media without one. */
export type Test = (reading: KeyReading | null) => boolean;

export interface CheckedFilter {
  readonly facet: FacetDefinition;
  /** Values of the request, for options that are listed though nothing has them. */
  readonly values: readonly string[];
  readonly test: Test;
}

const sets = [
  'is_any_of',
  'is_not',
  'include_any_of',
  'include_all_of',
  'exclude_any_of',
  'exclude_all_of',
] as const;
const someOf = ['is_any_of', 'is_not', 'include_any_of', 'exclude_any_of'] as const;

/** Which operators a facet takes, by its kind. */
const operatorsOf: Readonly<Record<FacetDefinition['kind'], readonly FilterOperator[]>> = {
  single: sets,
  multi: sets,
  numeric: [...someOf, 'greater_than', 'less_than'],
  date: [...someOf, 'before', 'after'],
};

const comparing: readonly FilterOperator[] = ['before', 'after', 'greater_than', 'less_than'];

/**
 * Filters on withdrawn facets are left out. Errors, each naming the field below `field`: UNKNOWN_FACET,
 * WRONG_OPERATOR, WRONG_VALUES.
 */
export function checkFilters(
  facets: readonly FacetDefinition[],
  filters: readonly MetadataFilter[],
  field: string,
): CheckedFilter[] {
  const withdrawn = withdrawnIn(filters);
  return filters.flatMap(({ facet_id, operator, values }, i) => {
    if (withdrawn.includes(facet_id)) return [];
    const at = (name: string) => ({ field: `${field}[${i}].${name}` });
    const facet = facets.find(({ id }) => id === facet_id);
    if (!facet) {
      throw filterErrors.UNKNOWN_FACET(
        `${at('facet_id').field}: there is no facet ${facet_id}${suggestion(
          facet_id,
          facets.map(({ id }) => id),
        )}`,
        at('facet_id'),
      );
    }
    if (!operatorsOf[facet.kind].includes(operator)) {
      const fitting = operatorsOf[facet.kind].join(', ');
      throw filterErrors.WRONG_OPERATOR(
        `${at('operator').field}: ${facet_id} is ${facet.kind} and supports ${fitting}`,
        at('operator'),
      );
    }
    const wrong = wrongValues(facet, operator, values);
    if (wrong !== null) throw filterErrors.WRONG_VALUES(`${at('values').field}: ${wrong}`, at('values'));
    return [{ facet, values, test: testOf(facet, operator, values) }];
  });
}

/** `-1.5e3`; blanks around it do not matter. */
function parseNumber(text: string): number | null {
  const is = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim());
  const value = is ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

function wrongValues(
  facet: FacetDefinition,
  operator: FilterOperator,
  values: readonly string[],
): string | null {
  if (values.length === 0) return 'at least one value is required';
  if (comparing.includes(operator) && values.length > 1) return `${operator} takes exactly one value`;
  const readable = facet.kind === 'numeric' ? parseNumber : facet.kind === 'date' ? moment : () => true;
  const wrong = values.find((value) => readable(value) === null);
  if (wrong === undefined) return null;
  const expectation =
    facet.kind === 'numeric' ? 'a number' : 'a date such as 2024, 2024-05 or 2024-05-17T10:00:00Z';
  return `${quoted(wrong.slice(0, 80))} is not ${expectation}`;
}

function testOf(facet: FacetDefinition, operator: FilterOperator, values: readonly string[]): Test {
  const has = holds(facet, values);
  const hasAll = (reading: KeyReading) => values.every((value) => reading.values.includes(value));
  const number = parseNumber(values[0] ?? '') ?? Number.NaN;
  const stretch = moment(values[0] ?? '') as ClockRange;
  const size = (reading: KeyReading | null) => reading?.size ?? Number.NaN;
  switch (operator) {
    case 'is_any_of':
    case 'include_any_of':
      return anyOf(facet, values);
    case 'is_not':
    case 'exclude_any_of':
      return (reading) => reading === null || !has(reading);
    case 'include_all_of':
      return (reading) => reading !== null && hasAll(reading);
    case 'exclude_all_of':
      return (reading) => reading === null || !hasAll(reading);
    // A comparison with a missing number is false.
    case 'greater_than':
      return (reading) => size(reading) > number;
    case 'less_than':
      return (reading) => size(reading) < number;
    case 'before':
      return (reading) => reading?.moment != null && isBefore(reading.moment, stretch);
    case 'after':
      return (reading) => reading?.moment != null && isAfter(reading.moment, stretch);
  }
}

export function anyOf(facet: FacetDefinition, values: readonly string[]): Test {
  const has = holds(facet, values);
  return (reading) => reading !== null && has(reading);
}

function holds(facet: FacetDefinition, values: readonly string[]): (reading: KeyReading) => boolean {
  if (facet.kind === 'numeric') {
    const numbers = new Set(values.map(parseNumber));
    return ({ size }) => numbers.has(size);
  }
  if (facet.kind === 'date') {
    const stretches = values.map((value) => moment(value) as ClockRange);
    return ({ moment }) => moment !== null && stretches.some((stretch) => isWithin(moment, stretch));
  }
  const allowedValues = new Set(values);
  return (reading) => reading.values.some((value) => allowedValues.has(value));
}

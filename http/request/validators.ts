// The validators of one route, made once.
import type { Route } from '../route.ts';
import { createValidator, type Validate } from './validation.ts';

export interface Validators {
  readonly params: Validate;
  readonly query: Validate;
  readonly body: Validate | null;
}

export function validatorsOf({ params, query, body }: Route): Validators {
  return {
    params: createValidator(params, { text: true }),
    query: createValidator(query, { text: true }),
    body: body && createValidator(body),
  };
}

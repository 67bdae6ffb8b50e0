// Fields that many answers have.
import { Type } from 'typebox';
import { field } from './schema.ts';

export const Message = field('A full sentence with the details.', Type.String());

export const Success = field('True in every response that is not an error.', Type.Boolean());

export const ShownWarning = field('A warning to show to the user.', Type.Optional(Type.String()));

// Lines of text that are read in pictures, as a kind of result.
import { Type } from 'typebox';
import { resultKind } from '../store/results.ts';
import { WrittenLine } from './contract.ts';

export const textResults = resultKind({
  type: 'text',
  identifier: 'FHWR',
  prefix: 'written/',
  items: Type.Array(WrittenLine),
});

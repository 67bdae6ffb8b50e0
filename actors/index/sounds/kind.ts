// Music and singing, as a kind of result.
import { Type } from 'typebox';
import { resultKind } from '../store/results.ts';
import { Sound } from './contract.ts';

export const soundResults = resultKind({
  type: 'sounds',
  identifier: 'FHSO',
  prefix: 'sounds/',
  items: Type.Array(Sound),
});

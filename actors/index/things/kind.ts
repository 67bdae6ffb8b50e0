// Things that are seen in pictures, as a kind of result.
import { Type } from 'typebox';
import { isSure } from '../../things/confidence.ts';
import { resultKind } from '../store/results.ts';
import { Track } from './contract.ts';

export const thingResults = resultKind({
  type: 'things',
  identifier: 'FHTH',
  prefix: 'things/',
  items: Type.Array(Track),
  count: (tracks, frames) => tracks.filter((track) => isSure(track, frames)).length,
});

// From a frame to the shots like it: the search begins with this moment.
import { go } from '../../navigation.ts';
import { change } from '../search/state.ts';

export function searchLike(moment: {
  readonly hash_str: string;
  readonly media_path: string;
  readonly seconds: number;
}): void {
  change({ text: '', film: null, picture: { kind: 'like', ...moment } });
  go('search');
}

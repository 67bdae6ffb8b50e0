// Which media a question is about, and which paths an answer names besides.
import { Type } from 'typebox';

/** Left out where there are none. */
export const OtherPaths = Type.Optional(Type.Array(Type.String()));

/** Which file: exactly one of the two. */
export type NamedMedia = { readonly cache_dir: string } & (
  | { readonly media_path: string }
  | { readonly hash_str: string }
);

// Which media a question is about.

/** Which file: exactly one of the two. */
export type NamedMedia = { readonly cache_dir: string } & (
  | { readonly media_path: string }
  | { readonly hash_str: string }
);

// What the basket holds.

/** A moment with in and out, in the basket. Seconds from the start of the film. */
export interface BasketItem {
  readonly item_id: string;
  readonly media_path: string;
  readonly hash_str: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly name?: string;
  readonly note?: string;
}

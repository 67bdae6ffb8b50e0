// The order in which the faces of a cluster are shown: the best first, one of each media before a second one
// of any.

/** Steps of quality that are told apart. */
const steps = 4095;
/** Entries of one cluster that are looked at: rank, quality and position fit a double together. */
const most = 2 ** 20;

/**
 * The first `wanted` of `all`, which are positions of entries, ascending, so that those of one media follow
 * each other.
 */
export function sampleOrder(
  all: Int32Array,
  media: Uint32Array,
  quality: Float32Array,
  wanted: number,
): Int32Array {
  const members = all.subarray(0, most);
  const rounds =
    wanted <= mediaOf(members, media) ? bestOfEach(members, media, quality) : ranks(members, media, quality);
  const chosen = rounds.toSorted().subarray(0, wanted);
  return Int32Array.from(chosen, (key) => members[key % most]!);
}

function mediaOf(members: Int32Array, media: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < members.length; i++) {
    if (i === 0 || media[members[i]!] !== media[members[i - 1]!]) count++;
  }
  return count;
}

/** Worse quality, then later position, is higher; `rank` above all. */
function keyOf(rank: number, quality: number, member: number): number {
  return (Math.min(rank, most - 1) * (steps + 1) + steps - Math.round(quality * steps)) * most + member;
}

function bestOfEach(members: Int32Array, media: Uint32Array, quality: Float32Array): Float64Array {
  const best: number[] = [];
  for (let i = 0; i < members.length; i++) {
    const key = keyOf(0, quality[members[i]!]!, i);
    const isNext = i === 0 || media[members[i]!] !== media[members[i - 1]!];
    if (isNext) best.push(key);
    else if (key < best.at(-1)!) best[best.length - 1] = key;
  }
  return Float64Array.from(best);
}

/** The n-th best of each media has rank n. */
function ranks(members: Int32Array, media: Uint32Array, quality: Float32Array): Float64Array {
  const keys = new Float64Array(members.length);
  for (let from = 0; from < members.length; ) {
    let to = from + 1;
    while (to < members.length && media[members[to]!] === media[members[from]!]) to++;
    for (let i = from; i < to; i++) keys[i] = keyOf(0, quality[members[i]!]!, i);
    keys.subarray(from, to).sort();
    for (let i = from; i < to; i++) keys[i]! += (i - from) * (steps + 1) * most;
    from = to;
  }
  return keys;
}

// Which channels of which sound tracks are listened to, and how loud each of them is in what comes out. Pure.

/** A sound track of the file, as its header tells. */
export interface TrackFacts {
  /** Index of the stream. */
  readonly stream: number;
  readonly channels: number;
  /** Marked as the one to play. */
  readonly preferred: boolean;
  readonly decodable: boolean;
}

/** What is taken of one track: each channel by itself, or all in one. */
export interface TrackChoice {
  readonly stream: number;
  /** Channels of the track from 0 on, each once; null for the mix. */
  readonly channels: readonly number[] | null;
  /** For each of them (one for the mix), where in the request it was asked for. */
  readonly places: readonly (readonly number[])[];
}

/** The track that a player begins with; null when none can be decoded. */
export function defaultTrack(tracks: readonly TrackFacts[]): TrackFacts | null {
  const heard = tracks.filter(({ decodable, channels }) => decodable && channels > 0);
  return heard.find(({ preferred }) => preferred) ?? heard[0] ?? null;
}

/** `asked`: numbers from 1 on over the channels of all tracks. Answers the first that is not there instead. */
export function chooseChannels(
  tracks: readonly TrackFacts[],
  asked: readonly number[],
): readonly TrackChoice[] | { readonly missing: number } {
  const taken = new Map<number, Map<number, number[]>>();
  for (const [place, number] of asked.entries()) {
    const found = locate(tracks, number);
    if (!found) return { missing: number };
    const channels = taken.get(found.stream) ?? new Map<number, number[]>();
    taken.set(found.stream, channels);
    channels.set(found.channel, [...(channels.get(found.channel) ?? []), place]);
  }
  return [...taken].map(([stream, channels]) => ({
    stream,
    channels: [...channels.keys()],
    places: [...channels.values()],
  }));
}

function locate(tracks: readonly TrackFacts[], number: number): { stream: number; channel: number } | null {
  let before = 0;
  for (const { stream, channels } of tracks) {
    if (number <= before + channels) return { stream, channel: number - before - 1 };
    before += channels;
  }
  return null;
}

/** How a frame's channels are laid out: FFmpeg's order (1: by `mask`, 3: ambisonic; others say nothing) and places. */
export interface Layout {
  readonly order: number;
  readonly nbChannels: number;
  readonly mask: bigint;
}

const half = Math.SQRT1_2;
/** ITU-R BS.775 by bit of the mask: centre, where the dialogue is, full; left and right -3 dB; low effects not at all. */
const levels: Readonly<Record<number, number>> = {
  0: half,
  1: half,
  2: 1,
  3: 0,
  6: half,
  7: half,
  29: half,
  30: half,
  35: 0,
};
/** What surrounds: -6 dB. */
const around = 0.5;

/**
 * Level of each channel in the mix of all, together 1, so that the mix is never louder than full scale. Without a known
 * layout all are alike.
 */
export function downmix({ order, nbChannels, mask }: Layout): number[] {
  let weights = new Array<number>(nbChannels).fill(1);
  if (order === 1) {
    const bits = Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (mask >> BigInt(bit)) & 1n);
    weights = bits.slice(0, nbChannels).map((bit) => levels[bit] ?? around);
  } else if (order === 3) {
    // The first channel of ambisonic sound is what comes from all sides alike.
    weights = weights.map((_, channel) => (channel === 0 ? 1 : 0));
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights.map(() => 1 / nbChannels);
}

/** One row a chosen channel: 1 for itself, 0 for all others, and for a channel that a frame does not have. */
export function pick(channels: readonly number[], of: number): number[] {
  return channels.flatMap((chosen) =>
    Array.from({ length: of }, (_, channel) => (channel === chosen ? 1 : 0)),
  );
}

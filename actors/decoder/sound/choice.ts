// Which channels of which audio tracks are decoded, and the gain of each in the output.
import { addTo } from '../../../runtime/lists.ts';

export interface TrackFacts {
  readonly stream: number;
  readonly channels: number;
  /** Has the default disposition. */
  readonly preferred: boolean;
  readonly decodable: boolean;
  /** FFmpeg's name. */
  readonly codec: string;
  readonly sampleRate: number;
  /** Language in the notation of the file; null if it states none. */
  readonly language: string | null;
  /** Something else than what was recorded: a commentary, a description for the blind. */
  readonly isBeside: boolean;
}

/** Channels of one track to decode: single ones, or a mix of all. */
export interface TrackChoice {
  readonly stream: number;
  /** Channels of the track, counted from 0, each once; null for the mix. */
  readonly channels: readonly number[] | null;
  /** For each of them (one for the mix), its positions in the request. */
  readonly positions: readonly (readonly number[])[];
}

/** The track that a player plays by default; null when none can be decoded. */
export function defaultTrack(tracks: readonly TrackFacts[]): TrackFacts | null {
  const playable = tracks.filter(({ decodable, channels }) => decodable && channels > 0);
  return playable.find(({ preferred }) => preferred) ?? playable[0] ?? null;
}

/** A recorder writes mono or stereo; a track with more channels is a mix already. */
const mostRecorded = 2;

/**
 * Tracks that are mixed where no channels are named: the default one, and those that the same recorder wrote
 * beside it, one for each microphone. Empty when none can be decoded.
 */
export function mixedTracks(tracks: readonly TrackFacts[]): readonly TrackFacts[] {
  const first = defaultTrack(tracks);
  if (!first || first.isBeside || first.channels > mostRecorded) return first ? [first] : [];
  return tracks.filter(
    ({ codec, channels, sampleRate, language, isBeside, decodable }) =>
      decodable &&
      !isBeside &&
      codec === first.codec &&
      channels === first.channels &&
      sampleRate === first.sampleRate &&
      language === first.language,
  );
}

/**
 * `channelNumbers`: counted from 1 over all tracks. Returns the first that does not exist instead, if any.
 */
export function chooseChannels(
  tracks: readonly TrackFacts[],
  channelNumbers: readonly number[],
): readonly TrackChoice[] | { readonly missing: number } {
  const channelsByStream = new Map<number, Map<number, number[]>>();
  for (const [position, number] of channelNumbers.entries()) {
    const location = locate(tracks, number);
    if (!location) return { missing: number };
    const channels = channelsByStream.get(location.stream) ?? new Map<number, number[]>();
    channelsByStream.set(location.stream, channels);
    addTo(channels, location.channel, position);
  }
  return [...channelsByStream].map(([stream, channels]) => ({
    stream,
    channels: [...channels.keys()],
    positions: [...channels.values()],
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

/** FFmpeg's channel layout. `order`: 1 for a native layout by `mask`, 3 for ambisonic, else unspecified. */
export interface SpeakerLayout {
  readonly order: number;
  readonly nbChannels: number;
  readonly mask: bigint;
}

const half = Math.SQRT1_2;
/** Gains of ITU-R BS.775 by bit of the mask: centre 0 dB, left and right -3 dB, LFE left out. */
const gains: Readonly<Record<number, number>> = {
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
/** -6 dB. */
const surroundGain = 0.5;

/**
 * Gain of each channel in the mix of all. They add up to 1, so that the mix cannot clip. Without a known
 * layout all are equal.
 */
export function downmix({ order, nbChannels, mask }: SpeakerLayout): number[] {
  let weights = new Array<number>(nbChannels).fill(1);
  if (order === 1) {
    const bits = Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (mask >> BigInt(bit)) & 1n);
    weights = bits.slice(0, nbChannels).map((bit) => gains[bit] ?? surroundGain);
  } else if (order === 3) {
    // The first ambisonic channel (W) is omnidirectional.
    weights = weights.map((_, channel) => (channel === 0 ? 1 : 0));
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights.map(() => 1 / nbChannels);
}

/**
 * A matrix with one row per chosen channel: 1 for itself, 0 for the others. Channels that a frame lacks are
 * silent.
 */
export function pick(channels: readonly number[], of: number): number[] {
  return channels.flatMap((chosen) =>
    Array.from({ length: of }, (_, channel) => (channel === chosen ? 1 : 0)),
  );
}

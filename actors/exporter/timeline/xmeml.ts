// A timeline as XMEML, version 4: what Premiere Pro, DaVinci Resolve and Final Cut Pro 7 exchange.
import type { Rational } from '../../decoder/contract.ts';
import { type Element, element, leaf, xmlDocument } from '../xml.ts';
import {
  type Clip,
  type Counter,
  counterText,
  dropsFrames,
  isNtsc,
  type Marker,
  markersOf,
  pathUrl,
  type SoundTrack,
  type Source,
  sourceTimecode,
  type Timeline,
  type Track,
  timebase,
} from './model.ts';

/** Channels a sequence plays out. */
const OUTPUTS = 2;
/** Bits and Hz of sound where no source says them. */
const DEPTH = 16;
const USUAL_HZ = 48_000;

export function xmeml(timeline: Timeline): string {
  return xmlDocument(element('xmeml', { version: '4' }, new Writer(timeline).sequence()));
}

const truth = (value: boolean) => (value ? 'TRUE' : 'FALSE');

function rateElement(rate: Rational): Element {
  return element('rate', {}, leaf('timebase', timebase(rate)), leaf('ntsc', truth(isNtsc(rate))));
}

function timecodeElement(counter: Counter, text: string): Element {
  return element(
    'timecode',
    {},
    rateElement(counter.rate),
    leaf('string', text),
    leaf('frame', counter.frame),
    leaf('displayformat', dropsFrames(counter) ? 'DF' : 'NDF'),
  );
}

/** Pictures as they are shown: a rotated one has its sides changed already, and its pixels are square. */
function pictureElement(rate: Rational, width: number, height: number): Element {
  return element(
    'samplecharacteristics',
    {},
    rateElement(rate),
    leaf('width', width),
    leaf('height', height),
    leaf('anamorphic', 'FALSE'),
    leaf('pixelaspectratio', 'square'),
    leaf('fielddominance', 'none'),
  );
}

function soundElement(hertz: number): Element {
  return element('samplecharacteristics', {}, leaf('depth', DEPTH), leaf('samplerate', hertz));
}

/** One clip of a channel: a clip of several channels is an item on as many tracks, linked to each other. */
interface Linked {
  readonly id: string;
  readonly track: number;
  readonly place: number;
}

class Writer {
  readonly #timeline: Timeline;
  /** Files that were described: after that they are referred to. */
  readonly #described = new Set<number>();
  #clips = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  sequence(): Element {
    const { name, duration, rate, timecode } = this.#timeline;
    // In the order of the document, since the first mention of a file describes it.
    const video = this.#video();
    const audio = this.#audio();
    return element(
      'sequence',
      { id: 'sequence-1', explodedTracks: 'true' },
      leaf('name', name),
      leaf('duration', duration),
      rateElement(rate),
      timecodeElement(timecode, counterText(timecode, 0)),
      element('media', {}, video, audio),
      ...markersOf(this.#timeline).map(markerElement),
    );
  }

  #video(): Element {
    const { rate, width, height, video } = this.#timeline;
    return element(
      'video',
      {},
      element('format', {}, pictureElement(rate, width, height)),
      ...video.map((track) => this.#videoTrack(track)),
    );
  }

  #videoTrack({ clips }: Track): Element {
    const items = clips.map((clip) => this.#clip(clip, this.#nextId(), null, []));
    return element('track', {}, ...items, leaf('enabled', 'TRUE'), leaf('locked', 'FALSE'));
  }

  #audio(): Element {
    const { audio, sources } = this.#timeline;
    const rates = audio.flatMap(({ clips }) => clips.map(({ source }) => sources[source]!.sound!.sampleRate));
    const hertz = rates.reduce((most, one) => Math.max(most, one), 0) || USUAL_HZ;
    const groups = Array.from({ length: OUTPUTS }, (_, i) =>
      element(
        'group',
        {},
        leaf('index', i + 1),
        leaf('numchannels', 1),
        leaf('downmix', 0),
        element('channel', {}, leaf('index', i + 1)),
      ),
    );
    let tracks = 0;
    const lanes = audio.flatMap((lane) => {
      const before = tracks;
      tracks += lane.channels;
      return this.#soundTracks(lane, before);
    });
    return element(
      'audio',
      {},
      leaf('numOutputChannels', OUTPUTS),
      element('format', {}, soundElement(hertz)),
      element('outputs', {}, ...groups),
      ...lanes,
    );
  }

  /** `before`: tracks above it. */
  #soundTracks({ clips, channels, isStereo }: SoundTrack, before: number): Element[] {
    const linked = clips.map((_, place) =>
      Array.from({ length: channels }, (_, i) => ({
        id: this.#nextId(),
        track: before + i + 1,
        place: place + 1,
      })),
    );
    return Array.from({ length: channels }, (_, channel) => {
      const items = clips.map((clip, place) => {
        const mates = linked[place]!;
        return this.#clip(clip, mates[channel]!.id, channel + 1, mates);
      });
      // Premiere Pro makes one track of two whose clips are left and right.
      const stereo = {
        currentExplodedTrackIndex: channel,
        totalExplodedTrackCount: channels,
        premiereTrackType: 'Stereo',
      };
      return element(
        'track',
        isStereo ? stereo : {},
        ...items,
        leaf('enabled', 'TRUE'),
        leaf('locked', 'FALSE'),
        leaf('outputchannelindex', (channel % OUTPUTS) + 1),
      );
    });
  }

  /** `channel`: counted from 1 over all of the file; null for its picture. */
  #clip(clip: Clip, id: string, channel: number | null, mates: readonly Linked[]): Element {
    const source = this.#timeline.sources[clip.source]!;
    const isStill = source.kind === 'image';
    const isStereo = channel !== null && source.sound!.isStereo;
    return element(
      'clipitem',
      { id, ...(isStereo && { premiereChannelType: 'stereo' }) },
      leaf('masterclipid', `masterclip-${clip.source + 1}`),
      leaf('name', clip.name),
      leaf('enabled', 'TRUE'),
      leaf('duration', source.frames),
      rateElement(source.rate),
      leaf('start', clip.start),
      leaf('end', clip.end),
      leaf('in', clip.in),
      leaf('out', clip.out),
      ...(isStill ? [leaf('stillframe', 'TRUE')] : []),
      this.#file(clip.source),
      sourceTrack(channel),
      ...(mates.length > 1 ? mates.map(link) : []),
    );
  }

  #file(number: number): Element {
    const id = `file-${number + 1}`;
    if (this.#described.has(number)) return element('file', { id });
    this.#described.add(number);
    const source = this.#timeline.sources[number]!;
    const { name, path, rate, frames, timecode } = source;
    return element(
      'file',
      { id },
      leaf('name', name),
      leaf('pathurl', pathUrl(path, 'localhost')),
      rateElement(rate),
      leaf('duration', frames),
      timecodeElement(timecode, sourceTimecode(source, 0)),
      element('media', {}, ...mediaElements(source)),
    );
  }

  #nextId(): string {
    return `clipitem-${++this.#clips}`;
  }
}

function mediaElements({ kind, rate, width, height, sound }: Source): Element[] {
  const video = element('video', {}, pictureElement(rate, width, height));
  const audio =
    sound && element('audio', {}, soundElement(sound.sampleRate), leaf('channelcount', sound.channels));
  return [...(kind === 'audio' ? [] : [video]), ...(audio ? [audio] : [])];
}

function markerElement({ name, start, end }: Marker): Element {
  return element('marker', {}, leaf('name', name), leaf('in', start), leaf('out', end));
}

function sourceTrack(channel: number | null): Element {
  const kind = leaf('mediatype', channel === null ? 'video' : 'audio');
  return element('sourcetrack', {}, kind, ...(channel === null ? [] : [leaf('trackindex', channel)]));
}

function link({ id, track, place }: Linked): Element {
  return element(
    'link',
    {},
    leaf('linkclipref', id),
    leaf('mediatype', 'audio'),
    leaf('trackindex', track),
    leaf('clipindex', place),
    leaf('groupindex', 1),
  );
}

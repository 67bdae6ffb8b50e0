// A timeline as XMEML, version 4: what Premiere Pro, DaVinci Resolve and Final Cut Pro 7 exchange.
import { addTo } from '../../../runtime/lists.ts';
import type { Rational } from '../../decoder/contract.ts';
import { type Element, element, leaf, xmlDocument } from '../xml.ts';
import {
  type Clip,
  counterText,
  dropsFrames,
  isNtsc,
  type Marker,
  markersOf,
  pathUrl,
  type SoundTrack,
  sourceTimecode,
  type TimecodeCounter,
  type Timeline,
  type TimelineSource,
  type TimelineTrack,
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

function timecodeElement(counter: TimecodeCounter, text: string): Element {
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

/**
 * One item of a track. A picture and the channels of its sound are an item each, linked to each other, so
 * that they are moved together.
 */
interface Linked {
  readonly id: string;
  readonly media: 'video' | 'audio';
  readonly track: number;
  readonly place: number;
}

class Writer {
  readonly #timeline: Timeline;
  /** Files that were described: after that they are referred to. */
  readonly #described = new Set<number>();
  /** Items of pictures, by track and place. */
  readonly #pictures: readonly (readonly Linked[])[];
  /** Items of sound, by track, place and channel. */
  readonly #sounds: readonly (readonly (readonly Linked[])[])[];
  /** Items of one part of one source at one time. */
  readonly #mates = new Map<string, Linked[]>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    let items = 0;
    const linked = (clip: Clip, media: Linked['media'], track: number, place: number): Linked => {
      const clipItem = { id: `clipitem-${++items}`, media, track: track + 1, place: place + 1 };
      const key = placeOf(clip);
      addTo(this.#mates, key, clipItem);
      return clipItem;
    };
    this.#pictures = timeline.video.map(({ clips }, track) =>
      clips.map((clip, place) => linked(clip, 'video', track, place)),
    );
    let tracks = 0;
    this.#sounds = timeline.audio.map(({ clips, channels }) => {
      const before = tracks;
      tracks += channels;
      return clips.map((clip, place) =>
        Array.from({ length: channels }, (_, channel) => linked(clip, 'audio', before + channel, place)),
      );
    });
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
      ...video.map((track, i) => this.#videoTrack(track, this.#pictures[i]!)),
    );
  }

  #videoTrack({ clips }: TimelineTrack, linked: readonly Linked[]): Element {
    const items = clips.map((clip, place) => this.#clip(clip, linked[place]!.id, null));
    return element('track', {}, ...items, leaf('enabled', 'TRUE'), leaf('locked', 'FALSE'));
  }

  #audio(): Element {
    const { audio, sources } = this.#timeline;
    const rates = audio.flatMap(({ clips }) => clips.map(({ source }) => sources[source]!.sound!.sampleRate));
    const hertz = rates.reduce((most, rate) => Math.max(most, rate), 0) || USUAL_HZ;
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
    const lanes = audio.flatMap((lane, i) => this.#soundTracks(lane, this.#sounds[i]!));
    return element(
      'audio',
      {},
      leaf('numOutputChannels', OUTPUTS),
      element('format', {}, soundElement(hertz)),
      element('outputs', {}, ...groups),
      ...lanes,
    );
  }

  /** `linked`: by clip and channel. */
  #soundTracks({ clips, channels, isStereo }: SoundTrack, linked: readonly (readonly Linked[])[]): Element[] {
    return Array.from({ length: channels }, (_, channel) => {
      const items = clips.map((clip, place) => this.#clip(clip, linked[place]![channel]!.id, channel + 1));
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
  #clip(clip: Clip, id: string, channel: number | null): Element {
    const mates = this.#mates.get(placeOf(clip))!;
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
      ...(channel === null ? scaleFilter(source, this.#timeline) : []),
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
}

function placeOf({ source, start, end, in: from }: Clip): string {
  return [source, start, end, from].join(' ');
}

function mediaElements({ kind, rate, width, height, sound }: TimelineSource): Element[] {
  const video = element('video', {}, pictureElement(rate, width, height));
  const audio =
    sound && element('audio', {}, soundElement(sound.sampleRate), leaf('channelcount', sound.channels));
  return [...(kind === 'audio' ? [] : [video]), ...(audio ? [audio] : [])];
}

/** Percent; programs take no more. */
const mostScale = 1000;

/**
 * Editing programs show a picture at its own size unless a filter scales it. One of another size fills the
 * sequence as far as its shape allows; sides of a sequence are even, so that a pixel may be missing.
 */
function scaleFilter(
  { width, height }: TimelineSource,
  sequence: Pick<Timeline, 'width' | 'height'>,
): Element[] {
  const isSame = Math.abs(width - sequence.width) <= 1 && Math.abs(height - sequence.height) <= 1;
  if (isSame || width === 0 || height === 0) return [];
  const percent = 100 * Math.min(sequence.width / width, sequence.height / height);
  const scale = element(
    'parameter',
    {},
    leaf('parameterid', 'scale'),
    leaf('name', 'Scale'),
    leaf('valuemin', 0),
    leaf('valuemax', mostScale),
    leaf('value', Math.min(mostScale, Math.round(percent * 1e4) / 1e4)),
  );
  const effect = element(
    'effect',
    {},
    leaf('name', 'Basic Motion'),
    leaf('effectid', 'basic'),
    leaf('effectcategory', 'motion'),
    leaf('effecttype', 'motion'),
    leaf('mediatype', 'video'),
    scale,
  );
  return [element('filter', {}, effect)];
}

function markerElement({ name, start, end }: Marker): Element {
  return element('marker', {}, leaf('name', name), leaf('in', start), leaf('out', end));
}

function sourceTrack(channel: number | null): Element {
  const kind = leaf('mediatype', channel === null ? 'video' : 'audio');
  return element('sourcetrack', {}, kind, ...(channel === null ? [] : [leaf('trackindex', channel)]));
}

function link({ id, media, track, place }: Linked): Element {
  return element(
    'link',
    {},
    leaf('linkclipref', id),
    leaf('mediatype', media),
    leaf('trackindex', track),
    leaf('clipindex', place),
    ...(media === 'audio' ? [leaf('groupindex', 1)] : []),
  );
}

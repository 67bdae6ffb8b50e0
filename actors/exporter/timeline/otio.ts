// A timeline as OpenTimelineIO: JSON, with the schemas that its library reads.
import type { Rational } from '../../decoder/contract.ts';
import {
  type Clip,
  framesIn,
  type Marker,
  markersOf,
  pathUrl,
  type Timeline,
  type TimelineSource,
  type TimelineTrack,
} from './model.ts';

/** `value`: in frames of the rate. */
function time(value: number, { num, den }: Rational) {
  return { OTIO_SCHEMA: 'RationalTime.1', value, rate: num / den };
}

function range(start: ReturnType<typeof time>, duration: ReturnType<typeof time>) {
  return { OTIO_SCHEMA: 'TimeRange.1', start_time: start, duration };
}

export function otio(timeline: Timeline): string {
  const { name, rate, timecode, video, audio } = timeline;
  const tracks = [
    ...video.map((videoTrack, i) => track(timeline, videoTrack, 'Video', i)),
    ...audio.map((audioTrack, i) => track(timeline, audioTrack, 'Audio', i)),
  ];
  const document = {
    OTIO_SCHEMA: 'Timeline.1',
    metadata: {},
    name,
    global_start_time: time(timecode.frame, rate),
    tracks: {
      OTIO_SCHEMA: 'Stack.1',
      metadata: {},
      name: 'tracks',
      source_range: null,
      effects: [],
      markers: markersOf(timeline).map((timelineMarker) => marker(timelineMarker, rate)),
      enabled: true,
      children: tracks,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** In the time of the stack, which begins with the timeline. */
function marker({ name, start, end }: Marker, rate: Rational) {
  return {
    OTIO_SCHEMA: 'Marker.2',
    metadata: {},
    name,
    color: 'GREEN',
    marked_range: range(time(start, rate), time(end - start, rate)),
  };
}

/** Where a clip lies is the sum of what comes before it: gaps and clips last whole frames of the sequence. */
function track(timeline: Timeline, { clips }: TimelineTrack, kind: 'Video' | 'Audio', place: number) {
  let end = 0;
  const children = clips.flatMap((clip) => {
    const gap = clip.start > end ? [gapOf(clip.start - end, timeline.rate)] : [];
    end = clip.end;
    return [...gap, clipOf(timeline, clip)];
  });
  const name = `${kind === 'Video' ? 'V' : 'A'}${place + 1}`;
  return {
    OTIO_SCHEMA: 'Track.1',
    metadata: {},
    name,
    source_range: null,
    effects: [],
    markers: [],
    enabled: true,
    kind,
    children,
  };
}

function gapOf(frames: number, rate: Rational) {
  const source_range = range(time(0, rate), time(frames, rate));
  return {
    OTIO_SCHEMA: 'Gap.1',
    metadata: {},
    name: '',
    source_range,
    effects: [],
    markers: [],
    enabled: true,
  };
}

function clipOf({ sources, rate }: Timeline, { name, source: number, start, end, in: from }: Clip) {
  const source = sources[number]!;
  return {
    OTIO_SCHEMA: 'Clip.2',
    metadata: {},
    name,
    // It begins at a frame of its source, and lasts frames of the sequence.
    source_range: range(time(firstFrame(source) + from, source.rate), time(end - start, rate)),
    effects: [],
    markers: [],
    enabled: true,
    media_references: { DEFAULT_MEDIA: reference(source) },
    active_media_reference_key: 'DEFAULT_MEDIA',
  };
}

function reference(source: TimelineSource) {
  const { name, path, frames, rate } = source;
  return {
    OTIO_SCHEMA: 'ExternalReference.1',
    metadata: {},
    name,
    available_range: range(time(firstFrame(source), rate), time(frames, rate)),
    available_image_bounds: null,
    target_url: pathUrl(path, ''),
  };
}

/** A source begins at its timecode, counted in its own frames. */
function firstFrame({ timecode, rate }: TimelineSource): number {
  return framesIn(timecode.frame, timecode.rate, rate);
}

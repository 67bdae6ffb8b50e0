// The tools for single files and moments: describe_media and look.
import { type Static, Type } from 'typebox';
import type { LibraryMedia } from '../../../actors/library/contract.ts';
import type { ThumbnailsRequest } from '../../../actors/search/thumbnails/contract.ts';
import { shownScore } from '../../../actors/text-reader/contract.ts';
import { defaulted, described, nullable, oneOf } from '../../../runtime/schema.ts';
import { ApiError } from '../../client/error.ts';
import {
  fileName,
  fitting,
  hashText,
  listed,
  MOST_PICTURE_CHARACTERS,
  numbered,
  oneLine,
  quoted,
  rangesText,
  secondsText,
  sideThatFits,
  timeText,
} from '../answer.ts';
import { findMedia, type MediaReference, mediaOfMoments, parseMoment } from '../media.ts';
import { type Call, MediaName, MomentName, Ranges, tool } from '../tool.ts';

// describe_media: what is known of one file: the file itself, what is analysed, who and what is seen when,
// what happens.

/** Rows of people and of chapters together. */
const MOST_ROWS = 50;
/** Limits of rows: classes of things, and printed lines. */
const [MOST_THINGS, MOST_LINES] = [12, 20];
/** Clusterings that are asked who is seen in the file. */
const MOST_CLUSTERINGS = 3;

/** Something that is seen in a file, or a chapter of its summary. */
const Finding = Type.Object({
  kind: oneOf('person', 'thing', 'shot', 'printed', 'chapter'),
  text: described(Type.String(), 'Name, class, size of people, printed line or text about the chapter.'),
  is_sure: described(Type.Boolean(), 'False for what was not measured to be right.'),
  ranges: Ranges,
});
type Finding = Static<typeof Finding>;

function findingText({ kind, text, is_sure, ranges }: Finding): string {
  const times = rangesText(ranges);
  switch (kind) {
    case 'person':
      return `Seen: ${text} at ${times}`;
    case 'thing':
      return `${is_sure ? 'Shows' : 'Perhaps shows'}: ${text} at ${times}`;
    case 'shot':
      return `Perhaps ${text} shots of people: ${times}`;
    case 'printed':
      return `Printed: ${quoted(text, 200)} at ${times}`;
    case 'chapter':
      return `Part ${times}: ${text}`;
  }
}

export const describeMedia = tool({
  name: 'describe_media',
  title: 'Describe a media file',
  description:
    'What is known of one film, still or recording: path, hash, duration, frame rate, what is analysed, who is seen when, ' +
    'things and printed lines with their times, and the chapters of its summary.',
  input: Type.Object({ media: MediaName }),
  output: Type.Object({
    hash_str: Type.String(),
    media_path: Type.String(),
    kind: described(nullable(Type.String()), 'video, audio or image.'),
    duration_seconds: nullable(Type.Number()),
    picture: described(
      nullable(
        Type.Object({
          width: Type.Number(),
          height: Type.Number(),
          fps: nullable(Type.Number()),
          timecode: Type.String(),
        }),
      ),
      'Of the file as it is now; null for sound, and if it cannot be read or was replaced.',
    ),
    summary: nullable(Type.String()),
    findings: described(
      Type.Array(Finding),
      `Who and what is seen when, and the chapters of the summary; at most ${MOST_ROWS}.`,
    ),
    omitted: described(Type.Integer(), 'Findings that were left out.'),
  }),
  effect: 'none',
  run: async ({ media: name }, call) => {
    const media = await findMedia(name, 'media', call);
    const record = await recordOf(media, call);
    const file = await fileFacts(media, call);
    const people = record && record.faces.length > 0 ? await seenIn(media, call) : [];
    const sights = record ? await sightsOf(media, call) : { head: [], findings: [] };
    const { summary, chapters } =
      record && record.summaries > 0 ? await summaryOf(media, call) : { summary: null, chapters: [] };
    const findings = [...people, ...sights.findings, ...chapters];
    const { text, shown } = listed({
      head: [
        `${fileName(media.path)} (${hashText(media.hash_str)})`,
        `Path: ${oneLine(media.path, 4096)}`,
        ...(record ? stored(record) : []),
        ...file.lines,
        ...sights.head,
        ...(summary === null ? [] : [`Summary (a text about it, check what matters with look): ${summary}`]),
      ],
      rows: findings.slice(0, MOST_ROWS).map(findingText),
      below: (count) => moreOf(findings.length - count, media),
    });
    const { hash_str, path } = media;
    const { kind = null, duration_seconds = null } = record ?? {};
    const data = {
      hash_str,
      media_path: path,
      kind,
      duration_seconds,
      picture: file.picture,
      summary,
      findings: findings.slice(0, shown),
      omitted: findings.length - shown,
    };
    return { text, data };
  },
});

function moreOf(omitted: number, { hash_str }: MediaReference): string[] {
  if (omitted === 0) return [];
  const lines = omitted === 1 ? '1 more line was' : `${omitted} more lines were`;
  return [`${lines} omitted. find_moments and who find more with media ["${hashText(hash_str)}"].`];
}

type SpokenSpeakers = NonNullable<LibraryMedia['transcript']>;

async function recordOf(
  { path, hash_str }: MediaReference,
  { client, cacheDir, callOptions }: Call,
): Promise<LibraryMedia | null> {
  const { media } = await client.listLibrary({ cache_dir: cacheDir, under: path, limit: 2 }, callOptions);
  return media.find((medium) => medium.hash_str === hash_str) ?? null;
}

function stored({ kind, duration_seconds, visual, transcript, faces, summaries }: LibraryMedia): string[] {
  const models = visual.slice(0, 5).map(({ model_key, frames }) => `${oneLine(model_key, 80)} (${frames})`);
  const spoken =
    transcript === null
      ? 'none'
      : `${transcript.segments} passages, ${speakersText(transcript)}, language ${oneLine(transcript.language ?? 'unknown', 40)}`;
  const count = faces.reduce((sum, cluster) => sum + cluster.faces, 0);
  return [
    `Kind: ${oneLine(kind ?? 'unknown', 20)}${duration_seconds ? `, ${timeText(duration_seconds)} (${secondsText(duration_seconds)} s)` : ''}`,
    `Pictures analysed: ${models.length === 0 ? 'no' : models.join(', ')}`,
    `Transcript: ${spoken}`,
    `Faces found: ${faces.length === 0 ? 'not looked for' : count}; summaries: ${summaries}`,
  ];
}

function speakersText({ speakers, speakers_uncertain, speaker_range: range }: SpokenSpeakers): string {
  if (range) return `${range.least} to ${range.most} speakers`;
  return `${speakers_uncertain ? 'an uncertain number of' : speakers} speakers`;
}

const notReadable = 'The file is not readable now; what is stored of it can be searched.';

/** Facts about the file as it is now. It may be gone, and what is stored of it is still reported. */
async function fileFacts({ path, hash_str }: MediaReference, { client, cacheDir, callOptions }: Call) {
  const withoutPicture = (...lines: string[]) => ({ lines, picture: null });
  try {
    const { media_properties } = await client.mediaMetadata(
      { cache_dir: cacheDir, media_paths: [path] },
      callOptions,
    );
    const facts = Object.values(media_properties)[0];
    if (facts === undefined) return withoutPicture(notReadable);
    if (facts.hash_str !== hash_str) {
      return withoutPicture(
        'Another file is now at this path. All of this describes the file that was analysed before.',
      );
    }
    const { width, height, timecode } = facts;
    if (width === 0) return withoutPicture();
    const fps = facts.fps || null;
    const rate = fps
      ? `, ${secondsText(fps)} frames per second, starts at timecode ${oneLine(timecode, 20)}`
      : '';
    return { lines: [`Picture: ${width}x${height}${rate}`], picture: { width, height, fps, timecode } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return withoutPicture(notReadable);
  }
}

async function seenIn(
  { hash_str }: MediaReference,
  { client, cacheDir, callOptions }: Call,
): Promise<Finding[]> {
  const { jobs } = await client.faceClusters({ cache_dir: cacheDir }, callOptions);
  const here = jobs.filter(
    ({ media_hashes, names }) => media_hashes.includes(hash_str) && Object.keys(names).length > 0,
  );
  const findings: Finding[] = [];
  for (const { name } of here.slice(0, MOST_CLUSTERINGS)) {
    const { people } = await client.appearances({ cache_dir: cacheDir, cluster_job_name: name }, callOptions);
    for (const person of people) {
      const ranges = person.media
        .filter((medium) => medium.hash_str === hash_str)
        .flatMap((medium) => medium.ranges);
      const text = oneLine(person.name || person.cluster_id, 80);
      if (ranges.length > 0) findings.push({ kind: 'person', text, is_sure: true, ranges });
    }
  }
  return findings;
}

const shotNames = { close_up: 'close-up', medium: 'medium', wide: 'wide' } as const;

/** Things, shot sizes and printed lines. */
async function sightsOf({ hash_str }: MediaReference, { client, cacheDir, callOptions }: Call) {
  const sightings = await client.mediaSeen({ cache_dir: cacheDir, hash_str }, callOptions);
  const things = sightings.things.toSorted((a, b) => Number(b.measured) - Number(a.measured));
  const shots = [...Map.groupBy(sightings.shots, ({ size }) => size)];
  const lines = sightings.lines.filter(({ score }) => score >= shownScore);
  const isOld = sightings.things_from === 'previews' || sightings.lines_from === 'previews';
  const omitted = lines.length - MOST_LINES;
  const findings: Finding[] = [
    ...things.slice(0, MOST_THINGS).map((thing): Finding => {
      const { measured: is_sure, ranges } = thing;
      return { kind: 'thing', text: oneLine(thing.class, 40), is_sure, ranges };
    }),
    ...shots.map(([size, spans]): Finding => {
      return { kind: 'shot', text: shotNames[size], is_sure: false, ranges: spans.map(rangeOf) };
    }),
    ...lines.slice(0, MOST_LINES).map((line): Finding => {
      return { kind: 'printed', text: oneLine(line.text, 200), is_sure: true, ranges: [rangeOf(line)] };
    }),
  ];
  const head = [
    ...(isOld ? ['Things or printed lines were looked for in stored previews, not in the file.'] : []),
    ...(omitted > 0 ? [`${omitted} more printed lines: find_moments with kinds ["written"].`] : []),
  ];
  return { head, findings };
}

function rangeOf(span: { start_seconds: number; end_seconds: number }): [number, number] {
  return [span.start_seconds, span.end_seconds];
}

/** The summary that was stored last. */
async function summaryOf({ hash_str }: MediaReference, { client, cacheDir, callOptions }: Call) {
  const { short_summary, root } = await client.summaryOverview(
    { cache_dir: cacheDir, hash_str },
    callOptions,
  );
  const chapters = root.children.map(({ search_range, text_preview }): Finding => {
    return { kind: 'chapter', text: oneLine(text_preview, 220), is_sure: false, ranges: [search_range] };
  });
  return { summary: oneLine(short_summary, 2000), chapters };
}

// look: pictures of moments.

/** px; also of the service. */
const SMALLEST = 64;
/** Rounds of making pictures smaller. */
const MOST_ROUNDS = 3;
/** Longest side of the picture of a resource, px. */
const PREVIEW = 512;

export const look = tool({
  name: 'look',
  title: 'Look at moments',
  description:
    'Shows pictures of up to 6 moments, in the given order. Any second of an analysed film can be looked at: write ' +
    'its hash@second, also of seconds that no search answered.',
  input: Type.Object({
    moments: described(
      Type.Array(MomentName, { minItems: 1, maxItems: 6 }),
      'Ids of moments (hash@second), at most 6.',
    ),
    width: defaulted(
      described(
        Type.Integer({ minimum: SMALLEST, maximum: 512 }),
        'Longest side of each picture in pixels (384; at most 512). Pictures are made smaller where they would not fit.',
      ),
      384,
    ),
  }),
  output: Type.Object({
    pictures: described(
      Type.Array(
        Type.Object({
          moment_id: Type.String(),
          media_path: Type.String(),
          time_seconds: Type.Number(),
          number: described(nullable(Type.Integer()), 'Which picture of the answer; null if there is none.'),
        }),
      ),
      'One for each moment, in the given order.',
    ),
    side: described(Type.Integer(), 'Longest side of a picture in pixels.'),
  }),
  effect: 'none',
  run: async ({ moments, width }, call) => {
    const ids = moments.map((text, i) => parseMoment(text, `moments[${i}]`));
    const media = await mediaOfMoments(ids, 'moments', call);
    // Requested by hash, because a file that was replaced since has other pictures than the matches.
    const requests = ids.map(({ hash_str, seconds }, i) => {
      return { media_path: media[i]!.path, hash_str, time_seconds: seconds };
    });
    const { pictures, side } = await picturesOf(requests, width, call);
    const numbers = numbered(pictures);
    const looked = ids.map(({ seconds }, i) => ({
      moment_id: oneLine(moments[i]!, 160),
      media_path: media[i]!.path,
      time_seconds: seconds,
      number: numbers[i]!,
    }));
    const rows = looked.map(({ moment_id, media_path, time_seconds, number }) => {
      const what = `${moment_id} ${fileName(media_path)} at ${timeText(time_seconds)}`;
      return number
        ? `Picture ${number}: ${what}`
        : `No picture: ${what} (sound, after the end, not readable, replaced by another file, or too large here)`;
    });
    const smaller =
      side < width ? [`The pictures are ${side} px so that all fit; ask for fewer to see them larger.`] : [];
    return {
      text: [...rows, ...smaller].join('\n'),
      pictures: pictures.filter((picture) => picture !== null),
      data: { pictures: looked, side },
    };
  },
});

/**
 * The JPEG of a moment as base64, for the resource that links of find_moments name; null for one that has no
 * picture. Throws BAD_MOMENT and NO_SUCH_MEDIA.
 */
export async function preview(moment: string, call: Call): Promise<string | null> {
  const id = parseMoment(moment, 'uri');
  const [media] = await mediaOfMoments([id], 'uri', call);
  const request = { media_path: media!.path, hash_str: id.hash_str, time_seconds: id.seconds };
  const { pictures } = await picturesOf([request], PREVIEW, call);
  return pictures[0] ?? null;
}

/** Pictures, as large as fit into one answer. */
async function picturesOf(
  requests: ThumbnailsRequest['requests'],
  width: number,
  { client, cacheDir, callOptions }: Call,
): Promise<{ readonly pictures: (string | null)[]; readonly side: number }> {
  let side = width;
  for (let round = 1; ; round++) {
    const request = { cache_dir: cacheDir, requests: [...requests], max_size: side };
    const { thumbnails } = await client.thumbnails(request, callOptions);
    const all = requests.map((_, i) => thumbnails[i]?.thumbnail ?? null);
    const characters = all.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    if (characters <= MOST_PICTURE_CHARACTERS || round === MOST_ROUNDS || side === SMALLEST)
      return { pictures: fitting(all), side };
    side = sideThatFits(side, characters, SMALLEST);
  }
}

// Writes the facts of a media file as JSON and as XMP: the worker of the pool. The same facts make the same
// bytes.
import { oneLine } from '../rows.ts';
import { type Element, element, xmlDocument } from '../xml.ts';
import type { RelativeBox, SidecarFacts, SidecarFormat } from './contract.ts';

export interface SidecarTask {
  readonly format: SidecarFormat;
  readonly facts: SidecarFacts;
}

export function writeSidecar({ format, facts }: SidecarTask): string {
  return format === 'json' ? jsonSidecar(facts) : xmpSidecar(facts);
}

/** First field of every file that this program writes, by which it recognises its own. */
const writtenBy = 'framehound';
const version = 1;

function jsonSidecar(facts: SidecarFacts): string {
  const { seen, people, transcript, orientation: _, ...media } = facts;
  const document = {
    written_by: writtenBy,
    version,
    ...media,
    people,
    ...seen,
    transcript:
      transcript?.map(({ start_seconds, end_seconds, text, speaker_name }) => {
        return { start_seconds, end_seconds, text: text.trim(), speaker: speaker_name };
      }) ?? null,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const namespaces = {
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:Iptc4xmpExt': 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
  'xmlns:mwg-rs': 'http://www.metadataworkinggroup.com/schemas/regions/',
  'xmlns:stArea': 'http://ns.adobe.com/xmp/sType/Area#',
  'xmlns:stDim': 'http://ns.adobe.com/xap/1.0/sType/Dimensions#',
  'xmlns:xmpDM': 'http://ns.adobe.com/xmp/1.0/DynamicMedia/',
};

function xmpSidecar(facts: SidecarFacts): string {
  const names = [...new Set([...facts.people.map(({ name }) => name), ...facts.people_in_xmp])];
  const properties = [
    ...list('dc:subject', 'rdf:Bag', facts.keywords.map(oneLine).map(text)),
    ...list('Iptc4xmpExt:PersonInImage', 'rdf:Bag', names.map(oneLine).map(text)),
    ...regionsOf(facts),
    ...tracksOf(facts),
  ];
  const description = element('rdf:Description', { 'rdf:about': '', ...namespaces }, ...properties);
  const rdf = { 'xmlns:rdf': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#' };
  const meta = { 'xmlns:x': 'adobe:ns:meta/', 'x:xmptk': writtenBy };
  return xmlDocument(element('x:xmpmeta', meta, element('rdf:RDF', rdf, description)), false);
}

function text(content: string): Element {
  return { name: 'rdf:li', attributes: {}, content };
}

function item(attributes: Readonly<Record<string, string | number>>, ...content: Element[]): Element {
  return element('rdf:li', {}, element('rdf:Description', attributes, ...content));
}

/** Nothing for a list without items. */
function list(name: string, kind: 'rdf:Bag' | 'rdf:Seq', items: readonly Element[]): Element[] {
  return items.length === 0 ? [] : [element(name, {}, element(kind, {}, ...items))];
}

/** Faces of people with a name, as the Metadata Working Group defined them (2.0, 2010): of stills only. */
function regionsOf({ kind, width, height, orientation, people }: SidecarFacts): Element[] {
  if (kind !== 'image' || orientation === null) return [];
  const faces = people.flatMap(({ name, faces }) =>
    faces.map(({ box }) => {
      const [left, top, across, down] = storedBox(box, orientation);
      const place = {
        'stArea:x': share(left + across / 2),
        'stArea:y': share(top + down / 2),
        'stArea:w': share(across),
        'stArea:h': share(down),
        'stArea:unit': 'normalized',
      };
      const named = { 'mwg-rs:Name': oneLine(name), 'mwg-rs:Type': 'Face' };
      return item(named, element('mwg-rs:Area', place));
    }),
  );
  if (faces.length === 0) return [];
  const isTurned = orientation >= 5;
  const size = {
    'stDim:w': isTurned ? height : width,
    'stDim:h': isTurned ? width : height,
    'stDim:unit': 'pixel',
  };
  return [
    element(
      'mwg-rs:Regions',
      { 'rdf:parseType': 'Resource' },
      element('mwg-rs:AppliedToDimensions', size),
      ...list('mwg-rs:RegionList', 'rdf:Bag', faces),
    ),
  ];
}

function share(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}

/** Where a box of the picture as shown lies in the pixels as they are stored, which is what regions count. */
export function storedBox(box: RelativeBox, orientation: number): RelativeBox {
  const [left, top, width, height] = box;
  const [right, bottom] = [1 - left - width, 1 - top - height];
  switch (orientation) {
    case 2:
      return [right, top, width, height];
    case 3:
      return [right, bottom, width, height];
    case 4:
      return [left, bottom, width, height];
    case 5:
      return [top, left, height, width];
    case 6:
      return [top, right, height, width];
    case 7:
      return [bottom, right, height, width];
    case 8:
      return [bottom, left, height, width];
    default:
      return box;
  }
}

/** Times are counted in milliseconds. */
const frameRate = 'f1000';

/** When people are seen, and what is said and heard in films and sound, as XMP of dynamic media has them. */
function tracksOf({ kind, people, transcript, seen: { sounds } }: SidecarFacts): Element[] {
  if (kind === 'image') return [];
  const sightings = people
    .flatMap(({ name, ranges }) => ranges.map(([start, end]) => ({ name, start, end })))
    .sort((a, b) => a.start - b.start)
    .map(({ name, start, end }) => item({ ...timesOf(start, end), 'xmpDM:name': oneLine(name) }));
  const said = (transcript ?? []).map(({ start_seconds, end_seconds, text, speaker_name }) =>
    item({
      ...timesOf(start_seconds, end_seconds),
      'xmpDM:name': oneLine(text),
      ...(speaker_name !== null && { 'xmpDM:speaker': oneLine(speaker_name) }),
    }),
  );
  const soundMarkers = (sounds ?? []).map(({ sound, start_seconds, end_seconds }) =>
    item({ ...timesOf(start_seconds, end_seconds), 'xmpDM:name': sound }),
  );
  const tracks = [
    ...track('People', 'Index', sightings),
    ...track('Speech', 'Speech', said),
    ...track('Sounds', 'Index', soundMarkers),
  ];
  return list('xmpDM:Tracks', 'rdf:Bag', tracks);
}

function timesOf(start: number, end: number) {
  const from = Math.round(start * 1000);
  return { 'xmpDM:startTime': from, 'xmpDM:duration': Math.max(0, Math.round(end * 1000) - from) };
}

function track(name: string, type: string, markers: readonly Element[]): Element[] {
  if (markers.length === 0) return [];
  const attributes = { 'xmpDM:trackName': name, 'xmpDM:trackType': type, 'xmpDM:frameRate': frameRate };
  return [item(attributes, ...list('xmpDM:markers', 'rdf:Seq', markers))];
}

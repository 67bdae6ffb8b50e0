// The player: a medium from the moment it was opened at, frame by frame, with what is known of it along its time line.
import { html } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { go } from '../../navigation.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { momentArgument, parseMoment } from '../../route.ts';
import { useStore } from '../../store.ts';
import { nameOf } from '../../times.ts';
import type { View } from '../../view.ts';
import { player } from '../../words/player.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { useActions } from './actions.ts';
import { Controls } from './controls.ts';
import { partOf, rangeAt } from './frames.ts';
import { type Lane, speakerLanes } from './lanes.ts';
import { type Medium, useChapters, useMedium, usePeople, useScenes, useTranscript } from './media.ts';
import { createTransport, type Transport } from './playable.ts';
import { Screen } from './screen.ts';
import { useSecond } from './time.ts';
import { Timeline } from './timeline.ts';
import { Transcript } from './transcript.ts';

export const view: View = { title: shell.player, render: Player };

function Player({ argument }: { readonly argument: string }) {
  const moment = parseMoment(argument);
  const hasFolder = useStore((state) => state.folder.cache_dir !== null);
  if (moment === null)
    return html`<${Empty} icon="play" title=${t(player.nothing)}><p class="quiet">${t(player.nothingHow)}</p><//>`;
  if (!hasFolder) return html`<${Loading} />`;
  return html`<${OfMedium} key=${moment.hash_str} hash_str=${moment.hash_str} seconds=${moment.seconds} />`;
}

interface OfMediumProps {
  readonly hash_str: string;
  readonly seconds: number;
}

function OfMedium({ hash_str, seconds }: OfMediumProps) {
  const asked = useMedium(hash_str);
  const transport = useMemo(() => createTransport(seconds), [hash_str]);
  useEffect(() => () => transport.close(), [transport]);
  // Another moment of the same medium.
  useEffect(() => transport.seek(seconds), [seconds]);
  if (asked.value !== null) return html`<${Opened} ...${asked.value} transport=${transport} />`;
  if (asked.state === 'failed') return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  return html`<${Loading} />`;
}

interface OpenedProps {
  readonly medium: Medium;
  readonly peaks: readonly number[];
  readonly transport: Transport;
}

function Opened({ medium, peaks, transport }: OpenedProps) {
  const { hash_str, media_path, duration } = medium;
  const scenes = useScenes(hash_str);
  const transcript = useTranscript(hash_str);
  const people = usePeople(hash_str);
  const chapters = useChapters(hash_str);
  const [marks, setMarks] = useState<{ in: number | null; out: number | null }>({ in: null, out: null });
  const lanes = useMemo(
    () =>
      lanesOf(
        chapters.value ?? [],
        speakerLanes(transcript.value ?? [], t(player.someone)),
        people.value ?? [],
      ),
    [chapters.value, transcript.value, people.value],
  );
  const second = useSecond(transport);
  const shots = scenes.value ?? [];
  const part = partOf(marks, rangeAt(shots, second), duration);
  const actions = useActions({ medium, transport, shots, marks, setMarks, part });
  const { width, height, rate } = medium;
  const size = { width: `${width}`, height: `${height}` };
  const details = width === 0 ? '' : rate > 0 ? t(player.details, { ...size, rate }) : t(player.size, size);
  return html`<div class="player">
    <header class="row"><button class="quiet" onClick=${() => history.back()}>${t(player.back)}</button>
      <h1 class="cut grow" title=${media_path}>${nameOf(media_path)}</h1><span class="quiet">${details}</span>
    </header>
    <div class="stage">
      <div class="column picture">
        <${Screen} medium=${medium} transport=${transport} />
        <${Controls} medium=${medium} transport=${transport} marks=${marks} part=${part} actions=${actions} />
      </div>
      ${medium.kind !== 'image' && html`<${Transcript} hash_str=${hash_str} transport=${transport} transcript=${transcript} />`}
    </div>
    ${
      duration > 0 &&
      html`<${Timeline} medium=${medium} transport=${transport} scenes=${shots} peaks=${peaks} lanes=${lanes} marks=${marks} />`
    }
  </div>`;
}

function lanesOf(chapters: Lane['spans'], speakers: readonly Lane[], people: readonly Lane[]): Lane[] {
  const own: Lane[] =
    chapters.length > 0 ? [{ kind: 'chapters', label: t(player.chapters), spans: chapters }] : [];
  return [...own, ...speakers, ...people];
}

/** Where the player is opened at a moment. */
export function openPlayer(hash_str: string, seconds: number): void {
  go('player', momentArgument({ hash_str, seconds }));
}

// The player: a medium from the moment it was opened at, frame by frame, with what is known of it along its
// time line.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api, messageOf, type RequestState, ServiceError } from '../../api.ts';
import { goBack, placeOfView, type View } from '../../navigation.ts';
import { Dialog, Empty, Failed, Loading } from '../../parts.ts';
import { parseMoment } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { type TaskEnd, TaskProgress } from '../../tasks.ts';
import { clock, nameOf } from '../../times.ts';
import { attempt, toast } from '../../toasts.ts';
import { player } from '../../words/player.ts';
import { shell, speakerText } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { SetUpButton, useLacking } from '../settings/set-up.ts';
import { Controls, useActions } from './controls.ts';
import { partOf, withinShots } from './frames.ts';
import {
  type Medium,
  type PlayerLane,
  type PlayerSegment,
  segmentAt,
  speakerLanes,
  useChapters,
  useMedium,
  usePeople,
  useScenes,
  useSeen,
  useSound,
  useTranscript,
} from './media.ts';
import { Screen } from './screen.ts';
import { AlsoIn } from './takes.ts';
import { Timeline } from './timeline.ts';
import { createTransport, type Transport, useRange, useSecond, useTransport } from './transport.ts';

export const view: View = { title: shell.player, render: Player };

function Player({ argument }: { readonly argument: string }) {
  const moment = parseMoment(argument);
  const hasFolder = useStore((state) => state.folder.cache_dir !== null);
  if (moment === null)
    return html`<h1 class="unseen">${t(shell.player)}</h1><${Empty} icon="play" title=${t(player.nothing)}><p class="quiet">${t(player.nothingHow)}</p>
      <a class="button" href=${placeOfView(get().places, 'search')}>${t(shell.search)}</a><//>`;
  if (!hasFolder) return html`<${Loading} />`;
  return html`<${OfMedium} key=${moment.hash_str} hash_str=${moment.hash_str} seconds=${moment.seconds} />`;
}

interface OfMediumProps {
  readonly hash_str: string;
  readonly seconds: number;
}

function OfMedium({ hash_str, seconds }: OfMediumProps) {
  const answer = useMedium(hash_str);
  const transport = useMemo(() => createTransport(seconds), [hash_str]);
  useEffect(() => () => transport.close(), [transport]);
  // Another moment of the same medium.
  useEffect(() => transport.seek(seconds), [seconds]);
  if (answer.value !== null) return html`<${Opened} medium=${answer.value} transport=${transport} />`;
  if (answer.state === 'failed')
    return html`<h1 class="unseen">${t(shell.player)}</h1><${NotOpened} ...${answer} />`;
  return html`<${Loading} />`;
}

/** A medium that was forgotten, or an address of another library; or the service could not say. */
function NotOpened({ error, again }: Pick<ReturnType<typeof useMedium>, 'error' | 'again'>) {
  const isUnknown = error instanceof ServiceError && [400, 404].includes(error.status);
  if (!isUnknown) return html`<${Failed} error=${error} again=${again} />`;
  return html`<${Empty} icon="play" title=${t(player.unknown)}><p class="quiet">${t(player.unknownHow)}</p>
    <a class="button" href=${placeOfView(get().places, 'search')}>${t(shell.search)}</a>
    <a class="button" href=${placeOfView(get().places, 'library')}>${t(shell.library)}</a><//>`;
}

interface OpenedProps {
  readonly medium: Medium;
  readonly transport: Transport;
}

function Opened({ medium: facts, transport }: OpenedProps) {
  const { hash_str, media_path } = facts;
  const sound = useSound(facts).value;
  const duration = facts.duration || sound?.duration_seconds || 0;
  const medium = useMemo(() => ({ ...facts, duration }), [facts, duration]);
  const scenes = useScenes(hash_str);
  const transcript = useTranscript(hash_str);
  const people = usePeople(hash_str);
  const chapters = useChapters(hash_str);
  const seenLanes = useSeen(hash_str, { lines: t(player.printed), faces: t(player.faces) });
  const [marks, setMarks] = useState<{ in: number | null; out: number | null }>({ in: null, out: null });
  const exact = scenes.value?.edges === 'exact' ? scenes.value.scenes : none;
  const lanes = useMemo(
    () =>
      lanesOf(
        withinShots(chapters.value ?? [], exact),
        speakerLanes(transcript.value ?? [], t(player.someone)),
        [
          ...(people.value ?? []).map((lane) => ({ ...lane, spans: withinShots(lane.spans, exact) })),
          ...(seenLanes.value ?? []),
        ],
      ),
    [chapters.value, transcript.value, people.value, seenLanes.value, exact],
  );
  const second = useSecond(transport);
  const shots = scenes.value?.scenes ?? none;
  const shot = useRange(transport, shots);
  const part = partOf(marks, shot, duration);
  const actions = useActions({ medium, transport, shots, setMarks, part });
  return html`<div class=${`player ${medium.kind}`}>
    <header class="row"><button class="quiet" onClick=${goBack}>${t(player.back)}</button>
      <h1 class="cut grow" title=${media_path}>${nameOf(media_path)}</h1><span class="quiet">${detailsOf(medium)}</span>
    </header>
    <div class="stage">
      <div class="column picture">
        <${Screen} medium=${medium} transport=${transport} />
        <${Controls} medium=${medium} transport=${transport} marks=${marks} part=${part} actions=${actions} />
        ${medium.kind === 'video' && html`<${AlsoIn} hash_str=${hash_str} shot=${part} second=${second} />`}
      </div>
      ${medium.kind !== 'image' && html`<${Transcript} medium=${medium} transport=${transport} transcript=${transcript} />`}
    </div>
    ${
      duration > 0 &&
      html`<${Timeline} medium=${medium} transport=${transport} scenes=${shots} isOnGrid=${scenes.value?.edges === 'grid'} peaks=${sound?.peaks ?? none} lanes=${lanes} marks=${marks} />`
    }
  </div>`;
}

const none: readonly never[] = [];

function detailsOf({ width, height, rate, rateVaries }: Medium): string {
  if (width === 0) return '';
  const size = `${width} × ${height}`;
  return rate === 0 ? size : t(rateVaries ? player.unevenDetails : player.details, { size, rate });
}

function lanesOf(
  chapters: PlayerLane['spans'],
  speakers: readonly PlayerLane[],
  seenLanes: readonly PlayerLane[],
): PlayerLane[] {
  const chapterLanes: PlayerLane[] =
    chapters.length > 0 ? [{ kind: 'chapters', label: t(player.chapters), spans: chapters }] : [];
  return [...chapterLanes, ...speakers, ...seenLanes];
}

// The transcript beside the player: it follows what is said, a click goes there without stopping, and a
// speaker can be named.

interface TranscriptProps {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly transcript: RequestState<PlayerSegment[]>;
}

function Transcript({ medium, transport, transcript }: TranscriptProps) {
  const [follows, setFollows] = useState(true);
  const { value: segments, state, error, again } = transcript;
  if (segments === null) {
    if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
    return html`<${Loading} />`;
  }
  if (segments.length === 0 && !medium.available)
    return html`<${Empty} icon="speech" title=${t(player.noTranscript)}><p class="quiet">${t(player.noTranscriptAway)}</p><//>`;
  if (segments.length === 0) return html`<${NoTranscript} media_path=${medium.media_path} again=${again} />`;
  return html`<section class="transcript column" aria-label=${t(player.transcript)}>
    <header class="row"><h2 class="grow">${t(player.transcript)}</h2>
      <label><input type="checkbox" checked=${follows} onChange=${() => setFollows(!follows)} />${t(player.follow)}</label>
    </header>
    <${Lines} hash_str=${medium.hash_str} segments=${segments} transport=${transport} follows=${follows} again=${again} />
  </section>`;
}

interface NoTranscriptProps {
  readonly media_path: string;
  again(): void;
}

/** Without a speech model subtitles in or beside the file can be read. */
function NoTranscript({ media_path, again }: NoTranscriptProps) {
  const isLacking = useLacking(['speech']);
  const [task_id, setTask] = useState<string | null>(null);
  const make = () =>
    attempt(async () => {
      const transcription_jobs = [{ path: media_path, language: 'auto' }];
      const { task_id } = await api.analyze({ cache_dir: get().folder.cache_dir!, transcription_jobs });
      setTask(task_id);
    });
  const ended = ({ error, isCancelled }: TaskEnd) => {
    setTask(null);
    if (error !== null) toast(error, { kind: 'error' });
    else if (!isCancelled) again();
  };
  return html`<${Empty} icon="speech" title=${t(player.noTranscript)}>
    <p class="quiet">${t(isLacking ? player.noSpeechModel : player.noTranscriptHow)}</p>
    ${
      task_id !== null
        ? html`<${TaskProgress} task_id=${task_id} label=${t(player.transcribing)} onEnd=${ended} />`
        : html`${isLacking && html`<${SetUpButton} />`}
          <button class=${isLacking ? '' : 'primary'} onClick=${make}>${t(isLacking ? player.readSubtitles : player.transcribe)}</button>`
    }<//>`;
}

interface LinesProps {
  readonly hash_str: string;
  readonly segments: readonly PlayerSegment[];
  readonly transport: Transport;
  readonly follows: boolean;
  again(): void;
}

/** Lines that are drawn at once: no task of the page takes long, however long a film is. */
const LINES_AT_ONCE = 25;
/** Between two of them. */
const PAUSE_MS = 16;
const LINE_HEIGHT = 44;

function Lines({ hash_str, segments, transport, follows, again }: LinesProps) {
  const list = useRef<HTMLDivElement>(null);
  const [naming, setNaming] = useState<PlayerSegment | null>(null);
  const current = useTransport(transport, ({ seconds }) => segmentAt(segments, seconds));
  const [parts, isDrawn] = useParts(segments, Math.floor(Math.max(0, current) / LINES_AT_ONCE), (part) =>
    partOfLines(segments, part * LINES_AT_ONCE, transport, setNaming),
  );
  useEffect(() => {
    const line = list.current?.querySelector(`[data-line="${current}"]`);
    line?.setAttribute('aria-current', 'true');
    // Only the list itself is scrolled: the page stays where a person left it.
    if (follows && line instanceof HTMLElement && list.current) {
      const { offsetTop, offsetHeight } = line;
      const { scrollTop, clientHeight } = list.current;
      if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight)
        list.current.scrollTop = offsetTop - clientHeight / 3;
    }
    return () => line?.removeAttribute('aria-current');
  }, [current, follows, segments, isDrawn]);
  return html`<div ref=${list} class="lines grow" tabindex="-1">${parts}</div>
    ${naming && html`<${NameSpeaker} hash_str=${hash_str} segment=${naming} done=${() => setNaming(null)} again=${again} />`}`;
}

/**
 * The parts of a long list, and whether the part `now` is drawn: that one first, then the others one by one,
 * so that all can be found by the search of the browser. Each is drawn once.
 */
function useParts(segments: readonly PlayerSegment[], now: number, draw: (part: number) => VNode) {
  const count = Math.ceil(segments.length / LINES_AT_ONCE);
  // The same objects again: they are not compared.
  const parts = useMemo(
    () => Array.from({ length: count }, (_, part) => awaited(segments, part)),
    [segments],
  );
  const drawn = useMemo(() => new Set<number>(), [segments]);
  const [, redraw] = useState(0);
  const add = (part: number) => {
    parts[part] = draw(part);
    drawn.add(part);
  };
  if (now < count && !drawn.has(now)) add(now);
  useEffect(() => {
    if (drawn.size >= count) return;
    // The page answers in between. (Safari has no requestIdleCallback.)
    const next = setTimeout(() => {
      add(nearest(now, count, (part) => !drawn.has(part)));
      redraw((before) => before + 1);
    }, PAUSE_MS);
    return () => clearTimeout(next);
  });
  return [[...parts], drawn.has(now)] as const;
}

/** The number nearest to `now`, below `count`, that holds; `now` where none does. */
function nearest(now: number, count: number, holds: (number: number) => boolean): number {
  for (let away = 1; away < count; away++)
    for (const candidate of [now + away, now - away])
      if (candidate >= 0 && candidate < count && holds(candidate)) return candidate;
  return now;
}

function awaited(segments: readonly PlayerSegment[], part: number): VNode {
  const lines = Math.min(LINES_AT_ONCE, segments.length - part * LINES_AT_ONCE);
  return html`<div key=${part} style=${{ height: `${lines * LINE_HEIGHT}px` }}></div>`;
}

function partOfLines(
  segments: readonly PlayerSegment[],
  from: number,
  transport: Transport,
  name: (segment: PlayerSegment) => void,
): VNode {
  const shownSegments = segments.slice(from, from + LINES_AT_ONCE);
  const size = { containIntrinsicSize: `auto ${shownSegments.length * LINE_HEIGHT}px` };
  return html`<ol key=${from / LINES_AT_ONCE} start=${from + 1} style=${size}>${shownSegments.map(
    (segment, at) => lineOf(segment, segments[from + at - 1], from + at, transport, name),
  )}</ol>`;
}

function lineOf(
  segment: PlayerSegment,
  before: PlayerSegment | undefined,
  at: number,
  transport: Transport,
  name: (segment: PlayerSegment) => void,
) {
  const { start_seconds, text, speaker, speaker_name } = segment;
  const isNew = speaker !== '' && speaker !== before?.speaker;
  const label = speakerText(speaker_name || speaker);
  return html`<li key=${segment.segment_index} data-line=${at}>
    ${isNew && html`<button class="speaker quiet" title=${t(player.nameSpeaker, { name: label })} onClick=${() => name(segment)}>${label}</button>`}
    <button class="line quiet" onClick=${() => transport.seek(start_seconds)}>
      <span class="quiet">${clock(start_seconds)}</span><span>${text.trim()}</span>
    </button>
  </li>`;
}

interface NamingProps {
  readonly hash_str: string;
  readonly segment: PlayerSegment;
  done(): void;
  again(): void;
}

function NameSpeaker({ hash_str, segment: { speaker, speaker_name }, done, again }: NamingProps) {
  const [name, setName] = useState(speaker_name === speaker ? '' : speaker_name);
  const [problem, setProblem] = useState('');
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      const cache_dir = get().folder.cache_dir!;
      await api.nameSpeakers({ cache_dir, hash_str, assignments: [{ speaker, name }] });
      again();
      done();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const label = speakerText(speaker_name || speaker);
  return html`<${Dialog} title=${t(player.nameSpeaker, { name: label })} onClose=${done}>
    <form class="column" onSubmit=${save}>
      <label class="column">${t(player.speakerName)}
        <input autofocus maxlength="200" value=${name} onInput=${(event: InputEvent) => setName((event.target as HTMLInputElement).value)} />
      </label>
      <p class="problem" role="alert">${problem}</p>
      <div class="row"><button class="primary" type="submit">${t(player.save)}</button>
        <button type="button" onClick=${done}>${t(shell.cancel)}</button></div>
    </form>
  <//>`;
}

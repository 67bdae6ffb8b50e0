// What buttons and keys of the player do.
import { messageOf } from '../../api.ts';
import { toggleInBasket } from '../../basket.ts';
import { useKeys } from '../../keys.ts';
import { go } from '../../navigation.ts';
import { toast } from '../../toasts.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import { change } from '../search/state.ts';
import { type Actions, placeOf } from './controls.ts';
import { neighbour, type Range } from './frames.ts';
import type { Medium } from './media.ts';
import type { Transport } from './transport.ts';

interface Marks {
  readonly in: number | null;
  readonly out: number | null;
}

interface ActionParts {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly shots: readonly Range[];
  setMarks(change: (before: Marks) => Marks): void;
  readonly part: Range;
}

export function useActions({ medium, transport, shots, setMarks, part }: ActionParts): Actions {
  const { hash_str, media_path, frames, duration } = medium;
  const actions: Actions = {
    shot: (direction) => {
      const found = neighbour(shots, transport.seconds, direction);
      transport.seek(found ?? (direction === 1 ? duration : 0));
    },
    mark: (which) => void mark(which).catch(told),
    step: (count) => void transport.step(count).catch(told),
    clearMarks: () => setMarks(() => ({ in: null, out: null })),
    basket: () => toggleInBasket({ media_path, hash_str, ...(duration > 0 ? part : still) }),
    like: () => searchLike({ hash_str, media_path, seconds: transport.seconds }),
    copy: () => void copyPlace(media_path, placeOf(medium, transport.seconds)),
  };
  /** In is the start of the frame that is seen, out its end: what is marked holds both frames. */
  async function mark(which: 'in' | 'out'): Promise<void> {
    const { seconds } = transport;
    await frames?.load(seconds);
    const frame = frames?.at(seconds);
    const border = which === 'in' ? frame?.start_seconds : frame?.end_seconds;
    setMarks((before) => marked(before, which, border ?? seconds));
  }
  useKeys({
    play: () => transport.toggle(),
    faster: () => transport.shuttle(1),
    backward: () => transport.shuttle(-1),
    frameBack: () => actions.step(-1),
    frameOn: () => actions.step(1),
    shotBack: () => actions.shot(-1),
    shotOn: () => actions.shot(1),
    setIn: () => actions.mark('in'),
    setOut: () => actions.mark('out'),
    playerBasket: actions.basket,
    leavePlayer: () => history.back(),
  });
  return actions;
}

/** The times of frames could not be had. */
function told(error: unknown): void {
  toast(messageOf(error), { kind: 'error' });
}

/** A still has no time: a moment of it lasts as long as one that is put into a sequence usually does. */
const still: Range = { start_seconds: 0, end_seconds: 5 };

/** A mark behind the other one takes its place: that one is no longer meant. */
function marked(marks: Marks, which: 'in' | 'out', seconds: number): Marks {
  const next = { ...marks, [which]: seconds };
  const isBackward = next.in !== null && next.out !== null && next.in >= next.out;
  return isBackward ? { in: null, out: null, [which]: seconds } : next;
}

async function copyPlace(path: string, place: string): Promise<void> {
  const text = `${path}\t${place}`;
  try {
    await navigator.clipboard.writeText(text);
    toast(t(player.copied, { text }));
  } catch {
    // Without the right to the clipboard it can at least be read.
    toast(text);
  }
}

// From a frame to the shots like it: the search begins with this moment.

function searchLike(moment: {
  readonly hash_str: string;
  readonly media_path: string;
  readonly seconds: number;
}): void {
  change({ text: '', film: null, picture: { kind: 'like', ...moment } });
  go('search');
}

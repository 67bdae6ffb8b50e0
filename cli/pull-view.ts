// The progress of a download on a terminal, from the first look at what is there; elsewhere a line when
// something changes.
import type { PullProgress } from '../actors/models/contract.ts';
import type { Clock } from '../runtime/clock.ts';
import { conflate } from '../runtime/sync/conflate.ts';
import { bar, fitted, printable, type Screen } from './terminal.ts';

export interface PullView {
  progress(progress: PullProgress): void;
  /** Draws the last state and leaves the cursor on a line of its own. */
  end(): void;
}

export function createPullView(screen: Screen, clock: Clock): PullView {
  let [drawn, lastState] = [false, ''];
  const draw = (progress: PullProgress) => {
    const line = `  ${lineOf(progress)}`;
    drawn = true;
    screen.write(`\r\x1b[K${fitted(line, screen.columns - 1)}`);
  };
  const drawing = conflate<'line', PullProgress>(clock, 100, draw);
  return {
    progress: (progress) => {
      if (screen.isTerminal) {
        drawing.put('line', progress);
        // Nothing follows for a while: it has to be seen now.
        if (progress.phase !== 'receiving') drawing.flush();
        return;
      }
      const state = `${progress.index} ${progress.phase} ${progress.reason}`;
      // What lies there already is read without a word, unless a person waits before a terminal.
      if (state === lastState || progress.phase === 'checking') return;
      lastState = state;
      screen.write(`  ${lineOf(progress)}\n`);
    },
    end: () => {
      drawing.flush();
      if (drawn) screen.write('\n');
    },
  };
}

function lineOf({ phase, reason, file, server, index, count, received, total }: PullProgress): string {
  const which = `${index + 1}/${count} ${file}`;
  const size = total === null ? '' : `, ${megabytes(total)} MB`;
  if (phase === 'checking') return `${which}: checking existing files`;
  if (phase === 'connecting') return `${which}${size}: connecting to ${server}`;
  if (phase === 'waiting') return `${which}: retrying, ${printable(reason ?? '')}`;
  const share = total ? received / total : 0;
  return `${which} ${bar(share, 24)} ${megabytes(received)}${total ? `/${megabytes(total)}` : ''} MB`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

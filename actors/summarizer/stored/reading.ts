// The nodes of a summary in the order in which a person reads them: a node, then everything below it. Each is
// read once, and the next ones are read ahead of who takes them.
import type { NodeAnswer } from './contract.ts';

/** Nodes that are being read at the same time. */
const together = 8;

export interface Reached {
  readonly answer: NodeAnswer;
  /** Levels below the node that was begun with. */
  readonly below: number;
}

interface Wanted {
  readonly node_id: string;
  readonly below: number;
  answer?: Promise<NodeAnswer>;
}

/**
 * `depth`: levels below the first node that are read; 0 for that node alone. Whoever stops taking nodes has
 * `together` of them read for nothing, at most. Throws what `read` throws, at the node that it was thrown
 * for.
 */
export async function* inReadingOrder(
  first: string,
  depth: number,
  read: (node_id: string) => Promise<NodeAnswer>,
): AsyncGenerator<Reached, void> {
  // The next one is the last of the list.
  const waiting: Wanted[] = [{ node_id: first, below: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const answer = await (next.answer ?? read(next.node_id));
    const { below } = next;
    if (below < depth) {
      const children = answer.node.children.map(({ node_id }) => ({ node_id, below: below + 1 }));
      waiting.push(...children.reverse());
    }
    for (const request of waiting.slice(-together)) {
      if (request.answer) continue;
      request.answer = read(request.node_id);
      // It is thrown where it is awaited, or nobody wants it any more.
      request.answer.catch(() => {});
    }
    yield { answer, below };
  }
}

// Texts and lists cut to what an answer may hold.

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** At most `most` characters (code points), and no letter torn from its marks. */
export function shortened(text: string, most: number): { readonly text: string; readonly isCut: boolean } {
  // No text of so few units has more characters.
  if (text.length <= most) return { text, isCut: false };
  // A character has two units at most.
  const start = Array.from(text.slice(0, 2 * most + 2));
  if (start.length <= most && text.length <= 2 * most + 2) return { text, isCut: false };
  const cut = start.slice(0, most).join('');
  // With one character more it is seen whether the last letter goes on.
  let end = 0;
  for (const { index, segment } of graphemes.segment(start.slice(0, most + 1).join(''))) {
    if (index + segment.length <= cut.length) end = index + segment.length;
  }
  return { text: end === 0 ? cut : cut.slice(0, end), isCut: true };
}

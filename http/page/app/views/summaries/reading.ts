// Reads a summary as far as it is looked at: nodes when they are opened, and all those above one that was found.
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, isAbort, messageOf } from '../../api.ts';
import { get } from '../../store.ts';
import { toast } from '../../toasts.ts';
import type { Node, Overview } from './state.ts';
import { rowsOf, type Step, stepped } from './tree.ts';

interface Reading {
  readonly known: ReadonlyMap<string, Node>;
  readonly open: ReadonlySet<string>;
  readonly selected: string;
}

/** `at`: the node to begin with; null for the root. */
export function useReading({ summary_ref, root }: Overview, at: string | null) {
  const [reading, setReading] = useState<Reading>({
    known: new Map([[root.node_id, root]]),
    open: new Set([root.node_id]),
    selected: root.node_id,
  });
  const { known, open, selected } = reading;
  const aborter = useRef(new AbortController());
  useEffect(() => () => aborter.current.abort(), []);
  const read = async (node_id: string): Promise<Node> => {
    const had = known.get(node_id);
    if (had) return had;
    const { signal } = aborter.current;
    const { node } = await api.summaryNode(
      { cache_dir: get().folder.cache_dir!, summary_ref, node_id },
      { signal },
    );
    setReading((before) => ({ ...before, known: new Map(before.known).set(node_id, node) }));
    return node;
  };
  const tell = (error: unknown) => {
    if (!isAbort(error)) toast(messageOf(error), { kind: 'error' });
  };
  const select = (node_id: string) => {
    setReading((before) => ({ ...before, selected: node_id }));
    read(node_id).catch(tell);
  };
  const toggle = (node_id: string) => {
    setReading((before) => {
      const next = new Set(before.open);
      if (!next.delete(node_id)) next.add(node_id);
      return { ...before, open: next };
    });
  };
  useEffect(() => {
    if (at === null) return;
    const reveal = async () => {
      const above: string[] = [];
      for (let id: string | null = at; id !== null; ) {
        const { parent_id }: Node = await read(id);
        if (parent_id !== null) above.push(parent_id);
        id = parent_id;
      }
      setReading((before) => ({ ...before, open: new Set([...before.open, ...above]), selected: at }));
    };
    reveal().catch(tell);
  }, [at]);
  const rows = rowsOf(root, known, open);
  const step = (way: Step) => {
    const { select: to, toggle: isToggled } = stepped(rows, selected, way);
    select(to);
    if (isToggled) toggle(to);
  };
  return { rows, selected, node: known.get(selected) ?? null, select, toggle, step };
}

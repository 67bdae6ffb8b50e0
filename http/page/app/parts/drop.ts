// Files that are dragged over a view.
import { useState } from 'preact/hooks';

/** `handlers` go onto the element; `take` is told what was dropped. */
export function useFileDrop(take: (dropped: DataTransfer) => void) {
  const [isOver, setOver] = useState(false);
  const filesOf = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.includes('Files') ? dataTransfer : null;
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!filesOf(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        const page = event.currentTarget as HTMLElement;
        if (!page.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        const dropped = filesOf(event);
        if (!dropped) return;
        event.preventDefault();
        setOver(false);
        take(dropped);
      },
    },
  };
}

// The time of the player for components: drawn anew only when what they show of it changes.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Transport } from './transport.ts';

/** What `select` makes of the transport; a plain value. */
export function useTransport<T>(transport: Transport, select: (transport: Transport) => T): T {
  const [value, setValue] = useState(() => select(transport));
  useLayoutEffect(() => {
    const look = () => setValue(() => select(transport));
    look();
    return transport.listen(look);
  }, [transport]);
  return value;
}

/** Whole seconds. */
export function useSecond(transport: Transport): number {
  return useTransport(transport, ({ seconds }) => Math.floor(seconds));
}

/** Called at every frame, for what is moved by hand instead of drawn anew. */
export function useEveryFrame(transport: Transport, move: (seconds: number) => void): void {
  useEffect(() => {
    const told = () => move(transport.seconds);
    told();
    return transport.listen(told);
  });
}

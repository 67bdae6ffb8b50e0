// How the camera moves in each frame of a film: told from its motion in the seconds around, within the scene.
//
// A camera that stands still moves hardly at all; one that pans, tilts or zooms moves in one direction, at a
// speed that changes little; any other is held in the hand or follows somebody.

/** In the order of their numbers, which are stored. */
export const movements = ['fixed', 'panning', 'following'] as const;
export type Movement = (typeof movements)[number];
/** Of what follows: another one stores another. */
export const version = 1;

/** What a frame shows has moved since the one before: shares of its width and height; null: not known. */
export type Motion = readonly [dx: number, dy: number, zoom: number] | null;

/** `motions`: n×3; not a number where it is not known. */
export function motionAt(motions: Float32Array, i: number): Motion {
  const [dx, dy, zoom] = motions.subarray(i * 3, i * 3 + 3) as unknown as [number, number, number];
  return Number.isNaN(dx) ? null : [dx, dy, zoom];
}

/** Frames before and behind one that are looked at with it. */
const around = 3;
/** Shares of the width in a second, of the median motion, up to which a camera stands still. */
const still = 0.004;
/** Of motion, so much at least has one direction, and so much at most changes from one second to the next. */
const [leastTogether, mostUneven] = [0.8, 0.3];
/** Of a zoom counts what moves half way to the border; of a height how much less it is than a width. */
const [zoomed, upright] = [0.5, 9 / 16];

/**
 * For each frame the number of its movement from 1 on, 0 where nobody can say; empty where no motion is
 * known.
 */
export function cameraOf(motions: readonly Motion[], sceneStarts: readonly number[]): Uint8Array {
  if (motions.every((motion) => motion === null)) return new Uint8Array(0);
  const camera = new Uint8Array(motions.length);
  for (const [i, start] of sceneStarts.entries()) {
    const end = sceneStarts[i + 1] ?? motions.length;
    for (let frame = start; frame < end; frame++) {
      // The motion of the first frame is that from the scene before.
      const from = Math.max(start + 1, frame - around);
      const known = motions.slice(from, Math.min(end, frame + around + 1)).filter((one) => one !== null);
      const movement = movementOf(known);
      if (movement !== null) camera[frame] = movements.indexOf(movement) + 1;
    }
  }
  return camera;
}

/** Null where too little is known. */
function movementOf(known: readonly NonNullable<Motion>[]): Movement | null {
  if (known.length < 2) return null;
  const ways = known.map(([dx, dy, zoom]) => [dx, dy * upright, zoom * zoomed] as const);
  const lengths = ways.map((way) => Math.hypot(...way));
  const usual = median(lengths);
  if (usual < still) return 'fixed';
  const sum = [0, 1, 2].map((axis) => ways.reduce((total, way) => total + way[axis]!, 0));
  const together = Math.hypot(...sum) / lengths.reduce((total, one) => total + one, 0);
  const changes = ways
    .slice(1)
    .map((way, i) => Math.hypot(...way.map((value, axis) => value - ways[i]![axis]!)));
  const isEven = median(changes) < mostUneven * usual;
  return together >= leastTogether && isEven ? 'panning' : 'following';
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

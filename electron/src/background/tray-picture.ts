import type { OwnerWork } from '#shared/dashboard/owner-work';

/** State that the icon shows, the most urgent first. */
export type TrayMark = 'failed' | 'waiting' | 'running' | undefined;

export function markOf({ failed, waiting, running, isSealed }: OwnerWork): TrayMark {
  if (isSealed || failed > 0) return 'failed';
  if (waiting > 0) return 'waiting';
  return running > 0 ? 'running' : undefined;
}

/** Red, green and blue of the dot; the colors of the dashboard. */
const colors: Readonly<Record<Exclude<TrayMark, undefined>, readonly [number, number, number]>> = {
  failed: [220, 38, 38],
  waiting: [217, 119, 6],
  running: [37, 99, 235],
};

/**
 * Returns a copy of a square picture of 4 bytes a pixel, in the order blue, green, red, alpha, with a dot of the mark's
 * color in the lower right corner.
 */
export function drawMark(bitmap: Uint8Array, size: number, mark: TrayMark): Buffer {
  const drawn = Buffer.from(bitmap);
  if (mark === undefined) return drawn;
  const [red, green, blue] = colors[mark];
  const radius = size * 0.28;
  const center = size - radius;
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1)
      if (Math.hypot(x + 0.5 - center, y + 0.5 - center) <= radius)
        drawn.set([blue, green, red, 255], (y * size + x) * 4);
  return drawn;
}

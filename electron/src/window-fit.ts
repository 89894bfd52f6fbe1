type Rectangle = { x: number; y: number; width: number; height: number };
type SavedWindow = Rectangle & { isMaximized: boolean; zoomLevel: number };
type Fitted = { x?: number; y?: number; width: number; height: number };

/** Size of the part of a window that must be on a screen, so that a person can drag it. */
const graspPx = 80;
/** Range of Chromium's zoom: 25 % to 500 %. */
const zoomRange = { least: -8, most: 9 };

/** Parses the state of a window as it was saved; undefined for a damaged text. */
export function readSavedWindow(text: string): SavedWindow | undefined {
  try {
    const { x, y, width, height, isMaximized, zoomLevel } = JSON.parse(text) as Record<string, unknown>;
    if (![x, y, width, height].every(Number.isSafeInteger)) return undefined;
    const bounds = { x, y, width, height } as Rectangle;
    if (bounds.width < graspPx || bounds.height < graspPx) return undefined;
    return { ...bounds, isMaximized: isMaximized === true, zoomLevel: validZoom(zoomLevel) };
  } catch {
    return undefined;
  }
}

const validZoom = (level: unknown): number =>
  typeof level === 'number' && level >= zoomRange.least && level <= zoomRange.most ? level : 0;

/**
 * Returns bounds as they are when their title bar is on a screen, else without a position. The size is at most that of
 * the largest screen.
 */
export function fitBounds(bounds: Rectangle, workAreas: readonly Rectangle[]): Fitted {
  if (workAreas.some((area) => isGraspable(bounds, area))) return bounds;
  const [largest] = workAreas.toSorted((one, other) => other.width * other.height - one.width * one.height);
  const width = Math.min(bounds.width, largest?.width ?? bounds.width);
  const height = Math.min(bounds.height, largest?.height ?? bounds.height);
  return { width, height };
}

function isGraspable({ x, y, width }: Rectangle, area: Rectangle): boolean {
  const shared = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return shared >= graspPx && y >= area.y && y <= area.y + area.height - graspPx;
}

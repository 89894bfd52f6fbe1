import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app, type BrowserWindow, type Rectangle, screen } from 'electron';

export type WindowBounds = Partial<Rectangle> & { width: number; height: number; isMaximized: boolean };

const defaultBounds: WindowBounds = { width: 1_280, height: 800, isMaximized: false };
/** Size of the part of a window that must be on a screen, so that a person can drag it. */
const graspPx = 80;

const boundsFile = () => path.join(app.getPath('userData'), 'window.json');

/**
 * Bounds of the window when it was closed, if a screen still covers them; else its first size, placed by the system.
 */
export function readBounds(): WindowBounds {
  const saved = readSaved();
  if (!saved) return defaultBounds;
  const { x, y, ...size } = saved;
  return isOnScreen(saved) ? saved : size;
}

function readSaved(): (Rectangle & { isMaximized: boolean }) | undefined {
  try {
    const { x, y, width, height, isMaximized } = JSON.parse(readFileSync(boundsFile(), 'utf8')) as Record<
      string,
      unknown
    >;
    if (![x, y, width, height].every(Number.isSafeInteger)) return undefined;
    const bounds = { x, y, width, height } as Rectangle;
    return bounds.width >= graspPx && bounds.height >= graspPx
      ? { ...bounds, isMaximized: isMaximized === true }
      : undefined;
  } catch {
    return undefined;
  }
}

const isOnScreen = ({ x, y, width }: Rectangle): boolean =>
  screen.getAllDisplays().some(({ workArea }) => {
    const shared = Math.min(x + width, workArea.x + workArea.width) - Math.max(x, workArea.x);
    return shared >= graspPx && y >= workArea.y && y <= workArea.y + workArea.height - graspPx;
  });

/** Saves the bounds of a window when it closes. Bounds that cannot be written are discarded. */
export function saveBoundsOnClose(window: BrowserWindow): void {
  window.on('close', () => {
    const bounds = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
    try {
      writeFileSync(`${boundsFile()}.new`, JSON.stringify(bounds), { mode: 0o600 });
      renameSync(`${boundsFile()}.new`, boundsFile());
    } catch {
      // The window opens with its first bounds next time.
    }
  });
}

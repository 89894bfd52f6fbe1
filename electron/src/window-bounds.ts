import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app, type BrowserWindow, type Rectangle, screen } from 'electron';
import { fitBounds, readSavedWindow } from './window-fit.ts';

export type WindowBounds = Partial<Rectangle> & {
  width: number;
  height: number;
  isMaximized: boolean;
  zoomLevel: number;
};

const defaultBounds: WindowBounds = { width: 1_280, height: 800, isMaximized: false, zoomLevel: 0 };

const boundsFile = () => path.join(app.getPath('userData'), 'window.json');
const workAreas = (): Rectangle[] => screen.getAllDisplays().map(({ workArea }) => workArea);

/**
 * Bounds of the window when it was closed, if a screen still covers them; else its size, placed by the system and no
 * larger than a screen.
 */
export function readBounds(): WindowBounds {
  const saved = readSavedWindow(readText(boundsFile()));
  if (!saved) return defaultBounds;
  const { isMaximized, zoomLevel, ...bounds } = saved;
  return { ...fitBounds(bounds, workAreas()), isMaximized, zoomLevel };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Saves the bounds and the zoom of a window when it closes. Bounds that cannot be written are discarded. */
export function saveBoundsOnClose(window: BrowserWindow): void {
  window.on('close', () => {
    const zoomLevel = window.webContents.getZoomLevel();
    const bounds = { ...window.getNormalBounds(), isMaximized: window.isMaximized(), zoomLevel };
    try {
      writeFileSync(`${boundsFile()}.new`, JSON.stringify(bounds), { mode: 0o600 });
      renameSync(`${boundsFile()}.new`, boundsFile());
    } catch {
      // The window opens with its first bounds next time.
    }
  });
}

/** Moves an open window that a removed or smaller screen leaves out of sight. */
export function keepOnScreen(window: BrowserWindow): void {
  const check = () => {
    if (window.isDestroyed() || window.isMinimized() || window.isMaximized() || window.isFullScreen()) return;
    const fitted = fitBounds(window.getNormalBounds(), workAreas());
    if (fitted.x !== undefined) return;
    window.setSize(fitted.width, fitted.height);
    window.center();
  };
  screen.on('display-removed', check);
  screen.on('display-metrics-changed', check);
  window.once('closed', () => {
    screen.off('display-removed', check);
    screen.off('display-metrics-changed', check);
  });
}

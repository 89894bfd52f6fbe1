import path from 'node:path';
import { app, Menu, type NativeImage, nativeImage, Tray } from 'electron';
import type { OwnerWork } from '#shared/dashboard/owner-work';
import type { BackgroundTexts } from './texts.ts';
import { type SettingItems, type TrayActions, trayMenu, trayTooltip } from './tray-menu.ts';
import { drawMark, markOf, type TrayMark } from './tray-picture.ts';

type Size = { pixels: number; scaleFactor: number };
const sizes: Readonly<Partial<Record<NodeJS.Platform, Size>>> = {
  darwin: { pixels: 36, scaleFactor: 2 },
  win32: { pixels: 32, scaleFactor: 2 },
};
const defaultSize: Size = { pixels: 32, scaleFactor: 1 };
const overlayPixels = 16;

/** Returns the picture of the program with a mark. */
function createPicture(mark: TrayMark): NativeImage {
  const { pixels, scaleFactor } = sizes[process.platform] ?? defaultSize;
  const file = path.join(app.getAppPath(), 'resources/icons/icon.png');
  const plain = nativeImage.createFromPath(file).resize({ width: pixels, height: pixels, quality: 'best' });
  const bitmap = drawMark(plain.toBitmap(), pixels, mark);
  return nativeImage.createFromBitmap(bitmap, { width: pixels, height: pixels, scaleFactor });
}

/** Returns the mark alone, for the icon of a window in the taskbar of Windows. */
export const createOverlay = (): NativeImage =>
  nativeImage.createFromBitmap(drawMark(new Uint8Array(overlayPixels ** 2 * 4), overlayPixels, 'waiting'), {
    width: overlayPixels,
    height: overlayPixels,
  });

type Shown = { t: BackgroundTexts; work: OwnerWork; settings: SettingItems };

/** Shows the icon in the tray. Its menu is replaced with each change, because Linux does not notice changed items. */
export function openTray(actions: TrayActions): { show(shown: Shown): void; close(): void } {
  const tray = new Tray(createPicture(undefined));
  let shownMark: TrayMark;
  // macOS opens the menu by a click, and Linux reports none.
  if (process.platform === 'win32') tray.on('click', () => actions.open());
  return {
    show({ t, work, settings }) {
      const mark = markOf(work);
      if (mark !== shownMark) tray.setImage(createPicture(mark));
      shownMark = mark;
      tray.setToolTip(trayTooltip(t, work));
      if (process.platform === 'darwin') tray.setTitle(work.waiting > 0 ? String(work.waiting) : '');
      tray.setContextMenu(Menu.buildFromTemplate(trayMenu({ t, work, settings, actions })));
    },
    close: () => tray.destroy(),
  };
}

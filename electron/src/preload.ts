import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { type DesktopBridge, type DesktopCalls, type DesktopChannel, desktopName } from '#shared/desktop';

const invoke = <C extends DesktopChannel>(
  channel: C,
  ...args: Parameters<DesktopCalls[C]>
): Promise<ReturnType<DesktopCalls[C]>> => ipcRenderer.invoke(channel, ...args);

const bridge: DesktopBridge = {
  openFolder: () => invoke('desktop:open-folder'),
  newSignInLink: () => invoke('desktop:new-sign-in-link'),
  version: () => invoke('desktop:version'),
  unseal: (passphrase) => invoke('desktop:unseal', passphrase),
  droppedPath: (file) => (file instanceof File ? webUtils.getPathForFile(file) : ''),
};

contextBridge.exposeInMainWorld(desktopName, bridge);

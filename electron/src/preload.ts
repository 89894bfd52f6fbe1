import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { type DesktopBridge, type DesktopCalls, type DesktopChannel, desktopName } from '#shared/desktop';

const ask = <C extends DesktopChannel>(channel: C): Promise<ReturnType<DesktopCalls[C]>> => ipcRenderer.invoke(channel);

const bridge: DesktopBridge = {
  openFolder: () => ask('desktop:open-folder'),
  newSignInLink: () => ask('desktop:new-sign-in-link'),
  version: () => ask('desktop:version'),
  droppedPath: (file) => (file instanceof File ? webUtils.getPathForFile(file) : ''),
};

contextBridge.exposeInMainWorld(desktopName, bridge);

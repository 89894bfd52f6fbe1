import { contextBridge, ipcRenderer } from 'electron';
import { manageChannel, manageName } from './manage-channel.ts';

contextBridge.exposeInMainWorld(manageName, {
  request: (request: unknown): Promise<string | null> => ipcRenderer.invoke(manageChannel, request),
});

import { contextBridge, ipcRenderer } from 'electron';
import { type NoticePort, noticeChannel, noticePortName } from '#shared/desktop-notices';

const port: NoticePort = {
  show: (event, runId) => ipcRenderer.invoke(noticeChannel, event, runId),
};

contextBridge.exposeInMainWorld(noticePortName, port);

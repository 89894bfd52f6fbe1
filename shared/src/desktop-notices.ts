import type { PersonalEvent } from './notifications/contract.ts';

/** IPC channel by which the page of a saved server requests a notification of the desktop. */
export const noticeChannel = 'servers:notice';

export const noticePortName = 'groundControlNotices';

/**
 * All that the page of a saved server may request from the desktop around it. The desktop words the notification; the
 * parameters are an event of a fixed list and the id of a Run. Resolves with false when it is not shown.
 */
export type NoticePort = { show(event: PersonalEvent, runId: string): Promise<boolean> };

/** Returns the port of a page; undefined in a browser and on the desktop's own server. */
export const findNoticePort = (page: object): NoticePort | undefined =>
  (page as { [noticePortName]?: NoticePort })[noticePortName];

import { actorOf, type Mount, mayWrite, noContent, ok } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { mailTestApi, notificationsApi } from '#shared/notifications/api';
import type { NotificationsService } from './service.ts';

export function notificationsRoutes(mount: Mount, notifications: NotificationsService): void {
  mount(notificationsApi, {
    getWaiting: ({ params, caller }) => {
      const waiting = { accountId: actorOf(caller), mayDecide: mayWrite(caller) };
      return ok({ waiting: notifications.getWaiting(params.workspaceId, waiting) });
    },
    getNotificationPreferences: ({ caller }) => ok(notifications.getPreferences(actorOf(caller))),
    setNotificationPreferences:
      ({ body: { browser, mail, mutedWorkspaceIds, language, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        const preferences = { browser, mail, mutedWorkspaceIds, language };
        return ok(notifications.setPreferences(actorOf(caller), preferences));
      },
  });
  mount(mailTestApi, {
    testMail: async ({ body: { email, ...rest } }) => {
      nothingLeft(rest);
      await notifications.testMail(email);
      return noContent();
    },
  });
}

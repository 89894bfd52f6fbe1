import { viewerOf } from '#server/domains/workspaces/index';
import { AppError } from '#server/kernel/errors';
import { type Mount, ok, redirectTo } from '#server/kernel/http/index';
import { dashboardApi } from '#shared/dashboard/api';
import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';
import { installLinkApi } from '#shared/sources/link-api';
import { refusedLinkMessage, refusedLinkPage } from './refused-link.ts';
import type { DashboardViews } from './views.ts';

/** Entry point for links from other sites. It reads no session and no record, fetches nothing and writes nothing. */
export const installLinkRoutes = (mount: Mount): void =>
  mount(installLinkApi, {
    openInstallLink: ({ caller: { search, acceptLanguage } }) => {
      const read = readInstallLink(search);
      if (read.kind === 'empty') return redirectTo('/new');
      if (read.kind === 'link') return redirectTo(`/new?${writeInstallLink(read.link)}`);
      const { reason, field } = read.refusal;
      throw new AppError('install_link_invalid', refusedLinkMessage(reason), {
        details: { reason, ...(field !== undefined && { field: `/${field}` }) },
        page: refusedLinkPage(read.refusal, acceptLanguage),
      });
    },
  });

/** Data of the first screens. A bound token reads its Workspace, and is refused another. */
export const dashboardRoutes = (mount: Mount, views: DashboardViews): void =>
  mount(dashboardApi, {
    getBootstrap: ({ query, caller }) => ok(views.bootstrap(viewerOf(caller, query.workspaceId), query)),
    getOverview: ({ query, caller }) => ok(views.overview(viewerOf(caller, query.workspaceId), query)),
  });

import { viewerOf } from '#server/domains/workspaces/index';
import { AppError } from '#server/kernel/errors';
import { type Mount, ok, redirectTo } from '#server/kernel/http/index';
import { dashboardApi } from '#shared/dashboard/api';
import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';
import { installLinkApi } from '#shared/sources/link-api';
import type { createAttention } from './attention.ts';
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

type Parts = {
  views: DashboardViews;
  attention: ReturnType<typeof createAttention>;
  /** Absent where the server reads no repositories from its disk. */
  sample: { create: () => { url: string } } | undefined;
};

/** Data of the first screens. A bound token reads its Workspace, and is refused another. */
export const dashboardRoutes = (mount: Mount, { views, attention, sample }: Parts): void =>
  mount(dashboardApi, {
    getBootstrap: ({ query, caller }) => ok(views.bootstrap(viewerOf(caller, query.workspaceId), query)),
    getAttention: ({ params, query }) => ok(attention(params.workspaceId, query)),
    getOverview: ({ query, caller }) => ok(views.overview(viewerOf(caller, query.workspaceId), query)),
    createSample: () => () => {
      if (sample) return ok(sample.create());
      throw new AppError(
        'capability_not_available',
        'This server reads no repositories from its disk, so it has no sample. Install a module from an https:// address.',
      );
    },
  });

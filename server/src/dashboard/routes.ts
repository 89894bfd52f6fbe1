import { AppError } from '#server/kernel/errors';
import { found, type Mount } from '#server/kernel/http/index';
import { readInstallLink, writeInstallLink } from '#shared/sources/install-link';
import { installLinkApi } from '#shared/sources/link-api';
import { refusedLinkPage, refusedLinkSentence } from './refused-link.ts';

/** The entry for links from elsewhere. It reads no session and no record, fetches nothing and writes nothing. */
export const installLinkRoutes = (mount: Mount): void =>
  mount(installLinkApi, {
    openInstallLink: ({ caller: { search, acceptLanguage } }) => {
      const read = readInstallLink(search);
      if (read.kind === 'empty') return found('/new');
      if (read.kind === 'link') return found(`/new?${writeInstallLink(read.link)}`);
      const { reason, field } = read.refusal;
      throw new AppError('install_link_invalid', refusedLinkSentence(reason), {
        details: { reason, ...(field !== undefined && { field: `/${field}` }) },
        page: refusedLinkPage(read.refusal, acceptLanguage),
      });
    },
  });

import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type TextId, useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { Card } from '../../ui/surface.tsx';

const pages = [
  { to: '/workspace', title: 'workspaces.settings', text: 'settings.more.workspace' },
  { to: '/members', title: 'members.title', text: 'settings.more.members' },
  { to: '/account', title: 'account.title', text: 'settings.more.account' },
  { to: '/tokens', title: 'tokens.title', text: 'settings.more.tokens' },
  { to: '/settings/runners', title: 'runners.title', text: 'settings.more.runners' },
  { to: '/docs/api', title: 'nav.api', text: 'settings.more.api' },
] as const satisfies readonly { to: string; title: TextId; text: TextId }[];

/** Links to the settings that have pages of their own. */
export function MoreSettings() {
  const t = useText();
  return (
    <Card>
      <ul aria-label={t('settings.more')} className="divide-y divide-line">
        {pages.map(({ to, title, text }) => (
          <li
            key={to}
            className="relative flex items-center gap-3 px-4 py-2.5 hover:bg-raised has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
          >
            <span className="min-w-0 flex-1">
              <Link to={to} className={rowLinkClass}>
                {t(title)}
              </Link>
              <span className="block text-sm text-muted">{t(text)}</span>
            </span>
            <ChevronRight size={16} aria-hidden="true" className="shrink-0 text-muted" />
          </li>
        ))}
      </ul>
    </Card>
  );
}

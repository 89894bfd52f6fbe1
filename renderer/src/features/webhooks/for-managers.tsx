import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isAllowed, useRole } from '../../api/role.ts';
import { useText } from '../../i18n/text.ts';
import { Card, EmptyState, Skeleton } from '../../ui/surface.tsx';

/** Shows webhooks to owners and admins, and explains to others who manages them. Nothing is fetched before the role is known. */
export function ForManagers({ children }: { children: ReactNode }) {
  const t = useText();
  const role = useRole();
  if (role === undefined) return <Skeleton lines={5} />;
  if (isAllowed(role, 'listWebhooks')) return children;
  return (
    <Card>
      <EmptyState
        title={t('webhooks.managed.title')}
        text={t('webhooks.managed.text')}
        action={
          <Link to="/members" className="text-accent underline">
            {t('webhooks.managed.members')}
          </Link>
        }
      />
    </Card>
  );
}

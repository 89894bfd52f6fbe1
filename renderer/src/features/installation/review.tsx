import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { reviewedConnectionsQuery, reviewedMembersQuery } from '../../api/installation.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { connectionStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Members of every Workspace: who was removed or got another role later is as before. */
export function ReviewedMembers({ count }: { count: number }) {
  const t = useText();
  const pages = useInfiniteQuery(reviewedMembersQuery);
  const rows = pages.data?.pages.flatMap(({ members }) => members) ?? [];
  return (
    <Review title={t('restored.members', { count })} text={t('restored.members.text')} pages={pages}>
      {rows.map(({ id, displayName, email, workspaceName, role, status }) => (
        <Row key={id} name={displayName ?? email ?? `…${id.slice(-6)}`}>
          {[
            ...(displayName !== undefined && email !== undefined ? [visibleText(email)] : []),
            visibleText(workspaceName),
            t(`members.role.${role}`),
            ...(status === 'invited' ? [t('restored.members.invited')] : []),
          ].join(' · ')}
        </Row>
      ))}
    </Review>
  );
}

/** Connections of every Workspace: what was revoked or rotated later is as before. */
export function ReviewedConnections({ count }: { count: number }) {
  const t = useText();
  const pages = useInfiniteQuery(reviewedConnectionsQuery);
  const rows = pages.data?.pages.flatMap(({ connections }) => connections) ?? [];
  return (
    <Review title={t('restored.connections', { count })} text={t('restored.connections.text')} pages={pages}>
      {rows.map(({ id, displayName, provider, workspaceName, status }) => (
        <Row key={id} name={displayName ?? provider}>
          {[
            visibleText(provider),
            workspaceName === undefined ? t('restored.connections.operator') : visibleText(workspaceName),
            t(connectionStatusTexts[status].text),
          ].join(' · ')}
        </Row>
      ))}
    </Review>
  );
}

type ReviewProps = {
  title: string;
  text: string;
  pages: Parameters<typeof More>[0]['pages'] & { isPending: boolean; isLoadingError: boolean; refetch: () => unknown };
  children: readonly ReactNode[];
};

function Review({ title, text, pages, children }: ReviewProps) {
  const t = useText();
  return (
    <Card>
      <div className="border-b border-line px-4 py-3">
        <h2 className="font-semibold">{title}</h2>
        <p className="text-muted">{text}</p>
      </div>
      {pages.isPending && <Skeleton lines={2} />}
      {pages.isLoadingError && <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />}
      {!pages.isPending && !pages.isLoadingError && children.length === 0 && (
        <p className="px-4 py-3 text-muted">{t('restored.review.none')}</p>
      )}
      {children.length > 0 && <ul aria-label={title}>{children}</ul>}
      <More pages={pages} />
    </Card>
  );
}

const Row = ({ name, children }: { name: string; children: string }) => (
  <li className="border-b border-line px-4 py-2 last:border-b-0">
    <span className="font-medium break-words">{visibleText(name)}</span>
    <span className="block text-sm break-words text-muted">{children}</span>
  </li>
);

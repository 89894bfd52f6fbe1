import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { appsOfCapsuleQuery, interfacesQuery } from '../../../api/interfaces.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { AppList } from '../../../components/interfaces/app-list.tsx';
import { InterfaceFailures } from '../../../components/interfaces/failures.tsx';
import { InterfaceTable } from '../../../components/interfaces/interface-table.tsx';
import { ListCard } from '../../../components/list-page.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card, EmptyState } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';

/** The Interfaces of a Capsule. Those of a destroyed one are retired. */
export function InterfacesPage() {
  const t = useText();
  const { capsule } = useCapsule();
  const isDestroyed = capsule.status === 'destroyed';
  const pages = useInfiniteQuery(
    interfacesQuery(useWorkspaceId(), {
      ownerKind: 'Capsule',
      ownerId: capsule.id,
      ...(isDestroyed && { includeRetired: 'true' as const }),
    }),
  );
  const rows = pages.data?.pages.flatMap((page) => page.interfaces) ?? [];
  return (
    <>
      <InterfaceFailures capsuleId={capsule.id} />
      <CapsuleApps capsuleId={capsule.id} className="mb-4" />
      <ListCard
        pages={pages}
        count={rows.length}
        empty={<EmptyState title={t('interfaces.empty.title')} text={t('interfaces.empty.capsule')} />}
      >
        <InterfaceTable label={t('capsule.tab.interfaces')} rows={rows} />
      </ListCard>
    </>
  );
}

/** The apps of a Capsule that the person may open. Renders nothing when there are none. */
export function CapsuleApps({ capsuleId, className = '' }: { capsuleId: string; className?: string }) {
  const t = useText();
  const apps = useQuery(appsOfCapsuleQuery(useWorkspaceId(), capsuleId)).data ?? [];
  if (apps.length === 0) return null;
  return (
    <Card className={className}>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('apps.title')}</h2>
      <AppList apps={apps} namesCapsule={false} />
    </Card>
  );
}

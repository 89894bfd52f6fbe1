import { useInfiniteQuery } from '@tanstack/react-query';
import type { FormResourceDetail } from '#shared/form-resources/contract';
import { interfacesOfResourceQuery } from '../../api/interfaces.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { InterfaceTable } from '../../components/interfaces/interface-table.tsx';
import { More } from '../../components/more.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';

/** Interfaces that a Resource owns: those of its form package, and those that a program created. */
export function OwnedInterfaces({ resource }: { resource: FormResourceDetail }) {
  const t = useText();
  const pages = useInfiniteQuery(interfacesOfResourceQuery(resource));
  const rows = pages.data?.pages.flatMap((page) => page.interfaces) ?? [];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('formResources.interfaces')}</h2>
      {pages.isPending && <Skeleton lines={1} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {pages.isSuccess && rows.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">{t('formResources.interfaces.none')}</p>
      )}
      {rows.length > 0 && <InterfaceTable label={t('formResources.interfaces')} rows={rows} />}
      <More pages={pages} />
    </Card>
  );
}

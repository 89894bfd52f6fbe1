import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { wellKnownInterfaces } from '#shared/interfaces/well-known';
import { appsQuery, interfacesQuery } from '../../api/interfaces.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { AppList } from '../../components/interfaces/app-list.tsx';
import { InterfaceFailures } from '../../components/interfaces/failures.tsx';
import { InterfaceTable } from '../../components/interfaces/interface-table.tsx';
import { ListCard } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { Choice } from '../../ui/choice.tsx';
import { EmptyState, PageTitle } from '../../ui/surface.tsx';
import { type AppsSearch, interfaceKinds } from './search.ts';

/** The apps that a person may open, and below them every Interface of the Workspace. */
export function AppsPage({ search }: { search: AppsSearch }) {
  const t = useText();
  return (
    <>
      <PageTitle title={t('apps.title')} lead={t('apps.lead')} />
      <InterfaceFailures />
      <Apps />
      <AllInterfaces search={search} />
    </>
  );
}

function Apps() {
  const t = useText();
  const pages = useInfiniteQuery(appsQuery(useWorkspaceId()));
  const apps = pages.data?.pages.flatMap((page) => page.interfaces) ?? [];
  return (
    <ListCard
      pages={pages}
      count={apps.length}
      empty={<EmptyState title={t('apps.empty.title')} text={t('apps.empty.text')} />}
    >
      <AppList apps={apps} />
    </ListCard>
  );
}

function AllInterfaces({ search: { kind } }: { search: AppsSearch }) {
  const t = useText();
  const navigate = useNavigate();
  const pages = useInfiniteQuery(
    interfacesQuery(useWorkspaceId(), kind === undefined ? {} : { type: wellKnownInterfaces[kind].type }),
  );
  const rows = pages.data?.pages.flatMap((page) => page.interfaces) ?? [];
  const show = (value: string | undefined) => {
    const next = interfaceKinds.find((one) => one === value);
    void navigate({ to: '/apps', search: next ? { kind: next } : {}, replace: true });
  };
  return (
    <section aria-label={t('interfaces.all')} className="mt-8">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{t('interfaces.all')}</h2>
        <Choice
          label={t('interfaces.kind')}
          any={t('interfaces.kind.any')}
          value={kind}
          options={interfaceKinds.map((one) => ({ value: one, text: t(`interfaces.kind.${one}`) }))}
          onChange={show}
        />
      </div>
      <ListCard
        pages={pages}
        count={rows.length}
        empty={
          <EmptyState
            title={t('interfaces.empty.title')}
            text={t(kind === undefined ? 'interfaces.empty.text' : 'interfaces.empty.kind')}
          />
        }
      >
        <InterfaceTable label={t('interfaces.all')} rows={rows} namesOwner />
      </ListCard>
    </section>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formResourcesQuery, useFormHost } from '../../api/form-resources.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ListPage } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState } from '../../ui/surface.tsx';
import { FirstResource } from './first-resource.tsx';
import { HostIsOff } from './host-is-off.tsx';
import type { FormResourcesSearch } from './search.ts';
import { statusOptions } from './states.ts';
import { FormResourceTable } from './table.tsx';

type Change = { [K in keyof FormResourcesSearch]: FormResourcesSearch[K] | undefined };

/**
 * Resources of the form host in the Workspace, newest first. Programs change them; this page reads them. The filters are
 * stored in the URL, so that they can be shared.
 */
export function FormResourcesPage({ search }: { search: FormResourcesSearch }) {
  const t = useText();
  const navigate = useNavigate();
  const isOn = useFormHost();
  const pages = useInfiniteQuery(formResourcesQuery(useWorkspaceId(), search));
  const isFiltered = Object.keys(search).length > 0;
  const rows = pages.data?.pages.flatMap((page) => page.formResources) ?? [];
  const show = (change: Change) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
    void navigate({ to: '/form-resources', search: Object.fromEntries(next) as FormResourcesSearch, replace: true });
  };
  return (
    <ListPage
      title={t('formResources.title')}
      lead={t('formResources.lead')}
      pages={pages}
      count={rows.length}
      tools={
        <>
          {isOn === false && (isFiltered || rows.length > 0) && <HostIsOff />}
          <Tools search={search} onChange={show} />
        </>
      }
      empty={isFiltered ? <NoMatch onClear={() => show({ q: undefined, status: undefined })} /> : <FirstResource />}
    >
      <FormResourceTable rows={rows} />
    </ListPage>
  );
}

function Tools({ search, onChange }: { search: FormResourcesSearch; onChange: (change: Change) => void }) {
  const t = useText();
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField
        label={t('formResources.search')}
        value={search.q ?? ''}
        onSearch={(text) => onChange({ q: text === '' ? undefined : text })}
      />
      <Choice
        label={t('formResources.column.state')}
        any={t('formResources.state.any')}
        value={search.status}
        options={statusOptions.map(({ value, text }) => ({ value, text: t(text) }))}
        onChange={(value) => onChange({ status: statusOptions.find((one) => one.value === value)?.value })}
      />
    </div>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  const t = useText();
  return (
    <EmptyState
      title={t('formResources.nothing.title')}
      text={t('formResources.nothing.text')}
      action={<Button onClick={onClear}>{t('formResources.nothing.clear')}</Button>}
    />
  );
}

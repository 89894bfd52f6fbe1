import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormResourceDetail } from '#shared/form-resources/contract';
import { formResourceQuery } from '../../api/form-resources.ts';
import { interfacesOfResourceQuery } from '../../api/interfaces.ts';
import { capabilitiesQuery } from '../../api/runner.ts';
import { isMissingRecord, PageError } from '../../components/page-error.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { JsonValue } from '../../ui/json-value.tsx';
import { Card, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AboutResource, FormReference } from './about.tsx';
import { ChangeCommands } from './change-commands.tsx';
import { Drift } from './drift.tsx';
import { ResourceHistory } from './history.tsx';
import { HostIsOff } from './host-is-off.tsx';
import { OwnedInterfaces } from './owned-interfaces.tsx';
import { StatePills } from './state-pills.tsx';

/** Page of a Resource of the form host: its desired state, what differs from it, and its history. */
export function FormResourcePage({ id }: { id: string }) {
  const query = useQuery(formResourceQuery(id));
  const capabilities = useQuery(capabilitiesQuery);
  if (query.isPending || capabilities.isPending) return <Skeleton lines={6} />;
  if (!query.data) return <PageError error={query.error} onAgain={() => void query.refetch()} />;
  if (isMissingRecord(query.error)) return <DeletedResource resource={query.data} />;
  return <ResourceView key={id} resource={query.data} isOn={capabilities.data?.formHost} />;
}

type ViewProps = { resource: FormResourceDetail; isOn: boolean | undefined };

function ResourceView({ resource, isOn }: ViewProps) {
  const t = useText();
  // What stands below the Interfaces is shown with them, so that nothing of it moves.
  const isComplete = !useInfiniteQuery(interfacesOfResourceQuery(resource)).isPending;
  return (
    <>
      <PageTitle
        title={visibleText(resource.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            {visibleText(resource.kind)} <StatePills resource={resource} />
          </span>
        }
        actions={<BackToList />}
      />
      {isOn === false && <HostIsOff />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Drift resource={resource} />
          <Card>
            <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('formResources.spec')}</h2>
            <div className="p-4">
              <JsonValue value={resource.spec} name={t('formResources.spec')} />
            </div>
          </Card>
          <OwnedInterfaces resource={resource} />
          {isComplete && (
            <>
              {isOn === true && <ChangeCommands resource={resource} />}
              <ResourceHistory id={resource.id} />
            </>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AboutResource resource={resource} />
          <FormReference resource={resource} />
        </div>
      </div>
    </>
  );
}

function BackToList() {
  const t = useText();
  return (
    <Link to="/form-resources" className={buttonClass()}>
      {t('formResources.back')}
    </Link>
  );
}

/** Replaces the page of a Resource that was deleted while it was open. */
function DeletedResource({ resource: { name, kind } }: { resource: FormResourceDetail }) {
  const t = useText();
  return (
    <>
      <PageTitle title={visibleText(name)} lead={visibleText(kind)} actions={<BackToList />} />
      <Note tone="warn" title={t('formResources.deleted.title')}>
        {t('formResources.deleted.text')}{' '}
        <Link to="/activity" search={{ kind: 'resource' }} className="text-accent underline underline-offset-2">
          {t('formResources.history.all')}
        </Link>
      </Note>
    </>
  );
}

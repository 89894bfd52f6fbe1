import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Source, SourceSnapshot } from '#shared/sources/contract';
import type { InstallModule, InstallModules, InstallModulesReason } from '#shared/sources/module-scan';
import { installAddress } from '../../api/install-address.ts';
import { modulesQuery } from '../../api/records.ts';
import { useMay } from '../../api/role.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { FolderName } from '../../ui/lane.tsx';
import { providerText } from '../../ui/provider-text.ts';
import { Card, Note, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = { source: Source; snapshot: SourceSnapshot };

/** Modules of the newest snapshot, with links to install them. */
export function SourceModules({ source, snapshot }: Props) {
  const t = useText();
  const query = useQuery(modulesQuery(source.id, snapshot.id));
  return (
    <Card>
      <h2 className="flex flex-wrap items-baseline justify-between gap-2 border-b border-line px-4 py-2.5 font-semibold">
        {t('modules.title')}
        <span className="text-xs font-normal text-muted">
          {t('modules.of', { commit: snapshot.resolvedCommit.slice(0, 8) })}
        </span>
      </h2>
      {query.isPending && <Skeleton />}
      {query.error && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data?.status === 'invalid' && <NoList scan={query.data} source={source} snapshot={snapshot} />}
      {query.data?.status === 'ready' && (
        <ModuleList modules={query.data.modules} scopePath={query.data.scopePath} source={source} snapshot={snapshot} />
      )}
    </Card>
  );
}

function ModuleList({ modules, scopePath, source, snapshot }: Props & { modules: InstallModule[]; scopePath: string }) {
  const t = useText();
  const may = useMay();
  if (modules.length === 0) return <p className="px-4 py-4 text-muted">{t('modules.none')}</p>;
  return (
    <ul className="max-h-[32rem] divide-y divide-line overflow-auto">
      {modules.map((module) => (
        <li key={module.path} className="flex items-center justify-between gap-4 px-4 py-2.5">
          <div className="min-w-0">
            <p className="font-medium break-all">
              <FolderName path={module.path} />
            </p>
            <Providers module={module} />
          </div>
          {source.status !== 'disabled' && may('createInstallPlan') && (
            <Link
              to="/new"
              search={{ url: installAddress({ url: source.url, ref: snapshot.ref, path: scopePath }) }}
              className={buttonClass()}
            >
              {t('modules.install')}
              <span className="sr-only"> {visibleText(module.path)}</span>
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

function Providers({ module: { providerPackages } }: { module: InstallModule }) {
  const t = useText();
  if (providerPackages.length === 0) return <p className="text-xs text-muted">{t('modules.noproviders')}</p>;
  const shown = providerPackages.slice(0, 6);
  const more = providerPackages.length - shown.length;
  return (
    <p className="text-xs break-words text-muted">
      {shown.map(providerText).join(' · ')}
      {more > 0 && ` · ${t('modules.moreproviders', { count: more })}`}
    </p>
  );
}

const reasonText = (reason: InstallModulesReason): TextId => `modules.invalid.${reason}`;

function NoList({ scan, source, snapshot }: Props & { scan: Extract<InstallModules, { status: 'invalid' }> }) {
  const t = useText();
  const may = useMay();
  return (
    <div className="flex flex-col gap-3 p-4">
      <Note tone="warn" title={t('modules.invalid')}>
        <p>{t(reasonText(scan.reason))}</p>
        {scan.findings.length > 0 && (
          <ul className="mt-2 flex max-h-52 list-disc flex-col gap-1 overflow-auto pl-5">
            {scan.findings.map(({ path, code, message }) => (
              <li key={`${path} ${code} ${message}`} className="break-words">
                <code className="mr-1.5 font-mono text-xs">{visibleText(path)}</code>
                {visibleText(message)}
              </li>
            ))}
          </ul>
        )}
      </Note>
      {scan.cleanScopes.length > 0 && may('createInstallPlan') && (
        <div>
          <p className="mb-1 text-muted">{t('modules.clean')}</p>
          <ul className="flex flex-wrap gap-2">
            {scan.cleanScopes.map((path) => (
              <li key={path}>
                <Link
                  to="/new"
                  search={{ url: installAddress({ url: source.url, ref: snapshot.ref, path }) }}
                  className={buttonClass()}
                >
                  <code className="font-mono break-all">{visibleText(path)}</code>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

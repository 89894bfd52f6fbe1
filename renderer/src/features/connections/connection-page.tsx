import { useQuery } from '@tanstack/react-query';
import type { Connection } from '#shared/connections/contract';
import { writeJson } from '#shared/kernel/exact-number';
import { connectionQuery, homeOf, recipesQuery } from '../../api/connections.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { NothingHere } from '../../components/page-error.tsx';
import { connectionName } from '../../components/repository-access.tsx';
import { connectionStatusTexts } from '../../components/status-text.ts';
import { useRecipeText } from '../../i18n/recipe-text.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { BoundCapsules } from './bound-capsules.tsx';
import { Purpose } from './page.tsx';
import { RevokeConnection } from './revoke.tsx';
import { ConnectionSources } from './sources.tsx';
import { TestButton, TestResult, useTest } from './test-connection.tsx';
import { dayText, endsSoon, endText, type PurposeKind, purposeKindOf } from './texts.ts';
import { ConnectionUses } from './uses.tsx';

/** Page of a Connection: value names, uses, and expiry. */
export function ConnectionPage({ id }: { id: string }) {
  const query = useQuery(connectionQuery(useWorkspaceId(), id));
  if (query.isPending) return <Skeleton lines={6} />;
  if (query.isLoadingError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  if (!query.data) return <NothingHere />;
  return <ConnectionView key={id} connection={query.data} />;
}

function ConnectionView({ connection }: { connection: Connection }) {
  const t = useText();
  const test = useTest(connection);
  const purpose = purposeKindOf(connection);
  const isOver = connection.status === 'revoked';
  return (
    <>
      <PageTitle
        title={connectionName(connection)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            Connection <StatusBadge statusText={connectionStatusTexts[connection.status]} />
          </span>
        }
        actions={
          !isOver && (
            <>
              <Allowed to="testConnection">
                <TestButton test={test} />
              </Allowed>
              <Allowed to="revokeConnection">
                <RevokeConnection connection={connection} />
              </Allowed>
            </>
          )
        }
      />
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        <StateNote connection={connection} />
        {!isOver && <TestResult test={test} />}
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {purpose === 'provider' && <BoundCapsules connection={connection} />}
          {purpose === 'git' && <ConnectionSources connection={connection} />}
          {purpose === 'storage' && <Note title={t('connection.storage.use')}>{t('connection.storage.use.text')}</Note>}
          {purpose === 'registry' && (
            <Note title={t('connection.registry.use')}>{t('connection.registry.use.text')}</Note>
          )}
          {(purpose === 'provider' || purpose === 'git') && <ConnectionUses connectionId={connection.id} />}
        </div>
        <About connection={connection} />
      </div>
    </>
  );
}

const errorTexts: Readonly<Record<PurposeKind, TextId>> = {
  provider: 'connection.error.provider',
  git: 'connection.error.text',
  registry: 'connection.error.registry',
  storage: 'connection.error.storage',
};
const testedTexts: Readonly<Record<PurposeKind, TextId>> = {
  provider: 'connection.tested.provider',
  git: 'connection.tested.git',
  registry: 'connection.tested.registry',
  storage: 'connection.tested.storage',
};

/** Note about the status of a Connection when it needs attention. */
function StateNote({ connection }: { connection: Connection }) {
  const t = useText();
  const { status, expiresAt } = connection;
  if (status === 'revoked') return <Note title={t('connection.revoked.title')}>{t('connection.revoked.text')}</Note>;
  if (status === 'expired')
    return (
      <Note tone="warn" title={t('connection.expired.title')}>
        {t('connection.expired.text')}
      </Note>
    );
  if (status === 'error')
    return (
      <Note tone="bad" title={t('connection.error.title')}>
        {t(errorTexts[purposeKindOf(connection)])}
      </Note>
    );
  if (expiresAt !== undefined && endsSoon(expiresAt))
    return (
      <Note tone="warn" title={t('connection.soon.title', { when: endText(expiresAt), day: dayText(expiresAt) })}>
        {t('connection.soon.text')}
      </Note>
    );
  return null;
}

/** Name of the sign-in method in the recipe, or its id. */
function WayName({ connection: { credentialRecipe } }: { connection: Connection }) {
  const say = useRecipeText();
  const recipes = useQuery(recipesQuery).data;
  const recipe = recipes?.find(({ id }) => id === credentialRecipe?.id);
  const mode = recipe?.authModes[credentialRecipe?.authMode ?? ''];
  const way = say(mode?.presentation?.displayName ?? credentialRecipe?.authMode ?? '');
  return (
    <>
      {visibleText(recipe?.displayName ?? credentialRecipe?.id ?? '')}
      <span lang={way.lang} className="block text-xs text-muted">
        {visibleText(way.text)}
      </span>
    </>
  );
}

/** Plain arguments of the provider block and inputs of the recipe. The address of a Git token or object storage is shown separately above. */
const settingFacts = (connection: Connection): Fact[] =>
  purposeKindOf(connection) === 'git'
    ? []
    : Object.entries(settingsOf(connection)).map(([name, value]) => ({
        term: visibleText(name),
        value: (
          <code className="font-mono text-[0.93em] break-all">
            {visibleText(typeof value === 'string' ? value : writeJson(value))}
          </code>
        ),
      }));

function settingsOf({ kind, scopeHints }: Connection): Record<string, unknown> {
  const { endpoint, ...config } = scopeHints?.providerConfig ?? {};
  const isHome = kind !== undefined || endpoint === undefined;
  return { ...scopeHints?.providerSettings, ...config, ...(!isHome && { endpoint }) };
}

function About({ connection }: { connection: Connection }) {
  const t = useText();
  const { envNames, fileEnvNames = [], expiresAt, verifiedAt, createdAt, id } = connection;
  const home = homeOf(connection);
  const facts: (Fact | false)[] = [
    { term: t('connection.for'), value: <Purpose connection={connection} /> },
    connection.credentialRecipe !== undefined && {
      term: t('connection.way'),
      value: <WayName connection={connection} />,
    },
    home !== undefined && { term: t('connection.home'), value: <span className="break-all">{addressText(home)}</span> },
    {
      term: t('connections.holds'),
      value: (
        <ul className="flex flex-col gap-0.5">
          {[...envNames, ...fileEnvNames].map((name) => (
            <li key={name}>
              <code className="font-mono text-[0.93em] break-all">{visibleText(name)}</code>
            </li>
          ))}
        </ul>
      ),
    },
    ...settingFacts(connection),
    connection.scopeHints?.managedProviderProfile !== undefined && {
      term: t('connection.profile'),
      value: <span className="break-all">{visibleText(connection.scopeHints.managedProviderProfile)}</span>,
    },
    { term: t('connections.ends'), value: expiresAt === undefined ? t('connection.noEnd') : dayText(expiresAt) },
    {
      term: t('connection.verified'),
      value:
        verifiedAt === undefined ? (
          t('connection.neverVerified')
        ) : (
          <>
            <Since at={verifiedAt} />
            <span className="block text-xs text-muted">{t(testedTexts[purposeKindOf(connection)])}</span>
          </>
        ),
    },
    { term: t('connections.created'), value: <Since at={createdAt} /> },
    { term: 'ID', value: <ShortId id={id} what="ID" length={14} /> },
  ];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('source.about')}</h2>
      <Facts items={facts.filter((fact) => fact !== false)} />
      {connection.status !== 'revoked' && (
        <p className="border-t border-line px-4 py-3 text-sm text-muted">{t('connection.writeOnly')}</p>
      )}
    </Card>
  );
}

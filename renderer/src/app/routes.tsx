import { createRootRoute, createRoute, createRouter, Link, Outlet } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { parseSearch, stringifySearch } from '../api/address-search.ts';
import { readFilters } from '../api/filters.ts';
import { readActivitySearch } from '../components/activity/search.ts';
import { PageError, UnknownFilter } from '../components/page-error.tsx';
import { readRunsSearch, runFilterNames } from '../components/runs/search.ts';
import { readDriftSearch } from '../features/capsules/drift/search.ts';
import { readResourcesSearch } from '../features/capsules/resources/search.ts';
import { readCapsulesSearch } from '../features/capsules/search.ts';
import { readStatesSearch } from '../features/capsules/states/search.ts';
import { readConnectionsSearch, readNewConnectionSearch } from '../features/connections/search.ts';
import { readFormResourcesSearch } from '../features/form-resources/search.ts';
import { HomePage } from '../features/home/page.tsx';
import type { NewSearch } from '../features/install/search.ts';
import { readAppsSearch } from '../features/interfaces/search.ts';
import { readRunSearch } from '../features/runs/search.ts';
import { InvitePage } from '../features/session/invite-page.tsx';
import { SessionLayout } from '../features/session/session-layout.tsx';
import { SetupPage } from '../features/session/setup-page.tsx';
import { SignInPage } from '../features/session/sign-in.tsx';
import { readSourceSearch, readSourcesSearch } from '../features/sources/search.ts';
import { readDeliveriesSearch } from '../features/webhooks/search.ts';
import { useText } from '../i18n/text.ts';
import { buttonClass } from '../ui/button.tsx';
import { Skeleton } from '../ui/surface.tsx';
import { Shell } from './shell.tsx';

/** A page that is loaded on its first visit. */
const page = <P extends object>(load: () => Promise<ComponentType<P>>) => lazy(async () => ({ default: await load() }));

const ActivityPage = page(async () => (await import('../features/activity/page.tsx')).ActivityPage);
const AccountPage = page(async () => (await import('../features/account/page.tsx')).AccountPage);
const BackupsPage = page(async () => (await import('../features/backups/page.tsx')).BackupsPage);
const MembersPage = page(async () => (await import('../features/members/page.tsx')).MembersPage);
const CapsulePage = page(async () => (await import('../features/capsules/capsule-page.tsx')).CapsulePage);
const capsulePages = {
  Overview: page(async () => (await import('../features/capsules/overview/page.tsx')).OverviewPage),
  Configuration: page(async () => (await import('../features/capsules/configuration/page.tsx')).ConfigurationPage),
  Resources: page(async () => (await import('../features/capsules/resources/page.tsx')).ResourcesPage),
  Drift: page(async () => (await import('../features/capsules/drift/page.tsx')).DriftPage),
  History: page(async () => (await import('../features/capsules/history/page.tsx')).HistoryPage),
  States: page(async () => (await import('../features/capsules/states/page.tsx')).StatesPage),
  Activity: page(async () => (await import('../features/capsules/activity/page.tsx')).ActivityTab),
  Interfaces: page(async () => (await import('../features/capsules/interfaces/page.tsx')).InterfacesPage),
  Settings: page(async () => (await import('../features/capsules/settings/page.tsx')).SettingsPage),
};
const CapsulesPage = page(async () => (await import('../features/capsules/page.tsx')).CapsulesPage);
const AppsPage = page(async () => (await import('../features/interfaces/apps-page.tsx')).AppsPage);
const InterfacePage = page(async () => (await import('../features/interfaces/page.tsx')).InterfacePage);
const ConnectionsPage = page(async () => (await import('../features/connections/page.tsx')).ConnectionsPage);
const NewConnectionPage = page(async () => (await import('../features/connections/new-page.tsx')).NewConnectionPage);
const ConnectionPage = page(async () => (await import('../features/connections/connection-page.tsx')).ConnectionPage);
const FormResourcesPage = page(async () => (await import('../features/form-resources/page.tsx')).FormResourcesPage);
const FormResourcePage = page(
  async () => (await import('../features/form-resources/resource-page.tsx')).FormResourcePage,
);
const GraphPage = page(async () => (await import('../features/graph/page.tsx')).GraphPage);
const InstallPage = page(async () => (await import('../features/install/page.tsx')).InstallPage);
const InstallProgressPage = page(
  async () => (await import('../features/install/progress-page.tsx')).InstallProgressPage,
);
const ReferencePage = page(async () => (await import('../features/reference/page.tsx')).ReferencePage);
const RunsPage = page(async () => (await import('../features/runs/page.tsx')).RunsPage);
const RunGroupsPage = page(async () => (await import('../features/run-groups/list-page.tsx')).RunGroupsPage);
const RunGroupPage = page(async () => (await import('../features/run-groups/page.tsx')).RunGroupPage);
const UsagePage = page(async () => (await import('../features/usage/page.tsx')).UsagePage);
const RunPage = page(async () => (await import('../features/runs/run-page.tsx')).RunPage);
const SettingsPage = page(async () => (await import('../features/settings/page.tsx')).SettingsPage);
const InstallationPage = page(async () => (await import('../features/installation/page.tsx')).InstallationPage);
const RunnerPoolsPage = page(async () => (await import('../features/runner-pools/page.tsx')).RunnerPoolsPage);
const TokensPage = page(async () => (await import('../features/tokens/page.tsx')).TokensPage);
const WebhooksPage = page(async () => (await import('../features/webhooks/page.tsx')).WebhooksPage);
const WebhookPage = page(async () => (await import('../features/webhooks/webhook-page.tsx')).WebhookPage);
const WorkspacePage = page(async () => (await import('../features/workspaces/page.tsx')).WorkspacePage);
const CopiesPage = page(async () => (await import('../features/copies/page.tsx')).CopiesPage);
const CopyPage = page(async () => (await import('../features/copies/copy-page.tsx')).CopyPage);
const CopyRevisionPage = page(async () => (await import('../features/copies/revision-page.tsx')).CopyRevisionPage);
const SourcesPage = page(async () => (await import('../features/sources/page.tsx')).SourcesPage);
const SourcePage = page(async () => (await import('../features/sources/source-page.tsx')).SourcePage);

const Missing = () => {
  const t = useText();
  return (
    <SessionLayout title={t('missing.title')} lead={t('missing.text')}>
      <Link to="/" className={buttonClass()}>
        {t('nav.home')}
      </Link>
    </SessionLayout>
  );
};

const root = createRootRoute({ component: Outlet, notFoundComponent: Missing });
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInPage });
const reference = createRoute({
  getParentRoute: () => root,
  path: '/docs/api',
  // Outside of the shell, because it can be read without a session.
  component: () => (
    <Suspense fallback={<Skeleton />}>
      <ReferencePage />
    </Suspense>
  ),
});
const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: SetupPage });
const invite = createRoute({ getParentRoute: () => root, path: '/invite', component: InvitePage });
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const at = shell;

const home = createRoute({ getParentRoute: () => at, path: '/', component: HomePage });
const install = createRoute({
  getParentRoute: () => at,
  path: '/new',
  component: InstallPage,
  // No field is dropped here: the page refuses a link with unknown fields.
  validateSearch: (search: Record<string, unknown>): NewSearch => search,
});
const installProgress = createRoute({
  getParentRoute: () => at,
  path: '/install-plans/$id',
  component: () => <InstallProgressPage id={installProgress.useParams().id} />,
});
const capsules = createRoute({
  getParentRoute: () => at,
  path: '/capsules',
  component: () => {
    const { search, isUnknown } = readFilters(readCapsulesSearch, ['q', 'status', 'label'], capsules.useSearch());
    return isUnknown ? <UnknownFilter to="/capsules" /> : <CapsulesPage search={search} />;
  },
  validateSearch: readCapsulesSearch,
});
const capsule = createRoute({
  getParentRoute: () => at,
  path: '/capsules/$id',
  component: () => <CapsulePage id={capsule.useParams().id} />,
});
const capsuleRuns = createRoute({
  getParentRoute: () => capsule,
  path: '/runs',
  component: () => (
    <capsulePages.History filters={readFilters(readRunsSearch, runFilterNames, capsuleRuns.useSearch())} />
  ),
  validateSearch: readRunsSearch,
});
const capsuleActivity = createRoute({
  getParentRoute: () => capsule,
  path: '/activity',
  component: () => (
    <capsulePages.Activity filters={readFilters(readActivitySearch, ['kind', 'actor'], capsuleActivity.useSearch())} />
  ),
  validateSearch: readActivitySearch,
});
const capsuleResources = createRoute({
  getParentRoute: () => capsule,
  path: '/resources',
  component: () => <capsulePages.Resources search={readResourcesSearch(capsuleResources.useSearch())} />,
  validateSearch: readResourcesSearch,
});
const capsuleStates = createRoute({
  getParentRoute: () => capsule,
  path: '/states',
  component: () => <capsulePages.States search={readStatesSearch(capsuleStates.useSearch())} />,
  validateSearch: readStatesSearch,
});
const capsuleDrift = createRoute({
  getParentRoute: () => capsule,
  path: '/drift',
  component: () => <capsulePages.Drift address={readDriftSearch(capsuleDrift.useSearch())} />,
  validateSearch: readDriftSearch,
});
const capsuleTabs = [
  createRoute({ getParentRoute: () => capsule, path: '/', component: capsulePages.Overview }),
  createRoute({ getParentRoute: () => capsule, path: '/configuration', component: capsulePages.Configuration }),
  capsuleResources,
  capsuleDrift,
  capsuleRuns,
  capsuleStates,
  createRoute({ getParentRoute: () => capsule, path: '/interfaces', component: capsulePages.Interfaces }),
  capsuleActivity,
  createRoute({ getParentRoute: () => capsule, path: '/settings', component: capsulePages.Settings }),
] as const;
const apps = createRoute({
  getParentRoute: () => at,
  path: '/apps',
  component: () => {
    const { search, isUnknown } = readFilters(readAppsSearch, ['kind'], apps.useSearch());
    return isUnknown ? <UnknownFilter to="/apps" /> : <AppsPage search={search} />;
  },
  validateSearch: readAppsSearch,
});
const interfaceRecord = createRoute({
  getParentRoute: () => at,
  path: '/interfaces/$id',
  component: () => <InterfacePage id={interfaceRecord.useParams().id} />,
});
const runs = createRoute({
  getParentRoute: () => at,
  path: '/runs',
  component: () => {
    const { search, isUnknown } = readFilters(readRunsSearch, [...runFilterNames, 'capsule'], runs.useSearch());
    return isUnknown ? <UnknownFilter to="/runs" /> : <RunsPage search={search} />;
  },
  validateSearch: readRunsSearch,
});
const run = createRoute({
  getParentRoute: () => at,
  path: '/runs/$id',
  component: () => <RunPage id={run.useParams().id} search={readRunSearch(run.useSearch())} />,
  validateSearch: readRunSearch,
});
const runGroup = createRoute({
  getParentRoute: () => at,
  path: '/run-groups/$id',
  component: () => <RunGroupPage id={runGroup.useParams().id} />,
});
const runGroups = createRoute({ getParentRoute: () => at, path: '/run-groups', component: RunGroupsPage });
const usage = createRoute({ getParentRoute: () => at, path: '/usage', component: UsagePage });
const sources = createRoute({
  getParentRoute: () => at,
  path: '/sources',
  component: () => {
    const { search, isUnknown } = readFilters(readSourcesSearch, ['q'], sources.useSearch());
    return isUnknown ? <UnknownFilter to="/sources" /> : <SourcesPage search={search} />;
  },
  validateSearch: readSourcesSearch,
});
const source = createRoute({
  getParentRoute: () => at,
  path: '/sources/$id',
  component: () => <SourcePage id={source.useParams().id} search={readSourceSearch(source.useSearch())} />,
  validateSearch: readSourceSearch,
});
const copies = createRoute({ getParentRoute: () => at, path: '/copies', component: CopiesPage });
const copy = createRoute({
  getParentRoute: () => at,
  path: '/copies/$id',
  component: () => <CopyPage id={copy.useParams().id} />,
});
const copyRevision = createRoute({
  getParentRoute: () => at,
  path: '/copies/$id/revisions/$revisionId',
  component: () => <CopyRevisionPage {...copyRevision.useParams()} />,
});

const formResources = createRoute({
  getParentRoute: () => at,
  path: '/form-resources',
  component: () => {
    const { search, isUnknown } = readFilters(readFormResourcesSearch, ['status'], formResources.useSearch());
    return isUnknown ? <UnknownFilter to="/form-resources" /> : <FormResourcesPage search={search} />;
  },
  validateSearch: readFormResourcesSearch,
});
const formResource = createRoute({
  getParentRoute: () => at,
  path: '/form-resources/$id',
  component: () => <FormResourcePage id={formResource.useParams().id} />,
});
const connections = createRoute({
  getParentRoute: () => at,
  path: '/connections',
  component: () => <ConnectionsPage search={readConnectionsSearch(connections.useSearch())} />,
  validateSearch: readConnectionsSearch,
});
const newConnection = createRoute({
  getParentRoute: () => at,
  path: '/connections/new',
  component: () => <NewConnectionPage search={readNewConnectionSearch(newConnection.useSearch())} />,
  validateSearch: readNewConnectionSearch,
});
const connection = createRoute({
  getParentRoute: () => at,
  path: '/connections/$id',
  component: () => <ConnectionPage id={connection.useParams().id} />,
});
const activity = createRoute({
  getParentRoute: () => at,
  path: '/activity',
  component: () => {
    const { search, isUnknown } = readFilters(readActivitySearch, ['kind', 'actor', 'capsule'], activity.useSearch());
    return isUnknown ? <UnknownFilter to="/activity" /> : <ActivityPage search={search} />;
  },
  validateSearch: readActivitySearch,
});
const graph = createRoute({ getParentRoute: () => at, path: '/graph', component: GraphPage });
const tokens = createRoute({ getParentRoute: () => at, path: '/tokens', component: TokensPage });
const workspace = createRoute({ getParentRoute: () => at, path: '/workspace', component: WorkspacePage });
const backups = createRoute({ getParentRoute: () => at, path: '/workspace/backups', component: BackupsPage });
const webhooks = createRoute({ getParentRoute: () => at, path: '/workspace/webhooks', component: WebhooksPage });
const webhook = createRoute({
  getParentRoute: () => at,
  path: '/workspace/webhooks/$id',
  component: () => {
    const { id } = webhook.useParams();
    const { search, isUnknown } = readFilters(readDeliveriesSearch, ['status', 'event'], webhook.useSearch());
    return isUnknown ? <UnknownFilter to="/workspace/webhooks" /> : <WebhookPage id={id} search={search} />;
  },
  validateSearch: readDeliveriesSearch,
});
const installation = createRoute({ getParentRoute: () => at, path: '/installation', component: InstallationPage });
const settings = createRoute({ getParentRoute: () => at, path: '/settings', component: SettingsPage });
const runnerPools = createRoute({ getParentRoute: () => at, path: '/settings/runners', component: RunnerPoolsPage });
const account = createRoute({ getParentRoute: () => at, path: '/account', component: AccountPage });
const members = createRoute({ getParentRoute: () => at, path: '/members', component: MembersPage });

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    reference,
    setup,
    invite,
    shell.addChildren([
      home,
      install,
      installProgress,
      capsules,
      capsule.addChildren(capsuleTabs),
      apps,
      interfaceRecord,
      formResources,
      formResource,
      runs,
      run,
      runGroups,
      runGroup,
      usage,
      sources,
      source,
      copies,
      copy,
      copyRevision,
      connections,
      newConnection,
      connection,
      activity,
      graph,
      settings,
      installation,
      runnerPools,
      account,
      members,
      tokens,
      workspace,
      backups,
      webhooks,
      webhook,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error }) => (
    <div className="mx-auto max-w-xl p-8">
      <PageError error={error} onAgain={() => location.reload()} />
    </div>
  ),
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

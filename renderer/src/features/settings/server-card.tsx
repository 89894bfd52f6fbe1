import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Capabilities } from '#shared/discovery/api';
import { capabilitiesQuery } from '../../api/runner.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { toolNames } from '../../components/status-text.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Health = { ok: boolean; checks: { name: string; ok: boolean }[] };

/** Health of the server; null when it reports health only to probes on its own machine. */
const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async (): Promise<Health | null> => {
    const answer = await fetch('/readyz', { headers: { accept: 'application/json' } });
    if (answer.status !== 200 && answer.status !== 503) return null;
    return (await answer.json()) as Health;
  },
});

/** Version, capabilities and health of this server, to diagnose what does not work here. */
export function ServerCard() {
  const t = useText();
  const query = useQuery(capabilitiesQuery);
  return (
    <Card>
      <SectionTitle id="server" className="border-b border-line px-4 py-2.5" />
      {query.isPending && (
        <div className="px-4 py-3">
          <Skeleton lines={5} />
        </div>
      )}
      {query.isLoadingError && (
        <div className="px-4 py-3">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data && <Facts items={factsOf(t, query.data)} />}
      <HealthChecks />
    </Card>
  );
}

type Text = ReturnType<typeof useText>;

const toolText = ({ toolName, toolVersion }: Capabilities['runner']): string =>
  `${toolName ? toolNames[toolName] : ''} ${visibleText(toolVersion ?? '')}`;

const sandboxText = (t: Text, { sandbox, sandboxProblem }: Capabilities['runner']): string =>
  [t(`server.sandbox.${sandbox}`), ...(sandboxProblem ? [visibleText(sandboxProblem.message)] : [])].join(' — ');

const timeText = (t: Text, hours: number): string =>
  hours % 24 === 0 ? t('server.days', { count: hours / 24 }) : t('server.hours', { count: hours });

function factsOf(t: Text, { serverVersion, runner, git, signIn, limits }: Capabilities): Fact[] {
  const tool = runner.available ? toolText(runner) : t('server.tool.none');
  const providers = signIn.providers.map(({ label }) => visibleText(label));
  const ways = [t('server.signIn.link'), ...(signIn.password ? [t('server.signIn.password')] : []), ...providers];
  const gitTransports = [
    t('server.git.https'),
    ...(git.loopbackHttp ? [t('server.git.loopback')] : []),
    ...(git.file ? [t('server.git.file')] : []),
  ];
  const limit = (name: string) => limits[name] ?? 0;
  return [
    { term: t('server.version'), value: visibleText(serverVersion) },
    { term: t('server.tool'), value: tool },
    { term: t('server.sandbox'), value: sandboxText(t, runner) },
    { term: t('server.network'), value: t(`server.network.${runner.network}`) },
    { term: t('server.git'), value: gitTransports.join(', ') },
    { term: t('server.signIn'), value: ways.join(', ') },
    {
      term: t('server.limits'),
      value: t('server.limits.text', {
        side: limit('concurrentRuns'),
        waiting: limit('queuedRunsPerCapsule'),
        time: timeText(t, limit('planTtlHours')),
        size: bytesText(limit('archiveBytes')),
      }),
    },
  ];
}

const checkTexts: Readonly<Record<string, { good: TextId; bad: TextId }>> = {
  ledger: { good: 'server.health.ledger', bad: 'server.health.ledger.bad' },
  vault: { good: 'server.health.vault', bad: 'server.health.vault.bad' },
  runner: { good: 'server.health.runner', bad: 'server.health.runner.bad' },
  paused: { good: 'server.health.paused', bad: 'server.health.paused' },
  disk: { good: 'server.health.disk', bad: 'server.health.disk.bad' },
};

function HealthChecks() {
  const t = useText();
  const { data, isError } = useQuery(healthQuery);
  if (data === undefined && !isError) return null;
  const known = (data?.checks ?? []).flatMap(({ name, ok }) => {
    const texts = checkTexts[name];
    return texts ? [{ name, ok, text: t(ok ? texts.good : texts.bad) }] : [];
  });
  return (
    <div className="border-t border-line px-4 py-3">
      <h3 className="mb-1 font-medium">{t('server.health')}</h3>
      {known.length === 0 && <p className="text-muted">{t('server.health.hidden')}</p>}
      <ul className="flex flex-col gap-1">
        {known.map(({ name, ok, text }) => (
          <li key={name} className={ok ? 'text-muted' : 'font-medium'}>
            {ok ? '✓' : '✗'} {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

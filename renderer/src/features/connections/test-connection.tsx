import { useQuery } from '@tanstack/react-query';
import type { Connection, ConnectionTest } from '#shared/connections/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord, keys, queryClient } from '../../api/queries.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { type PurposeKind, purposeKindOf } from './texts.ts';

/** Tests a Connection on request, any number of times. The first result is the one found when it was created. */
export function useTest(connection: Connection) {
  const { id } = connection;
  const queryKey = keys.connectionTest(id);
  const result = useQuery<ConnectionTest | null>({ queryKey, queryFn: () => null, enabled: false }).data ?? undefined;
  const test = useIntent(async (keyOf) => {
    queryClient.setQueryData(queryKey, null);
    const { body } = await api.testConnection({ params: { connectionId: id } }, keyOf('test'));
    queryClient.setQueryData(queryKey, body);
    invalidateRecord({ kind: 'connection', id });
  });
  return { ...test, result, purpose: purposeKindOf(connection) };
}

type Test = ReturnType<typeof useTest>;

export function TestButton({ test }: { test: Test }) {
  const t = useText();
  return (
    <Button busy={test.isBusy} onClick={() => void test.run()}>
      {t('connection.test')}
    </Button>
  );
}

const answers: Readonly<Record<ConnectionTest['status'], { text: TextId; tone: 'info' | 'warn' | 'bad' }>> = {
  verified: { text: 'connection.test.verified', tone: 'info' },
  pending: { text: 'connection.test.pending', tone: 'warn' },
  expired: { text: 'connection.test.expired', tone: 'warn' },
  error: { text: 'connection.test.error', tone: 'bad' },
};

/** Texts of a passed test: its result, and what was not tested. */
const passed: Readonly<Record<PurposeKind, { title: TextId; limits: TextId }>> = {
  provider: { title: 'connection.test.complete', limits: 'connection.test.limits' },
  git: { title: 'connection.test.verified', limits: 'connection.test.gitLimits' },
  registry: { title: 'connection.test.registry', limits: 'connection.test.registryLimits' },
  storage: { title: 'connection.test.stored', limits: 'connection.test.storageLimits' },
};

/** Result of the test, followed by the server's message. */
export function TestResult({ test: { result, error, purpose } }: { test: Test }) {
  const t = useText();
  if (error !== undefined) return <ErrorNote error={error} />;
  if (!result) return null;
  const { text, tone } = answers[result.status];
  const isPassed = result.status === 'verified';
  return (
    <Note tone={tone} title={t(isPassed ? passed[purpose].title : text)}>
      {result.detail !== undefined && (
        <p lang="en" className="break-words">
          {visibleText(result.detail)}
        </p>
      )}
      {isPassed && <p>{t(passed[purpose].limits)}</p>}
    </Note>
  );
}

import { Link } from '@tanstack/react-router';
import type { ValueOrigin } from '#shared/configuration-plans/configuration';
import { useWho } from '../../../components/who.ts';
import { useText } from '../../../i18n/text.ts';
import { Since } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

const linkClass = 'font-medium break-words text-accent hover:underline';

/** Source of a value in words, with links to the records that it names. */
export function OriginText({ origin }: { origin: ValueOrigin }) {
  const t = useText();
  switch (origin.kind) {
    case 'none':
    case 'module_default':
    case 'manifest_default':
    case 'operator_default':
      return t(`origin.${origin.kind}`);
    case 'host':
      return t(`origin.host.${origin.supplies}`);
    case 'connection_default':
      return <ConnectionOrigin origin={origin} />;
    case 'dependency':
      return <DependencyOrigin origin={origin} />;
    case 'set':
      return <SetOrigin origin={origin} />;
  }
}

type OriginOf<K extends ValueOrigin['kind']> = { origin: Extract<ValueOrigin, { kind: K }> };

function ConnectionOrigin({ origin: { connectionId, connectionName } }: OriginOf<'connection_default'>) {
  const t = useText();
  return (
    <>
      {t('origin.connection_default')}{' '}
      <Link to="/connections/$id" params={{ id: connectionId }} className={linkClass}>
        {visibleText(connectionName ?? connectionId)}
      </Link>
    </>
  );
}

function DependencyOrigin({ origin }: OriginOf<'dependency'>) {
  const t = useText();
  const { producerCapsuleId, producerName, outputName, mode } = origin;
  return (
    <>
      {mode === 'remote_state' ? (
        t('origin.state')
      ) : (
        <>
          {t('origin.output')} <code className="break-all">{visibleText(outputName)}</code>
        </>
      )}
      {' · '}
      {producerName === undefined ? (
        t('origin.foreign')
      ) : (
        <Link to="/capsules/$id" params={{ id: producerCapsuleId }} className={linkClass}>
          {visibleText(producerName)}
        </Link>
      )}
    </>
  );
}

function SetOrigin({ origin }: OriginOf<'set'>) {
  const t = useText();
  const who = useWho();
  const { by, at, accountId, runId, generated, orEarlier } = origin;
  if (generated && accountId === undefined && !orEarlier)
    return (
      <>
        {t('origin.onlyGenerated')}, <Since at={at} />
      </>
    );
  const text = accountId === undefined ? t(`origin.set.${by}`) : t(`origin.set.${by}.by`, { who: who(accountId) });
  return (
    <>
      {runId === undefined ? (
        text
      ) : (
        <Link to="/runs/$id" params={{ id: runId }} className={linkClass}>
          {text}
        </Link>
      )}
      , <Since at={at} />
      {orEarlier && ` ${t('origin.earlier')}`}
      {generated && ` · ${t('origin.generated')}`}
    </>
  );
}

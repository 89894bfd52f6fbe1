import { useState } from 'react';
import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { Allowed } from '../../components/allowed.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Help } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Note } from '../../ui/surface.tsx';

const isLoopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Webhook settings that a Git host needs so that a push is synced at once. */
export function Webhook({ source }: { source: Source }) {
  const t = useText();
  const url = `${window.location.origin}/hooks/sources/${source.id}`;
  return (
    <div className="flex flex-col gap-2">
      <div>
        <h3 className="text-sm font-medium">{t('hook.title')}</h3>
        <span className="mt-1 flex items-start gap-1">
          <code className="min-w-0 font-mono text-xs break-all">{url}</code>
          <CopyButton text={url} what={t('hook.title')} />
        </span>
        {isLoopback.test(window.location.hostname) && <Help>{t('hook.loopback')}</Help>}
        {!source.autoSync && <Help>{t('hook.unwatched')}</Help>}
      </div>
      <Allowed to="updateSource">
        <HookSecret sourceId={source.id} />
      </Allowed>
      <HookSteps />
    </div>
  );
}

/** The stored secret cannot be read. It is renewed here and shown until the page is left. */
function HookSecret({ sourceId }: { sourceId: string }) {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>();
  const renew = useIntent(async () => {
    // Sent without an idempotency key, because a replayed response has no secret.
    const { body } = await api.updateSource({ params: { sourceId }, body: { rotateHookSecret: true } });
    setSecret(body.hookSecret ?? null);
    setAsking(false);
    invalidateRecord({ kind: 'source', id: sourceId });
  });
  return (
    <div className="flex flex-col items-start gap-2">
      {secret ? (
        <div ref={showWhole}>
          <Note title={t('hook.secret.title')}>
            <span className="flex items-start gap-1">
              <code data-testid="hook-secret" className="min-w-0 font-mono text-xs break-all">
                {secret}
              </code>
              <CopyButton text={secret} what={t('hook.secret.title')} />
            </span>
            <p className="mt-1 text-sm">{t('hook.secret.once')}</p>
          </Note>
        </div>
      ) : (
        <p className="text-sm text-muted">{t('hook.secret.kept')}</p>
      )}
      <Button onClick={() => setAsking(true)}>{t('hook.secret.renew')}</Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => {
          renew.reset();
          setAsking(false);
        }}
        title={t('hook.renew.title')}
        action={t('hook.secret.renew')}
        onConfirm={() => void renew.run()}
        busy={renew.isBusy}
        error={renew.error}
      >
        {t('hook.renew.text')}
      </Confirm>
    </div>
  );
}

/** Scrolls an element into view, because the secret in it is shown only once. */
const showWhole = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

const hosts: readonly [name: string, steps: TextId][] = [
  ['GitHub', 'hook.github'],
  ['GitLab', 'hook.gitlab'],
  ['Gitea, Forgejo', 'hook.gitea'],
];

function HookSteps() {
  const t = useText();
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-muted hover:text-ink">{t('hook.how')}</summary>
      <dl className="mt-2 flex flex-col gap-2">
        {hosts.map(([name, steps]) => (
          <div key={name}>
            <dt className="font-medium">{name}</dt>
            <dd className="text-muted">{t(steps)}</dd>
          </div>
        ))}
        <div>
          <dt className="font-medium">{t('hook.other')}</dt>
          <dd className="text-muted">{t('hook.other.text')}</dd>
        </div>
      </dl>
    </details>
  );
}

import { Link } from '@tanstack/react-router';
import { useFormHost } from '../../api/form-resources.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { JsonValue } from '../../ui/json-value.tsx';
import { EmptyState, Skeleton } from '../../ui/surface.tsx';
import { listFormsCommand } from './commands.ts';

/** Content of the list without Resources: what forms are, and how to begin. */
export function FirstResource() {
  const t = useText();
  const isOn = useFormHost();
  if (isOn === undefined) return <Skeleton />;
  if (!isOn) return <EmptyState title={t('formResources.off.title')} text={t('formResources.off.text')} />;
  return (
    <>
      <EmptyState
        title={t('formResources.empty.title')}
        text={t('formResources.empty.text')}
        action={
          <Link to="/docs/api" className={buttonClass()}>
            {t('nav.api')}
          </Link>
        }
      />
      <FormsCommand />
    </>
  );
}

/** Command that lists the forms that can be used in the Workspace. */
function FormsCommand() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const command = listFormsCommand({ origin: window.location.origin, workspaceId });
  return (
    <div className="border-t border-line px-4 py-3">
      <p className="mb-2 text-sm">
        {t('formResources.begin')}{' '}
        <Link to="/tokens" className="text-accent underline underline-offset-2">
          {t('formResources.token')}
        </Link>
      </p>
      <JsonValue value={command} name={t('shell.command')} />
    </div>
  );
}

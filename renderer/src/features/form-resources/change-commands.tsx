import { Link } from '@tanstack/react-router';
import type { FormResourceDetail } from '#shared/form-resources/contract';
import { useText } from '../../i18n/text.ts';
import { JsonValue } from '../../ui/json-value.tsx';
import { Card } from '../../ui/surface.tsx';
import { changeCommands } from './commands.ts';

const operations = ['observe', 'apply', 'delete'] as const;

/** Commands that compare, change and delete the Resource, because only programs with a token can do so. */
export function ChangeCommands({ resource }: { resource: FormResourceDetail }) {
  const t = useText();
  const commands = changeCommands({ origin: window.location.origin, workspaceId: resource.workspaceId }, resource);
  return (
    <Card>
      <details>
        <summary className="cursor-pointer px-4 py-2.5 font-semibold">{t('formResources.change')}</summary>
        <div className="flex flex-col gap-4 border-t border-line px-4 py-3">
          <p className="text-sm">
            {t('formResources.change.text')}{' '}
            <Link to="/tokens" className="text-accent underline underline-offset-2">
              {t('formResources.token')}
            </Link>
          </p>
          {operations.map((operation) => (
            <div key={operation}>
              <h3 className="mb-1 text-sm font-medium">{t(`formResources.change.${operation}`)}</h3>
              <JsonValue value={commands[operation]} name={t(`formResources.change.${operation}`)} />
            </div>
          ))}
          <p className="text-sm text-muted">
            {t('formResources.change.more')}{' '}
            <Link to="/docs/api" className="text-accent underline underline-offset-2">
              {t('nav.api')}
            </Link>
          </p>
        </div>
      </details>
    </Card>
  );
}

import { ApiError, OfflineError } from '../api/client.ts';
import { useText } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { Note } from './surface.tsx';

/** What the server refused, in its own sentence, beside what caused it. */
export function ErrorNote({ error, onAgain }: { error: unknown; onAgain?: () => void }) {
  const t = useText();
  const text =
    error instanceof OfflineError ? t('offline.text') : error instanceof Error ? error.message : String(error);
  const code = error instanceof ApiError ? (error.details['reason'] ?? error.code) : undefined;
  return (
    <Note tone="bad" title={error instanceof OfflineError ? t('offline.title') : t('error.title')}>
      <p>{text}</p>
      {code !== undefined && <p className="mt-1 font-mono text-xs text-muted">{String(code)}</p>}
      {onAgain && (
        <Button className="mt-2" onClick={onAgain}>
          {t('error.again')}
        </Button>
      )}
    </Note>
  );
}

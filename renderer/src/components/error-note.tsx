import { useEffect, useRef, useState } from 'react';
import { ApiError, OfflineError } from '../api/client.ts';
import { keys, queryClient } from '../api/queries.ts';
import { findText, useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { quietClass } from '../ui/controls.tsx';
import { Note } from '../ui/surface.tsx';
import { findRefusedControl, focusControl } from './refused-control.ts';

/** Shows a refusal next to its cause, with the text of the catalogue, or the server's message when there is none. */
export function ErrorNote({ error, onAgain }: { error: unknown; onAgain?: () => void }) {
  const t = useText();
  const code = error instanceof ApiError ? codeOf(error) : undefined;
  const known = error instanceof OfflineError ? 'offline.text' : findText(`refusal.${String(code)}`);
  const text = known ? t(known) : error instanceof Error ? error.message : String(error);
  const needsSignIn = isSignedOut(error);
  // Only the server's message names what to correct.
  const isNamed =
    error instanceof ApiError &&
    (error.status === 400 || code === 'dependency_output_missing' || code === 'capsule_held');
  const detail = known && isNamed ? error.message : undefined;
  return (
    <Note tone="bad" title={error instanceof OfflineError ? t('offline.title') : t('error.title')}>
      <p {...(!known && { lang: 'en' })}>{text}</p>
      {detail !== undefined && (
        <p lang="en" className="mt-1 break-words text-muted">
          {detail}
        </p>
      )}
      <FieldLink error={error} />
      {code !== undefined && <p className="mt-1 font-mono text-xs text-muted">{String(code)}</p>}
      {needsSignIn && (
        <Button
          variant="primary"
          className="mt-2"
          onClick={() => void queryClient.invalidateQueries({ queryKey: keys.session })}
        >
          {t('enter.do')}
        </Button>
      )}
      {onAgain && !needsSignIn && (
        <Button className="mt-2" onClick={onAgain}>
          {t('error.again')}
        </Button>
      )}
    </Note>
  );
}

/** Reports whether the session is missing or has ended. A wrong password is refused with the same status. */
const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code !== 'invalid_credentials';

/** Returns the most specific code of a refusal. */
const codeOf = ({ details, code }: ApiError) => details['reason'] ?? details['diagnosticCode'] ?? code;

/** Leads to the field that the refusal names, when the form around it has that field. */
function FieldLink({ error }: { error: unknown }) {
  const t = useText();
  const box = useRef<HTMLParagraphElement>(null);
  const [control, setControl] = useState<HTMLElement>();
  useEffect(() => setControl(findRefusedControl(box.current, error)), [error]);
  return (
    <p ref={box} hidden={!control} className="mt-1">
      <button type="button" className={quietClass} onClick={() => control && focusControl(control)}>
        {t('form.refused.open')}
      </button>
    </p>
  );
}

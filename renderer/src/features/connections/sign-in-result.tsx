import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { findText, useText } from '../../i18n/text.ts';
import { clearReturn, readReturn } from '../../ui/back-from-sign-in.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import type { ConnectionsSearch } from './search.ts';

/** Result of an OAuth sign-in, with a link back to the page that started it. */
export function SignInResult({ search: { connected, failed } }: { search: ConnectionsSearch }) {
  const t = useText();
  const [back] = useState(readReturn);
  if (connected === undefined && failed === undefined) return null;
  const wayBack = back !== undefined && (
    <a href={back} onClick={clearReturn} className={buttonClass('primary')}>
      {t('connection.signedIn.back')}
    </a>
  );
  return (
    <div className="mb-4">
      {failed === undefined ? (
        <Note title={t('connection.signedIn')}>
          <div className="flex flex-wrap gap-2">
            {wayBack}
            <Link to="/connections/$id" params={{ id: connected ?? '' }} className={buttonClass()}>
              {t('connection.signedIn.open')}
            </Link>
          </div>
        </Note>
      ) : (
        <Note tone="bad" title={t('connection.signIn.failed')}>
          <p>{t(findText(`connection.signIn.${failed}`) ?? 'connection.signIn.oauth_failed')}</p>
          {wayBack && <div className="mt-2">{wayBack}</div>}
        </Note>
      )}
    </div>
  );
}

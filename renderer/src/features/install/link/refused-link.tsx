import { Link } from '@tanstack/react-router';
import type { LinkRefusal } from '#shared/sources/install-link';
import { useText } from '../../../i18n/text.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Note, PageTitle } from '../../../ui/surface.tsx';
import { Code } from './host.tsx';

/** Reason why a link is refused. Nothing of it is used. */
export function RefusedLink({ refusal: { reason, field } }: { refusal: LinkRefusal }) {
  const t = useText();
  return (
    <>
      <PageTitle title={t('link.refused')} />
      <Note tone="bad" title={t(`link.refused.${reason}`)}>
        {field !== undefined && (
          <p>
            {t('link.refusedField')} <Code>{field}</Code>
          </p>
        )}
        <p className="mt-1">{t('link.refusedText')}</p>
      </Note>
      <p className="mt-4">
        <Link to="/new" className={buttonClass()}>
          {t('link.enterOwn')}
        </Link>
      </p>
    </>
  );
}

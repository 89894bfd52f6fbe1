import { useNavigate } from '@tanstack/react-router';
import { useText } from '../../i18n/text.ts';
import { GitTokenForm } from '../../ui/git-token-form.tsx';
import { Card, PageTitle } from '../../ui/surface.tsx';

/** Adds a Connection. Only what has an effect today is offered: access to private Git repositories. */
export function NewConnectionPage() {
  const t = useText();
  const navigate = useNavigate();
  return (
    <div className="max-w-3xl">
      <PageTitle title={t('connections.new')} lead={t('connection.new.lead')} />
      <Card className="p-4">
        <h2 className="font-semibold">{t('connection.git')}</h2>
        <p className="mt-1 text-muted">{t('connection.git.text')}</p>
        <ul className="mt-2 mb-4 flex list-disc flex-col gap-1 pl-5 text-muted">
          <li>{t('connection.git.scope')}</li>
          <li>{t('connection.git.where')}</li>
          <li>{t('connection.writeOnly')}</li>
        </ul>
        <GitTokenForm
          submit={t('connection.keep')}
          onMade={({ id }) => navigate({ to: '/connections/$id', params: { id } })}
          onCancel={() => void navigate({ to: '/connections' })}
        />
      </Card>
    </div>
  );
}

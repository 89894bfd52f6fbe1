import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { requestInspection } from '../../api/requested-inspection.ts';
import { useMay } from '../../api/role.ts';
import { capabilitiesQuery } from '../../api/runner.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** Offers the bundled sample. A server that reads no repositories from its disk has none. */
export function Sample() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const may = useMay();
  const { data } = useQuery(capabilitiesQuery);
  const open = useIntent(async (keyOf) => {
    const { url } = (await api.createSample({ params: { workspaceId } }, keyOf('sample'))).body;
    requestInspection(url);
    await navigate({ to: '/new', search: { url } });
  });
  if (!data?.git.file || !may('createSample')) return null;
  return (
    <div className="mt-4 border-t border-line pt-4">
      <p className="mb-2 text-muted">{t('home.sample.text')}</p>
      <Button busy={open.isBusy} onClick={() => void open.run()}>
        {t('home.sample.button')}
      </Button>
      {open.error !== undefined && (
        <div className="mt-3">
          <ErrorNote error={open.error} />
        </div>
      )}
    </div>
  );
}

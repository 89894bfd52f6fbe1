import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/surface.tsx';

/** Ends the pause, after a confirmation that names what starts then. */
export function EndPause() {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const ending = useIntent(async () => {
    const { installation } = (await api.resumeInstallation({})).body;
    queryClient.setQueryData(keys.installation, installation);
    queryClient.setQueryData(keys.pause, null);
    return installation;
  });
  return (
    <Card className="flex flex-col items-start gap-3 p-4">
      <h2 className="font-semibold">{t('restored.end')}</h2>
      <p className="text-muted">{t('restored.end.text')}</p>
      <Button variant="primary" onClick={() => setAsking(true)}>
        {t('restored.end.do')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('restored.end.ask')}
        action={t('restored.end.do')}
        busy={ending.isBusy}
        error={ending.error}
        onConfirm={() => void ending.run()}
      >
        <p>{t('restored.end.what')}</p>
        <p className="mt-2">{t('restored.end.other')}</p>
      </Confirm>
    </Card>
  );
}

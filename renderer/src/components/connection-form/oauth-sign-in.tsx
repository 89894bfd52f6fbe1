import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { capabilitiesQuery } from '../../api/runner.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { keepReturn } from '../../ui/back-from-sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ErrorNote } from '../error-note.tsx';

type Props = {
  /** Only the sign-in providers that fill this recipe. */
  recipeId?: string;
  /** Name of the Connection. */
  name?: string;
};

/**
 * Signs in at a code host or cloud in the browser instead of pasting a token. Renders nothing without a configured
 * application.
 */
export function OauthSignIn({ recipeId, name }: Props) {
  const { data } = useQuery(capabilitiesQuery);
  const helpers = (data?.oauthHelpers ?? []).filter((id) => recipeId === undefined || id === recipeId);
  if (helpers.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      {helpers.map((id) => (
        <SignIn key={id} helperId={id} name={name || id} />
      ))}
    </div>
  );
}

function SignIn({ helperId, name }: { helperId: string; name: string }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const start = useIntent(async () => {
    const { body } = await api.startOauth({ params: { helperId }, body: { workspaceId, displayName: name } });
    keepReturn(location.pathname + location.search);
    location.assign(body.authorizationUrl);
  });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button busy={start.isBusy} onClick={() => void start.run()}>
        {t('form.oauth', { name: visibleText(helperId) })}
      </Button>
      <p className="min-w-0 flex-1 basis-52 text-sm text-muted">{t('form.oauth.text')}</p>
      {start.error !== undefined && <ErrorNote error={start.error} />}
    </div>
  );
}

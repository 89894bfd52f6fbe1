import { Link } from '@tanstack/react-router';
import type { InstallConfig } from '#shared/install-configs/contract';
import type { RequiredInterfaceMatch } from '#shared/interfaces/required';
import { isPassable, type RepositoryInstallUx } from '#shared/manifest/contract';
import { findAppSignIn, ScopeTexts } from '../../components/app-sign-in.tsx';
import { findText, useText } from '../../i18n/text.ts';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useArrivalFocus } from './arrival-focus.ts';

type Invalid = Extract<RepositoryInstallUx, { status: 'invalid' }>;
type Props = { ux: RepositoryInstallUx; sourceId: string; config: InstallConfig | undefined };

/** Status of the manifest in one line above the form. */
export function ManifestLine({ ux, sourceId, config }: Props) {
  const t = useText();
  if (ux.status === 'absent') return null;
  if (ux.status === 'accepted')
    return (
      <>
        <p className="text-sm text-muted">{t('manifest.used')}</p>
        {ux.requiredInterfaces?.map((one) => (
          <RequiredInterfaceLine key={one.key} match={one} />
        ))}
        {config && <AppSignInLine config={config} />}
      </>
    );
  return (
    <p role="status" className="text-sm text-warn">
      {messageOf(t, ux)}{' '}
      <Link to="/sources/$id" params={{ id: sourceId }} className="font-medium underline">
        {t('manifest.why')}
      </Link>
    </p>
  );
}

/** Reports before the installation that the app signs people in with this server. */
function AppSignInLine({ config }: { config: InstallConfig }) {
  const t = useText();
  const signIn = findAppSignIn(config);
  if (!signIn) return null;
  return (
    <p className="text-sm text-muted">
      {t('appSignIn.install')} <ScopeTexts scopes={signIn.scopes} />
    </p>
  );
}

/** The one Interface that the module will use, or that there is none or more than one. No choice exists. */
function RequiredInterfaceLine({ match: { type, version, interfaces } }: { match: RequiredInterfaceMatch }) {
  const t = useText();
  const [only, ...others] = interfaces;
  if (only && others.length === 0)
    return <p className="text-sm text-muted">{t('manifest.uses', { name: visibleText(only.name), type })}</p>;
  const names = interfaces.map(({ name }) => visibleText(name)).join(', ');
  return (
    <p role="status" className="text-sm text-warn">
      {only ? t('manifest.usesSeveral', { type, version, names }) : t('manifest.usesNone', { type, version })}
    </p>
  );
}

/** Note that a valid manifest asks for something that the module or this server does not have. */
export function ManifestRefusal({ ux, sourceId }: { ux: Invalid; sourceId: string }) {
  const t = useText();
  const heading = useArrivalFocus<HTMLDivElement>();
  return (
    <div ref={heading} tabIndex={-1} className="outline-none">
      <Note tone="bad" title={t('manifest.refused')}>
        <p>{messageOf(t, ux)}</p>
        <p lang="en" className="mt-1 break-words text-muted">
          {visibleText(ux.message)}
        </p>
        <p className="mt-1 font-mono text-xs break-all text-muted">{ux.diagnosticCode}</p>
        <Link to="/sources/$id" params={{ id: sourceId }} className="mt-2 inline-block font-medium underline">
          {t('manifest.toSource')}
        </Link>
      </Note>
    </div>
  );
}

export const findRefusal = (ux: RepositoryInstallUx): Invalid | undefined =>
  ux.status === 'invalid' && !isPassable(ux) ? ux : undefined;

function messageOf(t: ReturnType<typeof useText>, { diagnosticCode, message }: Invalid): string {
  const known = findText(`refusal.${diagnosticCode}`);
  return known ? t(known) : message;
}

import { Link, Outlet } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Suspense } from 'react';
import { queryClient } from '../api/queries.ts';
import { isSealed } from '../api/sealed.ts';
import { useSession, WorkspaceProvider } from '../api/session.tsx';
import { Allowed } from '../components/allowed.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { useNotifications } from '../components/notifications/use-notifications.ts';
import { PauseBanner } from '../components/pause-banner.tsx';
import { useWorkspaceStream } from '../components/workspace-stream.tsx';
import { useDroppedLink } from '../features/install/dropped-link.ts';
import { LostWorkspace } from '../features/members/lost.tsx';
import { PaletteButton } from '../features/palette/palette-button.tsx';
import { Locked } from '../features/session/locked.tsx';
import { SignInNeeded } from '../features/session/sign-in.tsx';
import { WorkspaceSwitcher } from '../features/workspaces/switcher.tsx';
import { useText } from '../i18n/text.ts';
import { buttonClass } from '../ui/button.tsx';
import { Note, Skeleton } from '../ui/surface.tsx';
import { KeySheet } from './key-sheet.tsx';
import { Navigation } from './navigation.tsx';
import { usePageKeys } from './page-keys.ts';

/** Frame of every page: navigation, current page and the state of the connection to the server. */
export function Shell() {
  const session = useSession();
  if (session.isPending) return <Skeleton />;
  if (isSealed(session.error))
    return <Locked error={session.error} onOpen={() => void queryClient.invalidateQueries()} />;
  if (session.isError)
    return (
      <main className="mx-auto max-w-xl p-8">
        <ErrorNote error={session.error} onAgain={() => void session.refetch()} />
      </main>
    );
  if (!session.data) return <SignInNeeded />;
  return (
    <WorkspaceProvider id={session.data.workspace.id}>
      <Frame workspaceId={session.data.workspace.id} name={session.data.workspace.displayName} />
    </WorkspaceProvider>
  );
}

function Frame({ workspaceId, name }: { workspaceId: string; name: string }) {
  const t = useText();
  const isLost = useWorkspaceStream(workspaceId);
  const waiting = useNotifications(workspaceId);
  useDroppedLink();
  usePageKeys();
  return (
    <div className="min-h-screen md:grid md:grid-cols-[13.5rem_1fr]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-card focus:px-3 focus:py-2"
      >
        {t('nav.skip')}
      </a>
      <aside className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-3 py-2 md:sticky md:top-0 md:h-screen md:flex-col md:flex-nowrap md:items-stretch md:gap-1 md:overflow-y-auto md:border-r md:border-b-0 md:p-3">
        <div className="flex min-w-0 items-center gap-2 px-2 py-1 md:mb-2">
          <img src="/icon.svg" alt="" className="size-6" />
          <div className="min-w-0 leading-tight">
            <p className="font-semibold">Ground Control</p>
            <WorkspaceSwitcher workspaceId={workspaceId} name={name} />
          </div>
        </div>
        <span className="ml-auto flex md:ml-0 md:flex-col">
          <PaletteButton />
        </span>
        <Allowed to="createInstallPlan">
          <Link to="/new" className={`${buttonClass('primary')} px-2.5 md:mb-2`}>
            <Plus size={16} aria-hidden="true" /> <span className="sr-only md:not-sr-only">{t('nav.install')}</span>
          </Link>
        </Allowed>
        <Navigation waiting={waiting} />
      </aside>
      <main id="content" tabIndex={-1} className="min-w-0 outline-none px-4 py-5 md:px-8 md:py-7">
        {isLost && (
          <div className="mb-4">
            <Note tone="warn" title={t('offline.title')}>
              {t('offline.text')}
            </Note>
          </div>
        )}
        <div className="mx-auto max-w-6xl">
          <PauseBanner />
          <LostWorkspace id={workspaceId} name={name} />
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
      <KeySheet />
    </div>
  );
}

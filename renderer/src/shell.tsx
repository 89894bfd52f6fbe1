import { Link, Outlet } from '@tanstack/react-router';
import {
  Boxes,
  GitBranch,
  History,
  House,
  KeyRound,
  Play,
  Plus,
  Settings,
  UserRound,
  Users,
  Workflow,
} from 'lucide-react';
import { Suspense, useState } from 'react';
import { queryClient } from './api/queries.ts';
import { isSealed } from './api/sealed.ts';
import { useSession, WorkspaceProvider } from './api/session.tsx';
import { useWorkspaceStream } from './api/workspace-stream.tsx';
import { useDroppedLink } from './features/install/dropped-link.ts';
import { LostWorkspace } from './features/members/lost.tsx';
import { Locked } from './features/session/locked.tsx';
import { SignInNeeded } from './features/session/sign-in.tsx';
import { WorkspaceSwitcher } from './features/workspaces/switcher.tsx';
import { chooseLanguage, languages, readLanguage, type TextId, useText } from './i18n/text.ts';
import { chooseTheme, readTheme, themes } from './theme.ts';
import { buttonClass } from './ui/button.tsx';
import { ErrorNote } from './ui/error-note.tsx';
import { Note, Skeleton } from './ui/surface.tsx';

const places = [
  { to: '/', text: 'nav.home', icon: House, exact: true },
  { to: '/capsules', text: 'nav.capsules', icon: Boxes, exact: false },
  { to: '/runs', text: 'nav.runs', icon: Play, exact: false },
  { to: '/graph', text: 'nav.graph', icon: Workflow, exact: false },
  { to: '/sources', text: 'nav.sources', icon: GitBranch, exact: false },
  { to: '/connections', text: 'nav.connections', icon: KeyRound, exact: false },
  { to: '/activity', text: 'nav.activity', icon: History, exact: false },
  { to: '/members', text: 'nav.members', icon: Users, exact: false },
  { to: '/settings', text: 'nav.settings', icon: Settings, exact: false },
] as const;

/** The frame of every page: where one is, where one can go, and the state of the line to the server. */
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
  useDroppedLink();
  return (
    <div className="min-h-screen md:grid md:grid-cols-[13.5rem_1fr]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-card focus:px-3 focus:py-2"
      >
        {t('nav.skip')}
      </a>
      <aside className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-card px-3 py-2 md:sticky md:top-0 md:h-screen md:flex-col md:flex-nowrap md:items-stretch md:gap-1 md:border-r md:border-b-0 md:p-3">
        <div className="flex items-center gap-2 px-2 py-1 md:mb-2">
          <img src="/icon.svg" alt="" className="size-6" />
          <div className="leading-tight">
            <p className="font-semibold">Ground Control</p>
            <WorkspaceSwitcher workspaceId={workspaceId} name={name} />
          </div>
        </div>
        <Link to="/new" className={`${buttonClass('primary')} md:mb-2`}>
          <Plus size={16} aria-hidden="true" /> {t('nav.install')}
        </Link>
        <nav aria-label={t('nav.main')} className="flex flex-wrap gap-1 md:flex-col">
          {places.map(({ to, text, icon: Icon, exact }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact }}
              className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-muted hover:bg-raised hover:text-ink [&.active]:bg-raised [&.active]:font-medium [&.active]:text-ink"
            >
              <Icon size={16} aria-hidden="true" /> {t(text)}
            </Link>
          ))}
        </nav>
        <Link
          to="/account"
          className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-muted hover:bg-raised hover:text-ink md:mt-auto [&.active]:bg-raised [&.active]:font-medium [&.active]:text-ink"
        >
          <UserRound size={16} aria-hidden="true" /> {t('nav.account')}
        </Link>
        <Preferences />
      </aside>
      <main id="content" className="min-w-0 px-4 py-5 md:px-8 md:py-7">
        {isLost && (
          <div className="mb-4">
            <Note tone="warn" title={t('offline.title')}>
              {t('offline.text')}
            </Note>
          </div>
        )}
        <div className="mx-auto max-w-6xl">
          <LostWorkspace id={workspaceId} name={name} />
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
    </div>
  );
}

const selectClass = 'w-full rounded-md border border-line bg-card px-2 py-1 text-sm';

function Preferences() {
  const t = useText();
  const [theme, setTheme] = useState(readTheme);
  return (
    <div className="flex gap-2 md:flex-col">
      <label className="text-xs text-muted">
        <span className="hidden md:inline">{t('theme.label')}</span>
        <select
          aria-label={t('theme.label')}
          className={selectClass}
          value={theme}
          onChange={(event) => {
            const chosen = themes.find((one) => one === event.target.value) ?? 'system';
            setTheme(chosen);
            chooseTheme(chosen);
          }}
        >
          {themes.map((one) => (
            <option key={one} value={one}>
              {t(`theme.${one}` satisfies TextId)}
            </option>
          ))}
        </select>
      </label>
      <label className="text-xs text-muted">
        <span className="hidden md:inline">{t('language.label')}</span>
        <select
          aria-label={t('language.label')}
          className={selectClass}
          value={readLanguage()}
          onChange={(event) => chooseLanguage(languages.find((one) => one === event.target.value) ?? 'en')}
        >
          <option value="en">English</option>
          <option value="ja">日本語</option>
        </select>
      </label>
      <Link to="/docs/api" className="px-1 text-xs text-muted underline-offset-2 hover:text-ink hover:underline">
        {t('nav.api')}
      </Link>
    </div>
  );
}

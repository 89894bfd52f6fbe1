import type { ChangedRun } from '#shared/workspaces/changes';
import { openLive } from '../../api/live.ts';

type Message = ({ type: 'changed' } & ChangedRun) | { type: 'front?'; path: string } | { type: 'front' };

type Options = {
  /** The account whose Workspaces are followed. */
  subject: string;
  /** Reports a change in every tab, also in hidden ones. */
  onChange: (change: ChangedRun) => void;
  /** Reports a change in the one tab that speaks for all. */
  onChangeAsLeader: (change: ChangedRun) => void;
};
export type Tabs = {
  /** Resolves with true when a tab in front shows this page. */
  isVisible: (path: string) => Promise<boolean>;
  close: () => void;
};

const answerMs = 200;
const isHere = (path: string): boolean =>
  document.visibilityState === 'visible' && document.hasFocus() && location.pathname === path;

/**
 * Joins the tabs of this browser in which an account is signed in. One of them holds a lock and reads the stream of all
 * Workspaces of the account also while it is hidden; it passes the changes on to the others. When it is closed, another
 * one takes its place.
 */
export function joinTabs({ subject, onChange, onChangeAsLeader }: Options): Tabs {
  const name = `groundctl-${subject}`;
  const channel = new BroadcastChannel(name);
  const post = (message: Message) => channel.postMessage(message);
  const answers = new Set<() => void>();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'changed') onChange(data);
    else if (data.type === 'front?' && isHere(data.path)) post({ type: 'front' });
    else if (data.type === 'front') for (const answer of answers) answer();
  };
  const leaving = new AbortController();
  const lead = () =>
    new Promise<void>((resolve) => {
      const close = openLive({
        url: '/api/v1/account/events',
        events: ['changed'],
        evenHidden: true,
        onEvent: (_name, data) => {
          const change = data as ChangedRun;
          post({ type: 'changed', ...change });
          onChange(change);
          onChangeAsLeader(change);
        },
      });
      leaving.signal.addEventListener('abort', () => {
        close();
        resolve();
      });
    });
  // Pages over plain http on another machine have no locks: such a tab updates itself while it is visible.
  navigator.locks?.request(name, { signal: leaving.signal }, lead).catch(() => {});
  return {
    isVisible: (path) => {
      if (isHere(path)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const done = (isShown: boolean) => {
          clearTimeout(timer);
          answers.delete(answer);
          resolve(isShown);
        };
        const answer = () => done(true);
        const timer = setTimeout(() => done(false), answerMs);
        answers.add(answer);
        post({ type: 'front?', path });
      });
    },
    close: () => {
      leaving.abort();
      channel.close();
    },
  };
}

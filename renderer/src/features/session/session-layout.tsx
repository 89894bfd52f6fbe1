import type { ReactNode } from 'react';

/** Page frame for visitors who are not signed in. */
export const SessionLayout = ({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) => (
  <main className="mx-auto mt-[10vh] mb-10 max-w-md px-5">
    <title>{`${title} · Ground Control`}</title>
    <div className="mb-5 flex items-center gap-2">
      <img src="/icon.svg" alt="" className="size-7" />
      <p className="font-semibold">Ground Control</p>
    </div>
    <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
    {lead && <p className="mt-1 text-muted">{lead}</p>}
    <div className="mt-4 flex flex-col gap-4">{children}</div>
  </main>
);

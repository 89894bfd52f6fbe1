import type { ProviderResolution } from '#shared/runs/provider-resolution';
import { TupleHead } from './binding-row.tsx';
import { ConnectionLink } from './connection-link.tsx';
import { ResolutionLine } from './resolution-line.tsx';
import { keyOfTuple } from './tuples.ts';

/** Read-only list of the resolution of each provider, by names. */
export const ResolutionList = ({ resolutions }: { resolutions: readonly ProviderResolution[] }) => (
  <ul className="divide-y divide-line">
    {resolutions.map((resolution) => (
      <li key={keyOfTuple(resolution.requirement)} className="px-4 py-2.5">
        <TupleHead requirement={resolution.requirement} />
        {resolution.connectionId !== undefined && (
          <p className="mt-0.5 text-sm">
            <ConnectionLink id={resolution.connectionId} />
          </p>
        )}
        <div className="mt-0.5">
          <ResolutionLine resolution={resolution} />
        </div>
      </li>
    ))}
  </ul>
);

import type { ReactNode } from 'react';
import type { EndpointName } from '../api/client.ts';
import { useMay } from '../api/role.ts';

/** Shows an action only to roles that may call its route. */
export const Allowed = ({ to, children }: { to: EndpointName; children: ReactNode }) =>
  useMay()(to) ? children : null;

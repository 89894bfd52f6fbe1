import type { Certificate, Session } from 'electron';
import { decideCertificate, issuerOf } from './certificate.ts';
import { isServerRequestAllowed, isSignInRequestAllowed } from './navigation.ts';
import type { SavedServer } from './saved.ts';

/** Partition of a saved server. It keeps its sign-in, and nothing of it is shared with another server. */
export const partitionOf = ({ id }: Pick<SavedServer, 'id'>): string => `persist:server-${id}`;

type SessionEvents = {
  /** Returns the server as it is saved now; undefined when it was removed. */
  server(): SavedServer | undefined;
  /** Reports whether a window shows the page of the server's sign-in provider. */
  isSignIn(webContentsId: number | undefined): boolean;
  confirmIssuer(before: string, after: string): Promise<boolean>;
  saveIssuer(issuer: string): void;
  onCertificateRefused(): void;
  onDownloadRefused(): void;
};

/** Results of a certificate check: refuse, or use Chromium's own result, which was good. */
const refuse = -2;
const useOwnResult = -3;

/**
 * Confines everything in the partition of a server: no permission, device, download or request beyond its origin, and
 * only certificates that the system trusts, of an authority that the person knows.
 */
export function guardServerSession(session: Session, origin: string, events: SessionEvents): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event) => {
    event.preventDefault();
    events.onDownloadRefused();
  });
  session.webRequest.onBeforeRequest(({ url, resourceType, webContentsId }, answer) => {
    const isAllowed =
      isServerRequestAllowed(url, resourceType, origin) ||
      (events.isSignIn(webContentsId) && isSignInRequestAllowed(url));
    answer({ cancel: !isAllowed });
  });
  session.setCertificateVerifyProc((request, answer) => {
    void acceptCertificate(request, origin, events).then(
      (isAccepted) => answer(isAccepted ? useOwnResult : refuse),
      () => answer(refuse),
    );
  });
}

type Presented = { hostname: string; errorCode: number; certificate: Certificate };

async function acceptCertificate(presented: Presented, origin: string, events: SessionEvents): Promise<boolean> {
  // The page of a sign-in provider has a certificate of its own, which Chromium judges.
  if (presented.hostname !== new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1')) return presented.errorCode === 0;
  const server = events.server();
  const decision = server ? decideCertificate(presented, server) : 'refused';
  const issuer = issuerOf(presented.certificate);
  const isAgreed = decision === 'changed' && (await events.confirmIssuer(server?.issuer ?? '', issuer));
  if (decision === 'unknown' || isAgreed) events.saveIssuer(issuer);
  const isAccepted = decision === 'accepted' || decision === 'unknown' || isAgreed;
  if (!isAccepted) events.onCertificateRefused();
  return isAccepted;
}

import { addressText } from '../../ui/address.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

/** An address to copy. It is not a link, because an app is opened only after the server was asked. */
export const Address = ({ address, name }: { address: string; name: string }) => (
  <span className="flex min-w-0 items-center gap-2">
    <span className="min-w-0 font-mono break-all">{addressText(address)}</span>
    <CopyButton text={address} what={name} />
  </span>
);

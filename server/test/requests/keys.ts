import type { TestServer } from '../harness.ts';

/** The vault and its keys. */
export async function requestVault(server: TestServer): Promise<void> {
  const { api } = server;
  await api.getVault({});
  await api.changeKey({ body: { source: 'file' } });
  await api.rotateKeys({});
  const operator = server.as(server.operatorToken);
  await operator.getVaultAsOperator({});
  await operator.getFence({});
  await api.getRecoveryKit({});
  await api.dismissRecoveryKit({});
  const kit = { body: { passphrase: 'correct horse battery staple' } };
  await api.createRecoveryKit(kit);
  await operator.getRecoveryKitAsOperator({});
  await operator.createRecoveryKitAsOperator(kit);
  await operator.unsealVault({ body: {} });
}

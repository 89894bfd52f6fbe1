import type { TestServer } from '../harness.ts';

/** Reads what a restored installation shows for review. */
export async function requestReview({ api, as, operatorToken }: TestServer): Promise<void> {
  await api.getInstallation({});
  await api.listReviewedMembers({ query: {} });
  await api.listReviewedConnections({ query: {} });
  const operator = as(operatorToken);
  await operator.getInstallationAsOperator({});
  await operator.listReviewedMembersAsOperator({ query: {} });
  await operator.listReviewedConnectionsAsOperator({ query: {} });
}

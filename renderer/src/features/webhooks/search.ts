import { type DeliveryStatus, deliveryEvents, deliveryStatuses, type WebhookDelivery } from '#shared/webhooks/contract';

/** Filters of the log of deliveries, as stored in the URL. */
export type DeliveriesSearch = { status?: DeliveryStatus; event?: WebhookDelivery['event'] };

export function readDeliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  const status = deliveryStatuses.find((one) => one === search['status']);
  const event = deliveryEvents.find((one) => one === search['event']);
  return { ...(status && { status }), ...(event && { event }) };
}

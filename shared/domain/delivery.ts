/** The states of a delivery; the machine, the database check and the API share this list. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Answers the id of the delivery of a test that was asked for, which both sides know before it is there. */
export function testDeliveryId(requestId: `req_${string}`): string {
  return `dl_${requestId.slice('req_'.length)}`
}

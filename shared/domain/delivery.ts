/** Statuses of a delivery. The machine, the database constraint and the API share this list. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Returns the delivery id of a requested webhook test. API and daemon derive it before the delivery exists. */
export function testDeliveryId(requestId: `req_${string}`): string {
  return `dl_${requestId.slice('req_'.length)}`
}

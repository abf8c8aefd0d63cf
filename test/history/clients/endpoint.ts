import { type Receiver, startReceiver } from '../../support/receiver.ts'
import type { Recorder } from '../record.ts'
import type { Organization } from './organization.ts'

/** A webhook endpoint of an organization, which records every request that it receives. */
export type Endpoint = {
  readonly organization: Organization
  readonly webhookId: string
  /** Sets whether the endpoint rejects all requests from now on. */
  readonly setDown: (isDown: boolean) => void
  /**
   * Requests another attempt of each pending or failed delivery with an earlier attempt, as a merchant does after an
   * outage.
   *
   * @returns the number of pending and failed deliveries, at most 100 of each
   */
  readonly retryDeliveries: () => Promise<number>
  readonly stop: Receiver['stop']
}

/** Starts an endpoint and registers it for all events. */
export async function startEndpoint(recorder: Recorder, organization: Organization): Promise<Endpoint> {
  let isDown = false
  const receiver = await startReceiver((response, { headers, body }) => {
    const status = isDown ? 500 : 200
    const deliveryId = String(headers['x-service-delivery'])
    recorder.add({ type: 'delivery', organization: organization.name, deliveryId, body, status })
    response.writeHead(status).end()
    // The record already stores the request.
    receiver.forget()
  })
  const registered = await organization.insist('POST /v1/webhooks', { url: receiver.url, events: ['*'] })
  const { id } = registered.json as { readonly id: string }
  return {
    ...{ organization, webhookId: id, stop: receiver.stop },
    setDown: (next) => {
      isDown = next
    },
    retryDeliveries: () => retryDeliveries(organization, id),
  }
}

type DeliveryJson = { readonly id: string; readonly attempts: number }

async function retryDeliveries({ insist, send }: Organization, webhookId: string): Promise<number> {
  const path = `/v1/webhooks/${webhookId}/deliveries`
  const pages = ['pending', 'failed'].map((status) => insist(`GET ${path}?status=${status}&limit=100`))
  const unfinished = (await Promise.all(pages)).flatMap(
    ({ json }) => (json as { readonly data?: readonly DeliveryJson[] }).data ?? [],
  )
  for (const { id, attempts } of unfinished) if (attempts > 0) await send(`POST ${path}/${id}/retry`)
  return unfinished.length
}

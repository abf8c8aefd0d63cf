import { AppError } from '../../shared/domain/errors.ts'

type Params = Readonly<Record<string, string>>

/** Creates the error for a webhook that does not exist or belongs to another tenant. */
export function createWebhookNotFound(params: Params): AppError {
  return new AppError(
    'webhook_not_found',
    `webhook ${shorten(params['id'])} does not exist or is not visible to this API key`,
  )
}

/** Creates the error for a delivery that the webhook does not have. */
export function createDeliveryNotFound(params: Params): AppError {
  return new AppError('delivery_not_found', `the webhook has no delivery ${shorten(params['deliveryId'])}`)
}

function shorten(id: string | undefined): string {
  return (id ?? '').slice(0, 60)
}
